import B2CConnector
import B2CCore
import B2CHTTP
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The helper that drives the browser, and the steps that it has taken.
struct Person: Sendable {
  let address: URL
  let transport: any HTTPTransport = URLSessionTransport()

  /// Opens the page; its result arrives at the redirect URI.
  func open(_ page: URL, consents: Bool) async throws {
    let wish: JSONValue = ["url": .string(page.absoluteString), "consents": .bool(consents)]
    _ = try await transport.send(
      URLRequest(
        method: "POST", url: address.appendingPathComponent("open"), headers: ["Content-Type": "application/json"],
        body: try JSONEncoder().encode(wish)), limits: .standard)
  }

  /// The steps so far, for example `password`, `consent` and `redirected`.
  func log() async throws -> [String] {
    let (body, _) = try await transport.send(
      URLRequest(url: address.appendingPathComponent("log")), limits: .standard)
    return try JSONDecoder().decode([String: [String]].self, from: body)["log"] ?? []
  }

  /// The number of times that the password was typed.
  func passwords() async throws -> Int { try await log().filter { $0 == "password" }.count }

  /// A presenter with the loopback redirect of a command line and this person at the browser.
  func presenter(consents: Bool = true, noting callbacks: Callbacks) -> some SignInPresenter {
    NotingPresenter(
      base: LoopbackPresenter(
        // Longer than the person takes to give up, who then says at which page.
        open: { try await open($0, consents: consents) }, timeout: .seconds(150)),
      callbacks: callbacks)
  }
}

/// The names of the parameters of callbacks.
actor Callbacks {
  private(set) var names: [Set<String>] = []

  func note(_ callback: URL) {
    let items = URLComponents(url: callback, resolvingAgainstBaseURL: false)?.queryItems ?? []
    names.append(Set(items.map(\.name)))
  }
}

/// A presenter that notes what a callback contains.
struct NotingPresenter: SignInPresenter {
  let base: LoopbackPresenter
  let callbacks: Callbacks

  func validate(redirectURI: URL) throws { try base.validate(redirectURI: redirectURI) }

  func present(_ request: PresentationRequest) async throws -> URL {
    // Providers that keep the browser at a sign-out keep it for good.
    let isSignOut = request.url.query?.contains("post_logout_redirect_uri") == true
    let callback = try await withTimeout(
      isSignOut ? .seconds(20) : nil, on: ContinuousClock(),
      throwing: ConnectorError(.userClosedBrowser, "The browser stayed at the provider.")
    ) { try await base.present(request) }
    await callbacks.note(callback)
    return callback
  }
}

/// Counts token requests on their way.
struct CountingTransport: HTTPTransport {
  var tokenRequests: Int { count.withLock { $0 } }
  private let count = Locked(0)
  private let base = URLSessionTransport()

  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    if let body = request.httpBody, String(decoding: body, as: UTF8.self).contains("grant_type=") {
      count.withLock { $0 += 1 }
    }
    return try await base.send(request, limits: limits)
  }
}
