import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a sign-out tells the server, and what it says about the browser.
@Suite("Sign-out that tells the truth", .hangLimit)
struct ConnectorSignOutTests {
  /// A user of a generic issuer, which revokes tokens, or of Azure AD B2C, which does not.
  private final class Stage: Sendable {
    let clock = TestClock(advancesItself: false)
    let tenant: LocalTenant
    let network: LocalNetwork
    let cache = InMemoryTokenCache.memory()
    let pages = Locked<(@Sendable (PresentationRequest) async throws -> URL)?>(nil)
    private let log = Locked("")
    private let isOffline = Locked(false)

    init(_ shape: LocalTenant.Shape = .openIDConnect, redirectURI: String = LocalTenant.standardRedirectURI) {
      let clock = clock
      tenant = LocalTenant(shape: shape, redirectURIs: [redirectURI], now: { clock.date })
      network = LocalNetwork(tenant, clock: clock)
    }

    /// A connector as after a launch: it knows what is in the cache.
    func connector(over other: (any TokenCache)? = nil) throws -> Connector {
      let transport = Switch(network: network, isOffline: isOffline)
      let script = ScriptedPresenter(transport: network, .signIn(.alice))
      var environment = Connector.Environment(
        presenter: Pages(script: script, signOut: pages), cache: other ?? cache, transport: transport, clock: clock,
        now: { [clock] in clock.date })
      environment.onEvent = { [log] event in log.withLock { $0 += "\(event)\n" } }
      return try Connector(settings: try tenant.settings(), environment: environment)
    }

    /// The stage with a connector at which Alice has signed in.
    func signedIn() async throws -> (Stage, Connector) {
      let connector = try connector()
      try await connector.signIn()
      return (self, connector)
    }

    /// The refresh token that is stored.
    func refreshToken() async throws -> Secret {
      let key = try #require(await cache.keys().first)
      return try #require(await cache.record(for: key)?.refreshToken)
    }

    func goOffline() { isOffline.withLock { $0 = true } }

    var events: String { log.withLock { $0 } }

    /// What the server says to a refresh token, asked without a connector.
    func isRevoked(_ token: Secret) async throws -> Bool {
      let fields = [
        ("grant_type", "refresh_token"), ("refresh_token", token.value), ("client_id", tenant.clientID),
      ]
      let request = URLRequest(
        method: "POST", url: tenant.origin.appendingPathComponent("token"),
        headers: ["Content-Type": "application/x-www-form-urlencoded"],
        body: Data(FormEncoding.encode(fields).utf8))
      return try await network.answer(to: request).status == 400
    }
  }

  // MARK: The tokens

  @Test("The refresh token is revoked, after the tokens are gone")
  func revoked() async throws {
    let (stage, connector) = try await Stage().signedIn()
    let token = try await stage.refreshToken()
    let gate = TestGate()
    stage.tenant.faults = [LocalFault(on: .path("/revoke"), .wait(gate))]
    let signOut = Task { try await connector.signOut() }
    await gate.waitForArrivals(1)
    #expect(await stage.cache.keys().isEmpty)
    #expect(try await connector.session == .signedOut)
    gate.open()
    #expect(try await signOut.value == .notAsked)
    #expect(try await stage.isRevoked(token))
    #expect(!stage.events.contains(token.value))
  }

  @Test("After a launch the metadata is fetched for it, once")
  func afterLaunch() async throws {
    let stage = Stage()
    try await stage.connector().signIn()
    let token = try await stage.refreshToken()
    let before = stage.network.requestCount
    try await stage.connector().signOut()
    #expect(stage.network.requestCount == before + 2)
    #expect(try await stage.isRevoked(token))
  }

  @Test("One user's token is revoked, and no other's")
  func oneUser() async throws {
    let stage = Stage()
    let connector = try stage.connector()
    let user = try await connector.signIn().user
    let token = try await stage.refreshToken()
    try await connector.signOut(UserInfo(id: "another"))
    #expect(try await connector.session == .signedIn(user))
    try await connector.signOut(UserInfo(id: user.id))
    #expect(try await stage.isRevoked(token))
  }

  @Test("Offline it returns at once, with and without metadata at hand", arguments: [true, false])
  func offline(hasMetadata: Bool) async throws {
    let (stage, connector) = try await Stage().signedIn()
    stage.goOffline()
    // The clock stands still.
    #expect(try await (hasMetadata ? connector : stage.connector()).signOut() == .notAsked)
    #expect(await stage.cache.keys().isEmpty)
  }

  @Test("A server that does not answer is waited for 2 seconds", arguments: ["/revoke", "/openid-configuration"])
  func silent(path: String) async throws {
    let stage = Stage()
    try await stage.connector().signIn()
    let gate = TestGate()
    stage.tenant.faults = [LocalFault(on: .path(path), .wait(gate))]
    let connector = try stage.connector()
    let signOut = Task { try await connector.signOut() }
    await gate.waitForArrivals(1)
    await stage.clock.waitForSleepers()
    await stage.clock.advance(by: .seconds(2))
    #expect(try await signOut.value == .notAsked)
    gate.open()
  }

