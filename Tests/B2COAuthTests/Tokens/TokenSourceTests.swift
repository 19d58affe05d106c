import B2CConnector
import B2CCore
import B2CHTTP
import B2COAuth
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

@Suite("Silent tokens", .hangLimit)
struct TokenSourceTests {
  @Test("A cached token is served without a request")
  func hit() async throws {
    let fixture = Fixture()
    let client = try fixture.client()
    let first = try await client.signIn().accessToken
    let before = fixture.network.requestCount
    for _ in 0..<100 { #expect(try await client.accessToken().token == first?.token) }
    #expect(fixture.network.requestCount == before)
    #expect(fixture.events.values.filter { $0.step == .cacheHit }.count == 100)
  }

  @Test("A token is renewed when less than the margin is left", arguments: [(3_299, 0), (3_301, 1)])
  func margin(seconds: Int, refreshes: Int) async throws {
    let (fixture, client) = try await Fixture().signedIn()
    await fixture.clock.advance(by: .seconds(seconds))
    _ = try await client.accessToken()
    #expect(fixture.tenant.counters.refreshes == refreshes)
  }

  @Test(
    "A token that lives no longer than the margin is still used for half its life", arguments: [(149, 0), (151, 1)])
  func shortLife(seconds: Int, refreshes: Int) async throws {
    let (fixture, client) = try await Fixture(lifetime: .seconds(300)).signedIn()
    await fixture.clock.advance(by: .seconds(seconds))
    _ = try await client.accessToken()
    #expect(fixture.tenant.counters.refreshes == refreshes)
  }

  @Test("The server's refresh_in is honoured")
  func refreshIn() async throws {
    let fixture = Fixture { $0.changeTokenAnswer = { $0["refresh_in"] = 600 } }
    let client = try fixture.client()
    try await client.signIn()
    await fixture.clock.advance(by: .seconds(601))
    _ = try await client.accessToken()
    #expect(fixture.tenant.counters.refreshes == 1)
  }

  @Test("A valid token is served when an early refresh fails", arguments: [400, 429, 500, 503])
  func earlyRefreshFails(status: Int) async throws {
    let fixture = Fixture()
    let client = try fixture.client()
    let first = try await client.signIn().accessToken
    await fixture.clock.advance(by: .seconds(3_400))
    fixture.transport.answerTokens(status, "")
    #expect(try await client.accessToken().token == first?.token)
    #expect(fixture.events.values.contains { $0.step == .staleTokenServed })
    await fixture.clock.advance(by: .seconds(300))
    await #expect(throws: ConnectorError.self) { try await client.accessToken() }
    fixture.transport.letEverythingPass()
    #expect(try await client.accessToken().token != first?.token)
  }

  @Test("forceRefresh ignores the cached token and replaces it")
  func forceRefresh() async throws {
    let fixture = Fixture()
    let client = try fixture.client()
    let first = try await client.signIn().accessToken
    let second = try await client.accessToken(forceRefresh: true)
    #expect(second.token != first?.token)
    #expect(try await client.accessToken().token == second.token)
    #expect(fixture.tenant.counters.refreshes == 1)
  }

  @Test("forceRefresh is not served by another cached token that covers the same scopes")
  func clearingSeveral() async throws {
    let (fixture, client) = try await Fixture().signedIn()
    let narrow = [fixture.tenant.apiScopes[0]]
    var seen: Set<Secret> = []
    for _ in 0..<3 {
      seen.insert(try await client.accessToken(for: narrow, forceRefresh: true).token)
    }
    #expect(seen.count == 3)
    #expect(fixture.tenant.counters.refreshes == 3)
  }

  @Test("A valid token is served when an early refresh wants the user; after a definite end it is not")
  func earlyRefreshRefused() async throws {
    let fixture = Fixture()
    let client = try fixture.client()
    let first = try await client.signIn().accessToken
    await fixture.clock.advance(by: .seconds(3_400))
    fixture.transport.answerTokens(400, #"{"error":"interaction_required"}"#)
    #expect(try await client.accessToken().token == first?.token)
    fixture.transport.letEverythingPass()
    fixture.transport.answerTokens(400, #"{"error":"invalid_grant","error_description":"AADB2C90129: Text."}"#)
    await fixture.clock.advance(by: .seconds(61))
    await expectError(ConnectorError.self, .interactionRequired) { try await client.accessToken() }
  }

  @Test("A claims challenge is answered silently: the refresh carries the claims, the cached token is not served")
  func claims() async throws {
    let fixture = Fixture(shape: .entra)
    let client = try fixture.client()
    let first = try await client.signIn().accessToken
    let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1767225600"}}}"#
    let token = try await client.accessToken(claims: claims)
    #expect(token.token != first?.token)
    #expect(fixture.transport.tokenForms.last?["claims"] == claims)
    // The new token is the cached one from now on.
    #expect(try await client.accessToken().token == token.token)
    fixture.transport.answerTokens(
      400, #"{"error":"interaction_required","error_codes":[50076],"claims":"{\"a\":1}"}"#, grant: "refresh_token")
    let error = try await #require(throws: ConnectorError.self) { try await client.accessToken(claims: claims) }
    #expect(error.needsInteraction && error.claims == #"{"a":1}"#)
  }

  @Test("Without a sign-in the answer is: a sign-in is needed")
  func nobody() async throws {
    let error = try await #require(throws: ConnectorError.self) { try await Fixture().client().accessToken() }
    #expect(error.code == .interactionRequired)
    #expect(error.needsInteraction && !error.isRetryable)
  }

  @Test("Openid alone brings claims but no token, and the id_token never stands in for one")
  func openidOnly() async throws {
    let fixture = Fixture()
    let client = try fixture.client(scopes: ["openid", "profile"])
    let result = try await client.signIn()
    #expect(result.accessToken == nil)
    await expectError(ConnectorError.self, .missingAPIScope) { try await client.accessToken() }
    #expect(try await fixture.record().accessTokens.isEmpty)
  }

  @Test("The client id is a scope like any other and brings an access token for oneself")
  func ownScope() async throws {
    let fixture = Fixture()
    let client = try fixture.client(scopes: [LocalTenant.standardClientID])
    #expect(try await client.signIn().accessToken != nil)
    #expect(fixture.transport.tokenForms[0]["scope"]?.contains(LocalTenant.standardClientID) == true)
  }

  @Test("Several resources stand side by side in one record")
  func resources() async throws {
    let fixture = Fixture()
    let client = try fixture.client()
    let tasks = try await client.signIn().accessToken
    let own = try await client.accessToken(for: [LocalTenant.standardClientID])
    #expect(own.token != tasks?.token)
    #expect(try await client.accessToken().token == tasks?.token)
    #expect(try await client.accessToken(for: [LocalTenant.standardClientID.uppercased()]).token == own.token)
    #expect(try await client.accessToken(for: [fixture.tenant.apiScopes[0]]).token == tasks?.token)
    #expect(fixture.tenant.counters.refreshes == 1)
    #expect(try await fixture.cache.keys().count == 1)
  }

  @Test("Fewer scopes than asked for: the call succeeds, says so, and does not ask again")
  func smallerGrant() async throws {
    let fixture = Fixture { $0.grantedScopes = { $0.filter { !$0.hasSuffix("write") } } }
    let client = try fixture.client()
    try await client.signIn()
    let token = try await client.accessToken()
    #expect(!token.scopes.contains(fixture.tenant.apiScopes[1]))
    // The stored form keeps what was asked for, so that a new launch does not ask again either.
    let key = try #require(try await fixture.cache.keys().first)
    let record = try #require(try await fixture.cache.record(for: key))
    try await fixture.cache.store(
      JSONDecoder().decode(TokenRecord.self, from: JSONEncoder().encode(record)), for: key)
    #expect(try await fixture.client().accessToken().token == token.token)
    #expect(fixture.tenant.counters.refreshes == 0)
  }
}
