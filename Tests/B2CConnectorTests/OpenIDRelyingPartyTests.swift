import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The modules of the OpenID Foundation's plans for relying parties that are about the page and its redirect;
/// `Tests/Interop/README.md` lists the others and their tests.
@Suite("OpenID Connect relying party", .descriptors(), .hangLimit)
struct OpenIDRelyingPartyTests {
  typealias Redirect = RelyingParty.Redirect

  @Test("oidcc-client-test, -scope-userinfo-claims, -refresh-token", arguments: Redirect.allCases)
  func signIn(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect) { $0.changeUserInfo = { $0["locale"] = "de" } }
    let result = try await party.connector.signIn()
    #expect(await party.browser.nextArrival())
    let scopes = try #require(party.requests("/authorize").first?.query["scope"]).split(separator: " ")
    #expect(scopes.first == "openid" && scopes.contains("profile") && scopes.contains("email"))
    for refreshes in 0...1 {
      let info = try await party.connector.fetchUserInfo()
      #expect(info.subject == LocalUser.alice.id && info.subject == result.user.subject)
      #expect(info.claims["locale"] == "de")
      #expect(info.name == LocalUser.alice.displayName && info.emails == [LocalUser.alice.email])
      let token = try await party.connector.accessToken().token
      #expect(party.requests("/userinfo").last?.bearerToken == token.value)
      #expect((token == result.accessToken?.token) == (refreshes == 0))
      #expect(party.tenant.counters.refreshRequests == refreshes)
      await party.scene.expire()
    }
  }

  @Test("oidcc-client-test-discovery-issuer-mismatch", arguments: Redirect.allCases)
  func issuerMismatch(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect) { $0.changeMetadata = { $0["issuer"] = "https://evil.example" } }
    await expectError(ConnectorError.self, .invalidResponse, saying: "issuer") { try await party.connector.signIn() }
    #expect(party.browser.opened.isEmpty && party.requests("/authorize").isEmpty)
  }

  @Test(
    "oidcc-client-test-rp-init-logout, -other-state, -no-state",
    arguments: [(nil, BrowserSignOut.returned), ("?state=another-state", .notReturned), ("", .notReturned)],
    Redirect.allCases)
  func logout(_ row: (query: String?, outcome: BrowserSignOut), _ redirect: Redirect) async throws {
    // No waiting time ends on this clock.
    let party = try RelyingParty(redirect, holdsTime: true)
    try await party.connector.signIn()
    #expect(await party.browser.nextArrival())
    party.browser.changeRedirect.withLock {
      $0 = { redirect in
        guard let query = row.query else { return redirect }
        return try url("\(redirect.absoluteString.prefix { $0 != "?" })\(query)")
      }
    }
    let signOut = Task { try await party.connector.signOut(endsBrowserSession: true) }
    let isTaken = await party.browser.nextArrival()
    #expect(isTaken, "The app does not take the redirect, and waits for another one.")
    // Ends the wait of an app that does not.
    if !isTaken { await party.scene.clock.advance(by: .seconds(60)) }
    #expect(try await signOut.value == row.outcome)
    let request = try #require(party.requests("/logout").first).query
    let place = redirect == .loopback ? "http://127.0.0.1:" : redirect.rawValue
    #expect(request["post_logout_redirect_uri"]?.hasPrefix(place) == true)
    #expect(request["state"]?.isEmpty == false)
    #expect(party.tenant.sessionCount == 0)
    #expect(try await party.connector.session == .signedOut)
  }
}

/// An app at a plain OpenID provider, whose page is opened by a real presenter in a stand-in for the browser.
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
    _ redirect: Redirect, holdsTime: Bool = false, behavior: (inout LocalTenant.Behavior) -> Void = { _ in }
  ) throws {
    scene = Scene(
      shape: .openIDConnect, redirectURIs: Redirect.allCases.map(\.rawValue), holdsTime: holdsTime, behavior: behavior)
    browser = StandInBrowser(pages: scene.script(.signIn(.alice)))
    let settings = try scene.settings {
      $0.redirectURI = try url(redirect.rawValue)
      $0.scopes += ["profile", "email"]
    }
    connector = try scene.connector(settings, presenter: browser.presenter(for: redirect))
  }

  /// The requests to an endpoint so far.
  func requests(_ path: String) -> [RecordedRequest] {
    tenant.requests.filter { $0.request.path == path }
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
    let redirect = try await pages.redirect(from: ShownPage(opened: url).url)
    arrivals.continuation.yield(try await deliver(changeRedirect.withLock { $0 }(redirect)))
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
