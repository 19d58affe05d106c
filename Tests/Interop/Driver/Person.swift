import B2CConnector
import Foundation

/// The helper that drives the browser, and the steps that it has taken.
struct Person: Sendable {
  let address: URL
  let transport: any HTTPTransport = URLSessionTransport()

  /// Opens the page; its result arrives at the redirect URI.
  func open(_ page: URL, consents: Bool) async throws {
    let wish: JSONValue = ["url": .string(page.absoluteString), "consents": .bool(consents)]
    let request = URLRequest(
      method: "POST", url: address.appendingPathComponent("open"), headers: ["Content-Type": "application/json"],
      body: try JSONEncoder().encode(wish))
    _ = try await transport.send(request, limits: .standard)
  }

  /// The number of times that the password was typed, which is one of the steps so far.
  func passwords() async throws -> Int {
    let request = URLRequest(url: address.appendingPathComponent("log"))
    let (body, _) = try await transport.send(request, limits: .standard)
    let steps = try JSONDecoder().decode([String: [String]].self, from: body)["log"] ?? []
    return steps.count { $0 == "password" }
  }
}

/// A presenter with the loopback redirect of a command line and a person at the browser, which notes the callbacks.
struct NotingPresenter: SignInPresenter {
  let base: LoopbackPresenter
  /// The names of the parameters of each callback.
  let callbacks: Locked<[Set<String>]>

  init(_ person: Person, consents: Bool, noting callbacks: Locked<[Set<String>]>) {
    // Longer than the person takes to give up, who then says at which page.
    base = LoopbackPresenter(open: { try await person.open($0, consents: consents) }, timeout: .seconds(150))
    self.callbacks = callbacks
  }

  func validate(redirectURI: URL) throws { try base.validate(redirectURI: redirectURI) }

  func present(_ request: PresentationRequest) async throws -> URL {
    // Providers that keep the browser at a sign-out keep it for good.
    let isSignOut = request.url.query?.contains("post_logout_redirect_uri") == true
    let callback = try await withTimeout(
      isSignOut ? .seconds(20) : nil, on: ContinuousClock(),
      throwing: ConnectorError(.userClosedBrowser, "The browser stayed at the provider.")
    ) { try await base.present(request) }
    let items = URLComponents(url: callback, resolvingAgainstBaseURL: false)?.queryItems ?? []
    callbacks.withLock { $0.append(Set(items.map(\.name))) }
    return callback
  }
}
