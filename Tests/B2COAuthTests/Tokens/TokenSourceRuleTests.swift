import B2CCore
import B2CHTTP
import B2COAuth
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a refresh makes of odd answers, and what its callers have to wait for.
@Suite("The rules of a refresh", .timeLimit(.minutes(10)))
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
    // What a proxy says is no answer of the provider: a sign-in helps, and nothing is thrown away.
    Refusal(status: 403, body: "<html>Blocked</html>", ends: false),
    // What names the app or the scopes says nothing about the refresh token.
    Refusal(status: 401, body: #"{"error":"invalid_client"}"#, means: .configuration, ends: false),
    Refusal(status: 400, body: #"{"error":"unauthorized_client"}"#, means: .configuration, ends: false),
    Refusal(status: 400, body: #"{"error":"invalid_scope"}"#, means: .configuration, ends: false),
    Refusal(status: 400, body: #"{"error":"invalid_target"}"#, means: .server, ends: false),
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
    Refusal(status: 403, body: #"{"error":"access_denied"}"#, means: .server, ends: false, shape: .b2c),
    Refusal(status: 400, body: #"{"error":"invalid_request"}"#, means: .configuration, ends: false, shape: .entra),
  ]

  @Test("A dead refresh token asks for a sign-in; nothing else ends the session", arguments: refusals)
  func refusal(_ refusal: Refusal) async throws {
    let fixture = Fixture(shape: refusal.shape)
    let client = try fixture.client()
    try await client.signIn()
    await fixture.clock.advance(by: .seconds(4_000))
    fixture.transport.answerTokens(refusal.status, refusal.body)
    let error = try await #require(throws: ConnectorError.self) { try await client.accessToken() }
    #expect(error.code == refusal.means)
    #expect(error.status == refusal.status)
    let key = try #require(try await fixture.cache.keys().first)
    let record = try #require(try await fixture.cache.record(for: key))
    #expect((record.refreshToken == nil) == refusal.ends)
    #expect(!record.claims.isEmpty)
    // A refused refresh token is not sent again.
    guard refusal.ends else { return }
    let sent = fixture.transport.tokenForms.count
    await expectError(ConnectorError.self, .interactionRequired) { try await client.accessToken() }
    #expect(fixture.transport.tokenForms.count == sent)
  }

  @Test("An answer without a scope does not grow what was granted")
  func noScopeInAnswer() async throws {
    let fixture = Fixture(shape: .openIDConnect) { $0.grantedScopes = { $0.filter { !$0.hasSuffix("write") } } }
    let client = try fixture.client()
    try await client.signIn()
    fixture.tenant.behavior.changeTokenAnswer = { $0["scope"] = nil }
    for _ in 0..<2 {
      await fixture.clock.advance(by: .seconds(4_000))
      let token = try await client.accessToken()
      #expect(token.scopes.contains(fixture.tenant.apiScopes[0]))
      #expect(!token.scopes.contains(fixture.tenant.apiScopes[1]))
    }
  }

  struct BadIDToken: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: @Sendable (inout LocalTenant.Behavior) -> Void
  }

  static let badIDTokens: [BadIDToken] = [
    BadIDToken(testDescription: "damaged signature") { $0.signIDTokens(.damaged) },
    BadIDToken(testDescription: "unsigned") { $0.signIDTokens(.unsigned) },
    BadIDToken(testDescription: "expired") { $0.changeIDTokenClaims = { $0["exp"] = 1_000 } },
    BadIDToken(testDescription: "another policy") { $0.changeIDTokenClaims = { $0["tfp"] = "B2C_1_Other" } },
    BadIDToken(testDescription: "no token at all") { $0.changeTokenAnswer = { $0["id_token"] = "x" } },
  ]

  @Test("An id_token of no use does not cost the new refresh token", arguments: badIDTokens)
  func badIDToken(_ bad: BadIDToken) async throws {
    let fixture = Fixture()
    let client = try fixture.client()
    try await client.signIn()
    let key = try #require(try await fixture.cache.keys().first)
    let before = try #require(try await fixture.cache.record(for: key))
    await fixture.clock.advance(by: .seconds(4_000))
    bad.change(&fixture.tenant.behavior)
    let token = try await client.accessToken()
    // Waits until the id_token has been looked at.
    _ = try await client.currentUser()
    let after = try #require(try await fixture.cache.record(for: key))
    #expect(after.accessTokens.first?.token == token.token)
    #expect(after.refreshToken != before.refreshToken)
    #expect(after.claims == before.claims && after.idToken == before.idToken)
  }

  @Test("An id_token that names another person is refused even when its signature is wrong too")
  func otherPerson() async throws {
    let fixture = Fixture()
    let client = try fixture.client()
    try await client.signIn()
    let key = try #require(try await fixture.cache.keys().first)
    let before = try await fixture.cache.record(for: key)
    await fixture.clock.advance(by: .seconds(4_000))
    fixture.tenant.behavior.signIDTokens(.damaged)
    fixture.tenant.behavior.changeIDTokenClaims = { $0["sub"] = "another-person" }
    await expectError(ConnectorError.self, .interactionRequired) { try await client.accessToken() }
    #expect(try await fixture.cache.record(for: key) == before)
  }

  @Test("Where the authority makes its own URLs, a new launch sends the token request beside metadata and keys")
  func besideTheDocuments() async throws {
    let fixture = Fixture()
    try await fixture.client().signIn()
    await fixture.clock.advance(by: .seconds(4_000))
    let (documents, token) = (TestGate(), TestGate())
    fixture.tenant.faults = [
      LocalFault(on: .metadata, .wait(documents)), LocalFault(on: .tokenRefresh, .wait(token)),
    ]
    let call = Task { [client = try fixture.client()] in try await client.accessToken() }
    await documents.waitForArrivals(1)
    await token.waitForArrivals(1)
    token.open()
    documents.open()
    _ = try await call.value
  }

  @Test("At a generic issuer the keys are fetched beside the token request, and the metadata only before it")
  func keysBesideTheToken() async throws {
    let fixture = Fixture(shape: .openIDConnect)
    try await fixture.client().signIn()
    await fixture.clock.advance(by: .seconds(4_000))
    let (keys, token) = (TestGate(), TestGate())
    fixture.tenant.faults = [LocalFault(on: .keys, .wait(keys)), LocalFault(on: .tokenRefresh, .wait(token))]
    let call = Task { [client = try fixture.client()] in try await client.accessToken() }
    await keys.waitForArrivals(1)
    await token.waitForArrivals(1)
    token.open()
    keys.open()
    _ = try await call.value
  }

  @Test(
    "Nothing but the token request is inside the refresh lock", arguments: [LocalTenant.Shape.b2c, .openIDConnect],
    [LocalFaultTarget.metadata, .keys])
  func outsideTheLock(_ shape: LocalTenant.Shape, _ document: LocalFaultTarget) async throws {
    let fixture = Fixture(shape: shape)
    let other = try fixture.client()
    try await other.signIn()
    await fixture.clock.advance(by: .seconds(4_000))
    let gate = TestGate()
    fixture.tenant.faults = [LocalFault(on: document, .wait(gate))]
    // A new launch waits for a document; another client of the same cache, for another API, does not wait for it.
    let call = Task { [client = try fixture.client()] in try await client.accessToken() }
    await gate.waitForArrivals(1)
    _ = try await other.accessToken(for: ["openid", "profile", LocalTenant.standardClientID])
    #expect(fixture.tenant.counters.reusedRefreshTokens == 0)
    gate.open()
    _ = try await call.value
    #expect(fixture.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("An API that refuses every token costs two refreshes, until a token has lived half of its life")
  func refusingAPI() async throws {
    let fixture = Fixture()
    let client = try fixture.client()
    try await client.signIn()
    await fixture.clock.advance(by: .seconds(2))
    /// A call that the API refuses: asks for a token, then for another one; the same again means that there is none.
    func call() async throws -> Bool {
      let token = try await client.accessToken().token
      return try await client.accessToken(options: TokenOptions(refused: token)).token == token
    }
    for number in 0..<20 {
      #expect(try await call() == (number >= 2))
      await fixture.clock.advance(by: .seconds(2))
    }
    #expect(fixture.tenant.counters.refreshes == 2)
    await fixture.clock.advance(by: .seconds(1_800))
    #expect(try await call() == false)
    #expect(fixture.tenant.counters.refreshes == 3)
    #expect(try await call())
  }

  @Test("A refused token gives way to a newer one that is stored, without a refresh")
  func newerTokenStored() async throws {
    let fixture = Fixture()
    let client = try fixture.client()
    let refused = try #require(try await client.signIn().accessToken?.token)
    let newer = try await fixture.client().accessToken(options: TokenOptions(forceRefresh: true)).token
    #expect(try await client.accessToken(options: TokenOptions(refused: refused)).token == newer)
    #expect(fixture.tenant.counters.refreshes == 1)
  }

  @Test("A token that the API has refused is not served again because its refresh failed")
  func refusedTokenAndFailedRefresh() async throws {
    let fixture = Fixture()
    let client = try fixture.client()
    let refused = try #require(try await client.signIn().accessToken?.token)
    fixture.transport.answerTokens(503, "")
    await expectError(ConnectorError.self, .serviceUnavailable) {
      try await client.accessToken(options: TokenOptions(refused: refused))
    }
    fixture.transport.letEverythingPass()
    #expect(try await client.accessToken(options: TokenOptions(refused: refused)).token != refused)
  }

  @Test("Claims that are verified late are not written over a newer sign-in")
  func lateClaims() async throws {
    let fixture = Fixture()
    let client = try fixture.client()
    try await client.signIn()
    let keys = TestGate()
    fixture.tenant.faults = [LocalFault(on: .keys, .wait(keys))]
    // A new launch has a new access token before it knows the keys that its id_token is verified with.
    let relaunched = try fixture.client()
    _ = try await relaunched.accessToken(options: TokenOptions(forceRefresh: true))
    await keys.waitForArrivals(1)
    fixture.tenant.users[0].displayName = "Alice Later"
    await fixture.clock.advance(by: .seconds(1))
    let new = try await client.signIn(prompt: .login)
    #expect(new.user.name == "Alice Later")
    keys.open()
    // Waits until the id_token of the refresh has been looked at.
    #expect(try await relaunched.currentUser()?.name == "Alice Later")
    let key = try #require(try await fixture.cache.keys().first)
    #expect(try await fixture.cache.record(for: key)?.idToken == new.idToken)
  }

  @Test("A refused token is not served again when the clock was set back")
  func clockSetBack() async throws {
    let fixture = Fixture()
    let client = try fixture.client()
    try await client.signIn()
    let provider = client.tokenProvider()
    await fixture.clock.advance(by: .seconds(4_000))
    let refused = try await provider.accessToken(replacing: nil)
    fixture.setBack.withLock { $0 = 3_000 }
    #expect(try await provider.accessToken(replacing: refused) != refused)
  }

  @Test("A refusal of what the caller added to a refresh does not end the session")
  func refusedParameter() async throws {
    let fixture = Fixture(shape: .openIDConnect)
    let client = try fixture.client()
    try await client.signIn()
    fixture.transport.answerTokens(400, #"{"error":"invalid_request"}"#)
    var options = TokenOptions()
    options.extraParameters = ["resource": "https://api.example"]
    await #expect(throws: ConnectorError.self) { try await client.accessToken(options: options) }
    let key = try #require(try await fixture.cache.keys().first)
    #expect(try await fixture.cache.record(for: key)?.refreshToken != nil)
  }

  @Test("A definite end is not forgotten while the disk is full")
  func endOnFullDisk() async throws {
    let cache = FailingCache()
    let fixture = Fixture(shape: .openIDConnect, cache: cache)
    let client = try fixture.client()
    try await client.signIn()
    await fixture.clock.advance(by: .seconds(4_000))
    fixture.transport.answerTokens(400, #"{"error":"invalid_grant"}"#)
    cache.failsToStore.withLock { $0 = true }
    for _ in 0..<2 {
      await expectError(ConnectorError.self, .interactionRequired) { try await client.accessToken() }
    }
    #expect(fixture.tenant.counters.refreshRequests <= 1)
  }

  @Test("A silent call by another policy says which policy the user signed in with")
  func otherPolicy() async throws {
    let fixture = Fixture()
    let client = try fixture.client()
    try await client.signIn()
    let error = try await #require(throws: ConnectorError.self) {
      try await client.accessToken(policy: Policy("B2C_1_SignUpOrSignIn"))
    }
    #expect(error.code == .interactionRequired)
    #expect(error.message.contains("B2C_1_SignUpOrSignIn") && error.message.contains(Fixture.signIn))
  }

  @Test("A definite refusal ends the session only while the refused token is the stored one")
  func replacedMeanwhile() async throws {
    let cache = SwappingCache()
    let fixture = Fixture(cache: cache)
    let client = try fixture.client()
    try await client.signIn()
    let key = try #require(try await cache.keys().first)
    var renewed = try #require(try await cache.record(for: key))
    renewed.refreshToken = Secret("renewed-by-another-process")
    await fixture.clock.advance(by: .seconds(4_000))
    fixture.transport.intercept { [renewed] request in
      guard request.isTokenRequest else { return nil }
      // The record changes after it was read once more, and before it is written.
      cache.swap(to: renewed, for: key, afterReads: 1)
      let body = #"{"error":"invalid_grant","error_description":"AADB2C90129: Text."}"#
      return LocalResponse(status: 400, body: Data(body.utf8))
    }
    await #expect(throws: ConnectorError.self) { try await client.accessToken() }
    #expect(try await cache.record(for: key)?.refreshToken == renewed.refreshToken)
  }
}
