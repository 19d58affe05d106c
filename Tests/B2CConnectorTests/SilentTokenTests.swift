import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The tokens that a call gets without a page.
@Suite("Silent tokens", .hangLimit)
struct SilentTokenTests {
  @Test("A cached token is returned without a request")
  func hit() async throws {
    let stage = try await SignedInScene(after: 0)
    let before = stage.scene.network.requestCount
    for _ in 0..<100 { #expect(try await stage.connector.accessToken().token == stage.alice.accessToken?.token) }
    #expect(stage.scene.network.requestCount == before)
    #expect(stage.scene.count(.cacheHit) == 100)
  }

  @Test(
    "A token is renewed when less than the margin or half its lifetime is left, or when the server suggests it",
    arguments: [
      (lifetime: 3_600, refreshIn: nil, seconds: 3_299, refreshes: 0), (3_600, nil, 3_301, 1),
      (300, nil, 149, 0), (300, nil, 151, 1), (3_600, 600, 599, 0), (3_600, 600, 601, 1),
    ] as [(lifetime: Int, refreshIn: JSONValue?, seconds: Int, refreshes: Int)])
  func margin(_ row: (lifetime: Int, refreshIn: JSONValue?, seconds: Int, refreshes: Int)) async throws {
    let scene = Scene(lifetime: .seconds(row.lifetime)) {
      $0.changeTokenAnswer = { $0["refresh_in"] = row.refreshIn }
    }
    _ = try await scene.signedIn(after: row.seconds).accessToken()
    scene.expectRefreshes(row.refreshes)
  }

  @Test("A token that has not expired is used if its renewal needs the user, and not after the end of the session")
  func renewalRefused() async throws {
    let stage = try await SignedInScene(after: 3_400)
    stage.scene.transport.answerTokens(400, #"{"error":"interaction_required"}"#)
    #expect(try await stage.connector.accessToken().token == stage.alice.accessToken?.token)
    stage.scene.transport.letEverythingPass()
    stage.scene.tenant.revokeGrants()
    await stage.scene.clock.advance(by: .seconds(61))
    await expectError(ConnectorError.self, .interactionRequired) { try await stage.connector.accessToken() }
  }

  @Test("A forced refresh returns a new token, even if another cached one covers the scopes, and replaces the old one")
  func forceRefresh() async throws {
    let stage = try await SignedInScene(after: 0)
    let narrow = [stage.scene.tenant.apiScopes[0]]
    var seen: Set<Secret?> = [stage.alice.accessToken?.token]
    for _ in 0..<3 {
      let token = try await stage.connector.accessToken(scopes: narrow, forceRefresh: true).token
      seen.insert(token)
      #expect(try await stage.connector.accessToken(scopes: narrow).token == token)
    }
    #expect(seen.count == 4)
    stage.scene.expectRefreshes(3)
  }

  @Test("A claims challenge is answered by a refresh with the claims, whose token is cached")
  func claims() async throws {
    let stage = try await SignedInScene(Scene(shape: .entra), after: 0)
    let (connector, claims) = (stage.connector, SignedInScene.claims)
    let token = try await connector.accessToken(claims: claims)
    #expect(token.token != stage.alice.accessToken?.token)
    #expect(stage.scene.transport.tokenForms.last?["claims"] == claims)
    #expect(try await connector.accessToken().token == token.token)
    stage.scene.transport.answerTokens(
      400, #"{"error":"interaction_required","error_codes":[50076],"claims":"{\"a\":1}"}"#, grant: "refresh_token")
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken(claims: claims) }
    #expect(error.needsInteraction && error.claims == #"{"a":1}"#)
  }

  @Test("Without a scope of an API there is no access token, and the id_token never replaces it")
  func openidOnly() async throws {
    let scene = Scene()
    let connector = try scene.connector(scene.settings { $0.scopes = ["openid", "profile"] })
    #expect(try await connector.signIn().accessToken == nil)
    await expectError(ConnectorError.self, .missingAPIScope) { try await connector.accessToken() }
    #expect(try await scene.record().accessTokens.isEmpty)
  }

  @Test("The tokens of several APIs are in one record, and each is found by its scopes in any case")
  func severalAPIs() async throws {
    let stage = try await SignedInScene(after: 0)
    let (connector, tasks) = (stage.connector, stage.alice.accessToken?.token)
    let own = try await connector.accessToken(scopes: SignedInScene.otherScopes).token
    #expect(own != tasks)
    for scopes in [nil, [stage.scene.tenant.apiScopes[0]]] {
      #expect(try await connector.accessToken(scopes: scopes).token == tasks)
    }
    #expect(try await connector.accessToken(scopes: [LocalTenant.standardClientID.uppercased()]).token == own)
    stage.scene.expectRefreshes(1)
    #expect(try await stage.scene.cache.keys().count == 1)
  }

  @Test(
    "A scope that was requested and not granted is not requested again while the token lasts, also after a launch",
    arguments: [LocalTenant.Shape.b2c, .entra, .openIDConnect])
  func notGranted(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape) { $0.grantedScopes = { $0.filter { !$0.hasSuffix("write") } } }
    let stage = try await SignedInScene(scene, after: 0)
    let (key, scopes) = (try #require(try await scene.cache.keys().first), scene.tenant.apiScopes)
    let stored = try JSONDecoder().decode(TokenRecord.self, from: JSONEncoder().encode(try await scene.record()))
    try await scene.cache.store(stored, for: key)
    for connector in [stage.connector, try stage.other()] {
      for wanted in [nil, scopes, scopes.reversed(), [scopes[1]], [scopes[0]], scopes.map { $0.uppercased() }] {
        let granted = try await connector.accessToken(scopes: wanted).scopes
        #expect(granted.contains { $0.hasSuffix("read") } && !granted.contains { $0.hasSuffix("write") })
      }
    }
    scene.expectRefreshes(0)
    await scene.expire()
    for _ in 0..<3 { _ = try await stage.connector.accessToken() }
    scene.expectRefreshes(1)
  }
}