  @Test("What the server answers is no error", arguments: [400, 401, 503])
  func refused(status: Int) async throws {
    let (stage, connector) = try await Stage().signedIn()
    stage.tenant.faults = [LocalFault(on: .path("/revoke"), .respond(LocalResponse(status: status)))]
    #expect(try await connector.signOut() == .notAsked)
  }

  @Test("Nothing is sent to Microsoft's authorities, whose metadata names no revocation endpoint")
  func microsoft() async throws {
    let stage = Stage(.b2c)
    try await stage.connector().signIn()
    let before = stage.network.requestCount
    #expect(try await stage.connector().signOut() == .notAsked)
    #expect(stage.network.requestCount == before)
  }

  @Test("A token is not sent to a plain http endpoint that metadata names")
  func insecure() async throws {
    let stage = Stage()
    try await stage.connector().signIn()
    stage.tenant.behavior.changeMetadata = { $0["revocation_endpoint"] = .string("http://contoso.example/revoke") }
    let before = stage.network.requestCount
    #expect(try await stage.connector().signOut() == .notAsked)
    #expect(stage.network.requestCount == before + 1)
  }

  // MARK: The browser

  @Test("It says whether the browser came back from the page")
  func browser() async throws {
    let (stage, connector) = try await Stage().signedIn()
    #expect(try await connector.signOut(endsBrowserSession: true) == .returned)
    try await connector.signIn()
    stage.pages.withLock { $0 = { _ in throw ConnectorError(.userClosedBrowser, "Closed.") } }
    #expect(try await connector.signOut(endsBrowserSession: true) == .notReturned)
  }

  @Test(
    "A callback that any program could make confirms nothing",
    arguments: ["", "?state=another", "?state=STATE&error=server_error", "?code=old&state=old"])
  func anotherCallback(query: String) async throws {
    let (stage, connector) = try await Stage().signedIn()
    stage.pages.withLock {
      $0 = { request in
        let text =
          request.redirectURI.absoluteString + query.replacingOccurrences(of: "STATE", with: request.state.value)
        return try #require(URL(string: text))
      }
    }
    #expect(try await connector.signOut(endsBrowserSession: true) == .notReturned)
  }

  @Test("A user whose record cannot be removed is still signed in: the error names her, and nothing is revoked")
  func stubbornRecord() async throws {
    let stage = Stage()
    let user = try await stage.connector().signIn().user
    let token = try await stage.refreshToken()
    let connector = try stage.connector(over: Stubborn(inner: stage.cache))
    let error = try await #require(throws: ConnectorError.self) { try await connector.signOut() }
    #expect(error.code == .tokenCache && error.message.contains(user.id))
    #expect(try await connector.session == .signedIn(user))
    #expect(!stage.events.contains("signedOut"))
    #expect(try await !stage.isRevoked(token))
  }

  @Test("The browser that does not come back within the time confirms nothing")
  func timeout() async throws {
    let (stage, connector) = try await Stage().signedIn()
    let gate = TestGate()
    stage.pages.withLock {
      $0 = { request in
        try await gate.wait()
        return request.redirectURI
      }
    }
    let signOut = Task { try await connector.signOut(endsBrowserSession: true) }
    await gate.waitForArrivals(1)
    await stage.clock.waitForSleepers()
    await stage.clock.advance(by: .seconds(60))
    #expect(try await signOut.value == .notReturned)
  }

}

/// Signs in by a script, and shows sign-out pages as the test says.
private struct Pages: SignInPresenter {
  let script: ScriptedPresenter
  let signOut: Locked<(@Sendable (PresentationRequest) async throws -> URL)?>

  func present(_ request: PresentationRequest) async throws -> URL {
    if request.purpose == .signOut, let page = signOut.withLock({ $0 }) { return try await page(request) }
    return try await script.present(request)
  }
}

/// A network that can be away.
private struct Switch: HTTPTransport {
  let network: LocalNetwork
  let isOffline: Locked<Bool>

  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    if isOffline.withLock({ $0 }) { throw URLError(.cannotConnectToHost) }
    return try await network.send(request, limits: limits)
  }
}

/// A cache from which nothing can be removed.
private final class Stubborn: TokenCache {
  let inner: InMemoryTokenCache

  init(inner: InMemoryTokenCache) {
    self.inner = inner
  }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? { await inner.record(for: key) }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { await inner.store(record, for: key) }
  func removeRecord(for key: TokenCacheKey) async throws { throw ConnectorError(.tokenCache, "Broken.") }
  func keys() async throws -> [TokenCacheKey] { await inner.keys() }
}
