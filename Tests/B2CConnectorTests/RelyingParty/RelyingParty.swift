import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// An app at a plain OpenID provider, as the OpenID Foundation's suite for relying parties tests one.
///
/// The page is opened by a real presenter in a stand-in for the browser; only the provider is in memory.
struct RelyingParty: Sendable {
  /// The two kinds of redirect that a native app can have (RFC 8252 section 7).
  enum Redirect: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case loopback = "http://127.0.0.1/callback"
    case customScheme = "com.example.tasks:/callback"

    var testDescription: String { rawValue }
  }

  let scene: Scene
  let browser: StandInBrowser
  let connector: Connector

  var tenant: LocalTenant { scene.tenant }

  /// Makes an app; with `holdsTime` no wait of it ends by its time.
  init(
    _ redirect: Redirect, scopes: [String]? = nil, holdsTime: Bool = false,
    behavior: (inout LocalTenant.Behavior) -> Void = { _ in }
  ) throws {
    scene = Scene(
      shape: .openIDConnect, redirectURIs: Redirect.allCases.map(\.rawValue), holdsTime: holdsTime, behavior: behavior)
    browser = StandInBrowser(pages: scene.script(.signIn(.alice)))
    let uri = try require(URL(string: redirect.rawValue))
    connector = try scene.connector(
      scene.settings {
        $0.redirectURI = uri
        $0.scopes = scopes ?? $0.scopes
      }, presenter: browser.presenter(for: redirect))
  }

  /// Signs in, which has to fail by the id_token; nothing may be kept of it or used.
  ///
  /// - Returns: What is wrong with the id_token, in words.
  func refusedSignIn() async throws -> String {
    let error = try await #require(throws: ConnectorError.self) { try await connector.signIn() }
    #expect(error.code == .invalidResponse && error.message.contains("id_token is refused"))
    #expect(tenant.counters.tokenRequests == 1)
    #expect(try await scene.cache.keys().isEmpty)
    #expect(requests("/userinfo").isEmpty)
    return error.message
  }

  /// The requests to an endpoint so far.
  func requests(_ path: String) -> [RecordedRequest] {
    tenant.requests.filter { $0.request.path == path }
  }

  /// The header of the id_token that was sent last.
  func lastIDTokenHeader() throws -> [String: JSONValue] {
    let body = try require(requests("/token").last?.response?.body)
    let token = try require(try JSONReader.object(body)["id_token"]?.string)
    return try JSONReader.object(try require(Base64URL.decode(String(try require(token.split(separator: ".").first)))))
  }
}

/// A person with a browser: fetches the local page where there is one, goes through the provider's pages, and takes the
/// redirect to the app.
final class StandInBrowser: Sendable {
  /// Changes the redirect, as a provider that spoils it would.
  let changeRedirect = Locked<@Sendable (URL) throws -> URL>({ $0 })
  private let pages: ScriptedPresenter
  private let arrivals = AsyncStream<Bool>.makeStream()
  private let external = Locked<ExternalBrowserPresenter?>(nil)

  init(pages: ScriptedPresenter) {
    self.pages = pages
  }

  /// The pages that were opened so far.
  var opened: [PresentationRequest] { pages.requests }

  /// Makes the app's presenter for a redirect.
  func presenter(for redirect: RelyingParty.Redirect) -> any SignInPresenter {
    let open: @Sendable (URL) async throws -> Void = { [weak self] in try await self?.open($0) }
    switch redirect {
    case .loopback: return LoopbackPresenter(open: open)
    case .customScheme:
      let presenter = ExternalBrowserPresenter(open: open)
      external.withLock { $0 = presenter }
      return presenter
    }
  }

  /// Waits until the browser has come back, and returns whether the app took the redirect.
  func nextArrival() async -> Bool {
    for await isTaken in arrivals.stream { return isTaken }
    return false
  }

  private func open(_ url: URL) async throws {
    let page = await ShownPage(opened: url)
    let parameters = query(of: page.url)
    let signOut = parameters["post_logout_redirect_uri"]
    let request = PresentationRequest(
      purpose: signOut == nil ? .signIn : .signOut,
      redirectURI: try require((signOut ?? parameters["redirect_uri"]).flatMap { URL(string: $0) }),
      state: Secret(parameters["state"] ?? "")
    ) { _ in page.url }
    let redirect = try changeRedirect.withLock { $0 }(try await pages.present(request))
    arrivals.continuation.yield(try await deliver(redirect))
  }

  /// Follows the redirect: to the listener, or by the system to the app that has the scheme.
  private func deliver(_ redirect: URL) async throws -> Bool {
    guard redirect.scheme == "http" else {
      return external.withLock { $0 }?.resume(with: redirect) ?? false
    }
    let target = redirect.path + (redirect.query.map { "?" + $0 } ?? "")
    let answer = try await get(target, port: try require(redirect.port.flatMap(UInt16.init(exactly:))))
    return answer.hasPrefix("HTTP/1.1 200 ")
  }
}
