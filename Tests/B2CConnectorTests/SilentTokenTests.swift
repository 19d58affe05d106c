import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Silent tokens", .hangLimit)
struct SilentTokenTests {
  @Test("A cached token is served without a request")
  func hit() async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let first = try await connector.signIn().accessToken
    let before = scene.network.requestCount
    for _ in 0..<100 { #expect(try await connector.accessToken().token == first?.token) }
    #expect(scene.network.requestCount == before)
    #expect(scene.events.values.filter { $0.step == .cacheHit }.count == 100)
  }

  @Test(
    "A token is renewed when less than the margin or half its life is left, or when the server wants it",
    arguments: [
      (lifetime: 3_600, refreshIn: nil, seconds: 3_299, refreshes: 0), (3_600, nil, 3_301, 1),
      (300, nil, 149, 0), (300, nil, 151, 1), (3_600, 600, 599, 0), (3_600, 600, 601, 1),
    ] as [(lifetime: Int, refreshIn: Int64?, seconds: Int, refreshes: Int)])
  func margin(_ row: (lifetime: Int, refreshIn: Int64?, seconds: Int, refreshes: Int)) async throws {
    let scene = Scene(lifetime: .seconds(row.lifetime)) {
      if let refreshIn = row.refreshIn { $0.changeTokenAnswer = { $0["refresh_in"] = .integer(refreshIn) } }
    }
    _ = try await scene.signedIn(after: row.seconds).accessToken()
    #expect(scene.tenant.counters.refreshes == row.refreshes)
  }

  @Test("A valid token is served when an early refresh fails", arguments: [400, 429, 500, 503])
  func earlyRefreshFails(status: Int) async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let first = try await connector.signIn().accessToken
    await scene.clock.advance(by: .seconds(3_400))
    scene.transport.answerTokens(status, "")
    #expect(try await connector.accessToken().token == first?.token)
    #expect(scene.events.values.contains { $0.step == .staleTokenServed })
    await scene.clock.advance(by: .seconds(300))
    await #expect(throws: ConnectorError.self) { try await connector.accessToken() }
    scene.transport.letEverythingPass()
    #expect(try await connector.accessToken().token != first?.token)
  }

  @Test("forceRefresh ignores the cached token and replaces it")
  func forceRefresh() async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let first = try await connector.signIn().accessToken
    let second = try await connector.accessToken(forceRefresh: true)
    #expect(second.token != first?.token)
    #expect(try await connector.accessToken().token == second.token)
    #expect(scene.tenant.counters.refreshes == 1)
  }

  @Test("forceRefresh is not served by another cached token that covers the same scopes")
  func clearingSeveral() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    let narrow = [scene.tenant.apiScopes[0]]
    var seen: Set<Secret> = []
    for _ in 0..<3 {
      seen.insert(try await connector.accessToken(scopes: narrow, forceRefresh: true).token)
    }
    #expect(seen.count == 3)
    #expect(scene.tenant.counters.refreshes == 3)
  }

  @Test("A valid token is served when an early refresh wants the user; after a definite end it is not")
  func earlyRefreshRefused() async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let first = try await connector.signIn().accessToken
    await scene.clock.advance(by: .seconds(3_400))
    scene.transport.answerTokens(400, #"{"error":"interaction_required"}"#)
    #expect(try await connector.accessToken().token == first?.token)
    scene.transport.letEverythingPass()
    scene.transport.answerTokens(400, #"{"error":"invalid_grant","error_description":"AADB2C90129: Text."}"#)
    await scene.clock.advance(by: .seconds(61))
    await expectError(ConnectorError.self, .interactionRequired) { try await connector.accessToken() }
  }

  @Test("A claims challenge is answered silently: the refresh carries the claims, the cached token is not served")
  func claims() async throws {
    let scene = Scene(shape: .entra)
    let connector = try scene.connector()
    let first = try await connector.signIn().accessToken
    let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1767225600"}}}"#
    let token = try await connector.accessToken(claims: claims)
    #expect(token.token != first?.token)
    #expect(scene.transport.tokenForms.last?["claims"] == claims)
    // The new token is the cached one from now on.
    #expect(try await connector.accessToken().token == token.token)
    scene.transport.answerTokens(
      400, #"{"error":"interaction_required","error_codes":[50076],"claims":"{\"a\":1}"}"#, grant: "refresh_token")
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken(claims: claims) }
    #expect(error.needsInteraction && error.claims == #"{"a":1}"#)
  }

  @Test("Without a sign-in the answer is: a sign-in is needed")
  func nobody() async throws {
    let error = try await #require(throws: ConnectorError.self) { try await Scene().connector().accessToken() }
    #expect(error.code == .interactionRequired)
    #expect(error.needsInteraction && !error.isRetryable)
  }

  @Test("Openid alone brings claims but no token, and the id_token never stands in for one")
  func openidOnly() async throws {
    let scene = Scene()
    let connector = try scene.connector(scene.settings { $0.scopes = ["openid", "profile"] })
    let result = try await connector.signIn()
    #expect(result.accessToken == nil)
    await expectError(ConnectorError.self, .missingAPIScope) { try await connector.accessToken() }
    #expect(try await scene.record().accessTokens.isEmpty)
  }

  @Test("The client id is a scope like any other and brings an access token for oneself")
  func ownScope() async throws {
    let scene = Scene()
    let connector = try scene.connector(scene.settings { $0.scopes = [LocalTenant.standardClientID] })
    #expect(try await connector.signIn().accessToken != nil)
    #expect(scene.transport.tokenForms[0]["scope"]?.contains(LocalTenant.standardClientID) == true)
  }

  @Test("Several resources stand side by side in one record")
  func resources() async throws {
    let scene = Scene()
    let connector = try scene.connector()
    let tasks = try await connector.signIn().accessToken
    let own = try await connector.accessToken(scopes: [LocalTenant.standardClientID])
    #expect(own.token != tasks?.token)
    #expect(try await connector.accessToken().token == tasks?.token)
    #expect(try await connector.accessToken(scopes: [LocalTenant.standardClientID.uppercased()]).token == own.token)
    #expect(try await connector.accessToken(scopes: [scene.tenant.apiScopes[0]]).token == tasks?.token)
    #expect(scene.tenant.counters.refreshes == 1)
    #expect(try await scene.cache.keys().count == 1)
  }

  @Test("Fewer scopes than asked for: the call succeeds, says so, and does not ask again")
  func smallerGrant() async throws {
    let scene = Scene { $0.grantedScopes = { $0.filter { !$0.hasSuffix("write") } } }
    let connector = try scene.connector()
    try await connector.signIn()
    let token = try await connector.accessToken()
    #expect(!token.scopes.contains(scene.tenant.apiScopes[1]))
    // The stored form keeps what was asked for, so that a new launch does not ask again either.
    let key = try #require(try await scene.cache.keys().first)
    let record = try #require(try await scene.cache.record(for: key))
    try await scene.cache.store(
      JSONDecoder().decode(TokenRecord.self, from: JSONEncoder().encode(record)), for: key)
    #expect(try await scene.connector().accessToken().token == token.token)
    #expect(scene.tenant.counters.refreshes == 0)
  }
}
