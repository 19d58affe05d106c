import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a refresh makes of odd answers, and what its callers have to wait for.
@Suite("The rules of a refresh", .hangLimit)
struct TokenSourceRuleTests {
  struct Refusal: Sendable, CustomTestStringConvertible {
    let status: Int
    let body: String
    var means = ErrorCode.interactionRequired
    var ends = true
    var shape = LocalTenant.Shape.openIDConnect
    var testDescription: String { "\(shape) \(status) \(body.prefix(60))" }
  }

  static let refusals: [Refusal] = [
    // A generic provider whose refresh token is dead: Glewlwyd's two answers, and those of RFC 6749 and RFC 6750.
    Refusal(status: 400, body: #"{"error":"invalid_request"}"#), Refusal(status: 400, body: ""),
    Refusal(status: 400, body: #"{"error":"invalid_grant","error_description":"Token is not active"}"#),
    Refusal(status: 401, body: #"{"error":"invalid_token"}"#),
    Refusal(status: 403, body: #"{"error":"access_denied"}"#),
    // A 200 with an error and no token is that error.
    Refusal(status: 200, body: #"{"error":"invalid_grant"}"#),
    Refusal(status: 200, body: #"{"error":"invalid_client"}"#, means: .configuration, ends: false),
    Refusal(status: 200, body: #"{"error":"invalid_grant","suberror":"bad_token"}"#, shape: .entra),
    Refusal(status: 400, body: #"{"error":"invalid_grant","error_description":"AADSTS70043: Text."}"#, shape: .entra),
    // What a firewall says is no answer of the provider: nothing is thrown away, and no sign-in helps.
    Refusal(status: 403, body: "<html>Blocked</html>", means: .invalidResponse, ends: false),
    Refusal(status: 400, body: "Bad Request", means: .invalidResponse, ends: false),
    Refusal(status: 403, body: "<html>Blocked</html>", means: .invalidResponse, ends: false, shape: .b2c),
    // Where no user was asked it is not the user who denies.
    Refusal(status: 403, body: #"{"error":"access_denied"}"#, means: .accessDenied, ends: false, shape: .entra),
    // What names the app or the scopes says nothing about the refresh token.
    Refusal(status: 401, body: #"{"error":"invalid_client"}"#, means: .configuration, ends: false),
    Refusal(status: 400, body: #"{"error":"unauthorized_client"}"#, means: .configuration, ends: false),
    Refusal(status: 400, body: #"{"error":"invalid_scope"}"#, means: .configuration, ends: false),
    Refusal(status: 400, body: #"{"error":"invalid_target"}"#, means: .configuration, ends: false),
    Refusal(status: 400, body: #"{"error":"invalid_resource"}"#, means: .configuration, ends: false),
    // A provider may say "later" in a status of the 400s.
    Refusal(status: 400, body: #"{"error":"temporarily_unavailable"}"#, means: .serviceUnavailable, ends: false),
    Refusal(status: 403, body: #"{"error":"server_error"}"#, means: .serviceUnavailable, ends: false),
    Refusal(status: 400, body: #"{"error":"slow_down"}"#, means: .throttled, ends: false),
    // Whatever the body names, a busy server or one in trouble ends nothing.
    Refusal(status: 429, body: #"{"error":"invalid_grant"}"#, means: .throttled, ends: false),
    Refusal(status: 503, body: #"{"error":"invalid_grant"}"#, means: .serviceUnavailable, ends: false),
    Refusal(status: 408, body: #"{"error":"invalid_grant"}"#, means: .timedOut, ends: false),
    Refusal(
      status: 429, body: #"{"error":"invalid_grant","error_description":"AADB2C90129: Text."}"#, means: .throttled,
      ends: false, shape: .b2c),
    Refusal(
      status: 500, body: #"{"error":"invalid_grant","error_description":"AADB2C90080: Text."}"#,
      means: .serviceUnavailable, ends: false, shape: .b2c),
    Refusal(status: 403, body: #"{"error":"access_denied"}"#, means: .accessDenied, ends: false, shape: .b2c),
    Refusal(status: 400, body: #"{"error":"invalid_request"}"#, means: .configuration, ends: false, shape: .entra),
  ]

  @Test("A dead refresh token asks for a sign-in; nothing else ends the session", arguments: refusals)
  func refusal(_ refusal: Refusal) async throws {
    let scene = Scene(shape: refusal.shape)
    let connector = try await scene.signedIn(after: 4_000)
    scene.transport.answerTokens(refusal.status, refusal.body)
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken() }
    #expect(error.code == refusal.means)
    #expect(error.status == refusal.status)
    #expect(error.needsInteraction == (refusal.means == .interactionRequired))
    if refusal.means == .invalidResponse { #expect(error.isRetryable) }
    let record = try await scene.record()
    #expect((record.refreshToken == nil) == refusal.ends)
    #expect(!record.claims.isEmpty)
    // A refused refresh token is not sent again.
    guard refusal.ends else { return }
    let sent = scene.transport.tokenForms.count
    await expectError(ConnectorError.self, .interactionRequired) { try await connector.accessToken() }
    #expect(scene.transport.tokenForms.count == sent)
  }

  @Test("An answer without a scope does not grow what was granted")
  func noScopeInAnswer() async throws {
    let scene = Scene(shape: .openIDConnect) { $0.grantedScopes = { $0.filter { !$0.hasSuffix("write") } } }
    let connector = try scene.connector()
    try await connector.signIn()
    scene.tenant.behavior.changeTokenAnswer = { $0["scope"] = nil }
    for _ in 0..<2 {
      await scene.clock.advance(by: .seconds(4_000))
      let token = try await connector.accessToken()
      #expect(token.scopes.contains(scene.tenant.apiScopes[0]))
      #expect(!token.scopes.contains(scene.tenant.apiScopes[1]))
    }
  }

  @Test("Where the authority makes its own URLs, a new launch sends the token request alone: no metadata and no keys")
  func besideTheDocuments() async throws {
    let scene = Scene()
    try await scene.connector().signIn()
    await scene.clock.advance(by: .seconds(4_000))
    let before = scene.network.requestCount
    _ = try await scene.connector().accessToken()
    #expect(scene.network.requestCount == before + 1)
    #expect(scene.tenant.counters.refreshes == 1)
  }

  @Test("Nothing but the token request is inside the refresh lock")
  func outsideTheLock() async throws {
    let scene = Scene(shape: .openIDConnect)
    let other = try scene.connector()
    try await other.signIn()
    await scene.clock.advance(by: .seconds(4_000))
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .metadata, .wait(gate))]
    // A new launch waits for the metadata; another client of the same cache, for another API, does not wait for it.
    let call = Task { [connector = try scene.connector()] in try await connector.accessToken() }
    await gate.waitForArrivals(1)
    _ = try await other.accessToken(scopes: ["openid", "profile", LocalTenant.standardClientID])
    #expect(scene.tenant.counters.reusedRefreshTokens == 0)
    gate.open()
    _ = try await call.value
    #expect(scene.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("A token that was refused first does not come back when the one that replaced it is refused")
  func refusedTwice() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    let first = try await connector.accessToken().token
    let narrow = [scene.tenant.apiScopes[0]]
    let second = try await connector.accessToken(scopes: narrow, refused: first).token
    await scene.clock.advance(by: .seconds(61))
    let third = try await connector.accessToken(scopes: narrow, refused: second).token
    #expect(Set([first, second, third]).count == 3)
  }

  @Test("A token that was replaced holds back no refresh for another user, nor for another API")
  func refusedOfTwo() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    let alice = try await connector.signIn().user
    presenter.follow(.signIn(.bob))
    let bob = try await connector.signIn(options: SignInOptions(prompt: .login)).user
    let other = [LocalTenant.standardClientID]
    _ = try await connector.accessToken(scopes: other, user: bob)
    await scene.clock.advance(by: .seconds(61))
    for (user, scopes) in [(alice, nil), (bob, nil), (bob, other)] {
      let refused = try await connector.accessToken(scopes: scopes, user: user).token
      #expect(try await connector.accessToken(scopes: scopes, user: user, refused: refused).token != refused)
    }
  }

  @Test("An API costs one refresh a minute whose new token is the same text as the one that it has refused")
  func sameText() async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let first = try #require(try await connector.signIn().accessToken?.token)
    scene.tenant.behavior.changeTokenAnswer = { $0["access_token"] = .string(first.value) }
    for _ in 0..<20 {
      #expect(try await connector.accessToken().token == first)
      #expect(try await connector.accessToken(refused: first).token == first)
      await scene.clock.advance(by: .seconds(2))
    }
    #expect(scene.tenant.counters.refreshes == 1)
    await scene.clock.advance(by: .seconds(21))
    #expect(try await connector.accessToken(refused: first).token == first)
    #expect(scene.tenant.counters.refreshes == 2)
  }

  @Test("Nor do callers at the same time start one after another for the same text")
  func sameTextAtOnce() async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let first = try #require(try await connector.signIn().accessToken?.token)
    scene.tenant.behavior.changeTokenAnswer = { $0["access_token"] = .string(first.value) }
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let calls = (0..<20).map { _ in Task { try await connector.accessToken(refused: first).token } }
    try await yielding { scene.events.values.count { $0.step == .refreshShared } == 19 }
    gate.open()
    for call in calls { #expect(try await call.value == first) }
    #expect(scene.tenant.counters.refreshes == 1)
  }

  @Test("A refused token that has expired meanwhile is renewed, whatever the server asked to wait")
  func refusedAndExpired() async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let first = try #require(try await connector.signIn().accessToken?.token)
    await scene.clock.advance(by: .seconds(3_310))
    let busy = LocalResponse(status: 429, headers: ["Retry-After": "600"])
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .respond(busy))]
    #expect(try await connector.accessToken().token == first)
    await scene.clock.advance(by: .seconds(400))
    #expect(try await connector.accessToken(refused: first).token != first)
  }

  @Test("forceRefresh and claims are never held back")
  func neverHeldBack() async throws {
    let scene = Scene(shape: .entra)
    let connector = try await scene.signedIn()
    for _ in 0..<3 { _ = try await connector.accessToken(forceRefresh: true) }
    let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1767225600"}}}"#
    for _ in 0..<3 { _ = try await connector.accessToken(claims: claims) }
    #expect(scene.tenant.counters.refreshes == 6)
  }

  @Test(
    "An early renewal that fails is tried once a minute, or when the server's Retry-After is over",
    arguments: [nil, 200])
  func failsInTheLastMinutes(retryAfter: Int?) async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let first = try #require(try await connector.signIn().accessToken?.token)
    await scene.clock.advance(by: .seconds(3_310))
    let status = retryAfter == nil ? 503 : 429
    scene.transport.intercept { request in
      guard request.isTokenRequest else { return nil }
      return LocalResponse(status: status, headers: retryAfter.map { ["Retry-After": "\($0)"] } ?? [:])
    }
    let sent = { scene.transport.tokenForms.count { $0["grant_type"] == "refresh_token" } }
    for _ in 0..<20 {
      #expect(try await connector.accessToken().token == first)
      await scene.clock.advance(by: .seconds(1))
    }
    #expect(sent() == 1)
    await scene.clock.advance(by: .seconds(41))
    #expect(try await connector.accessToken().token == first)
    #expect(sent() == (retryAfter == nil ? 2 : 1))
    await scene.clock.advance(by: .seconds(140))
    #expect(try await connector.accessToken().token == first)
    #expect(sent() == (retryAfter == nil ? 3 : 2))
    // A token that has expired is not there to be served: nothing is held back.
    await scene.clock.advance(by: .seconds(100))
    for _ in 0..<2 { await #expect(throws: ConnectorError.self) { try await connector.accessToken() } }
    #expect(sent() == (retryAfter == nil ? 5 : 4))
  }

  @Test("In the last minutes a token endpoint that hangs costs one wait: the others are served at once")
  func hangingEndpoint() async throws {
    let scene = Scene(holdsTime: true)
    let connector = try scene.connector { $0.limits = .standard }
    let first = try #require(try await connector.signIn().accessToken?.token)
    await scene.clock.advance(by: .seconds(3_310))
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, .wait(gate))]
    let waits = Task { try await connector.accessToken().token }
    await gate.waitForArrivals(1)
    // Time stands still: who had to wait would wait for ever.
    for _ in 0..<10 { #expect(try await connector.accessToken().token == first) }
    await scene.clock.waitForSleepers(2)
    await scene.clock.advance(by: .seconds(31))
    #expect(try await waits.value == first)
    for _ in 0..<10 { #expect(try await connector.accessToken().token == first) }
    #expect(scene.transport.tokenForms.count == 2)
    gate.open()
    await connector.close()
  }

  @Test("A refused token gives way to a newer one that is stored, without a refresh")
  func newerTokenStored() async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let refused = try #require(try await connector.signIn().accessToken?.token)
    let newer = try await scene.connector().accessToken(forceRefresh: true).token
    #expect(try await connector.accessToken(refused: refused).token == newer)
    #expect(scene.tenant.counters.refreshes == 1)
  }

  @Test("A token that the API has refused is not served again because its refresh failed")
  func refusedTokenAndFailedRefresh() async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let refused = try #require(try await connector.signIn().accessToken?.token)
    scene.transport.answerTokens(503, "")
    await expectError(ConnectorError.self, .serviceUnavailable) {
      try await connector.accessToken(refused: refused)
    }
    scene.transport.letEverythingPass()
    await scene.clock.advance(by: .seconds(61))
    #expect(try await connector.accessToken(refused: refused).token != refused)
  }

  @Test("A refused token is not served again when the clock was set back")
  func clockSetBack() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    let provider = connector.engine.calls.bearerTokens(for: nil, user: nil)
    await scene.clock.advance(by: .seconds(4_000))
    let refused = try await provider(nil)
    scene.setBack.withLock { $0 = 3_000 }
    #expect(try await provider(refused).token != refused.token)
  }

  @Test("A refusal of what the caller added to a refresh does not end the session")
  func refusedParameter() async throws {
    let scene = Scene(shape: .openIDConnect)
    let connector = try await scene.signedIn()
    scene.transport.answerTokens(400, #"{"error":"invalid_request"}"#)
    await #expect(throws: ConnectorError.self) { try await connector.accessToken(claims: #"{"access_token":{}}"#) }
    #expect(try await scene.record().refreshToken != nil)
  }

  @Test("A definite refusal ends the session only while the refused token is the stored one")
  func replacedMeanwhile() async throws {
    let cache = SwappingCache()
    let scene = Scene(cache: cache)
    let connector = try await scene.signedIn()
    let key = try #require(try await cache.keys().first)
    var renewed = try #require(try await cache.record(for: key))
    renewed.refreshToken = Secret("renewed-by-another-process")
    await scene.clock.advance(by: .seconds(4_000))
    scene.transport.intercept { [renewed] request in
      guard request.isTokenRequest else { return nil }
      // The record changes after it was read once more, and before it is written.
      cache.swap(to: renewed, for: key, afterReads: 1)
      let body = #"{"error":"invalid_grant","error_description":"AADB2C90129: Text."}"#
      return LocalResponse(status: 400, body: Data(body.utf8))
    }
    await #expect(throws: ConnectorError.self) { try await connector.accessToken() }
    #expect(try await cache.record(for: key)?.refreshToken == renewed.refreshToken)
  }

  @Test(
    "A transport that never returns blocks neither a caller nor close() for ever",
    arguments: [LocalTenant.Shape.b2c, .openIDConnect])
  func neverReturns(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape, holdsTime: true)
    try await scene.connector().signIn()
    await scene.clock.advance(by: .seconds(4_000))
    let never = TestGate()
    scene.transport.intercept { request in
      // At a generic issuer a new launch needs the metadata first.
      guard shape == .b2c ? request.isTokenRequest : request.httpMethod == "GET" else { return nil }
      // A task of its own knows nothing of a cancellation.
      try await Task { try await never.wait() }.value
      return nil
    }
    let connector = try scene.connector { $0.limits = .standard }
    let call = Task { try await connector.accessToken() }
    await never.waitForArrivals(1)
    // The call, and at Azure AD B2C its request; the limit of a request for metadata is none that the clock counts.
    await scene.clock.waitForSleepers(shape == .b2c ? 2 : 1)
    await scene.clock.advance(by: .seconds(31))
    let error = try await #require(throws: ConnectorError.self) { try await call.value }
    #expect(error.code == .timedOut && error.isRetryable)
    let closing = Task { await connector.close() }
    await scene.clock.advance(by: .seconds(29))
    await closing.value
    // The next one is not held up by it.
    scene.transport.letEverythingPass()
    _ = try await scene.connector().accessToken()
    #expect(scene.tenant.counters.refreshes == 1)
    never.open()
  }

  @Test("Where refreshing is off, a session that has ended asks for a sign-in; one that has not, for the app")
  func refreshingIsOff() async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let off = try scene.connector { $0.refreshesTokens = false }
    try await connector.signIn()
    await scene.clock.advance(by: .seconds(4_000))
    await expectError(ConnectorError.self, .refreshNotAllowed) { try await off.accessToken() }
    scene.tenant.revokeGrants()
    await expectError(ConnectorError.self, .interactionRequired) { try await connector.accessToken() }
    await expectError(ConnectorError.self, .interactionRequired) { try await off.accessToken() }
  }
}
