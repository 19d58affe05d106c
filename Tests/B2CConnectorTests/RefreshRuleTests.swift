import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// When a token is renewed again, after a refresh has failed or has just been done.
@Suite("The times of a refresh", .hangLimit)
struct RefreshRuleTests {
  private static let scopes = [nil, SignedInScene.otherScopes]

  /// Alice, whose tokens for two sets of scopes have 280 seconds left.
  private func expiring() async throws -> SignedInScene {
    let stage = try await SignedInScene(Scene(limits: .standard), after: 0)
    _ = try await stage.connector.accessToken(scopes: SignedInScene.otherScopes)
    await stage.scene.clock.advance(by: .seconds(3_320))
    return stage
  }

  @Test("Only the token request is sent inside the refresh lock")
  func outsideTheLock() async throws {
    let stage = try await SignedInScene(Scene(shape: .openIDConnect))
    let scene = stage.scene
    scene.tenant.faults = [LocalFault(on: .metadata, .wait(stage.gate))]
    // A new launch waits for the metadata, and another connector over the same cache, for another API, does not.
    let call = Task { [connector = try scene.connector()] in try await connector.accessToken() }
    await stage.gate.waitForArrivals(1)
    _ = try await stage.connector.accessToken(scopes: ["openid", "profile", LocalTenant.standardClientID])
    stage.gate.open()
    _ = try await call.value
    scene.expectRefreshes(2)
  }

  @Test("A refresh that is forced or asks for claims is done each time")
  func neverHeldBack() async throws {
    let stage = try await SignedInScene(Scene(shape: .entra), after: 0)
    for _ in 0..<3 { _ = try await stage.connector.accessToken(forceRefresh: true) }
    for _ in 0..<3 { _ = try await stage.connector.accessToken(claims: SignedInScene.claims) }
    stage.scene.expectRefreshes(6)
  }

  @Test("A failed early renewal is repeated once a minute, or after the server's Retry-After", arguments: [nil, 200])
  func failsWhileValid(retryAfter: Int?) async throws {
    let stage = try await SignedInScene(after: 3_310)
    let (scene, connector, first) = (stage.scene, stage.connector, stage.alice.accessToken?.token)
    scene.refuseRefreshes(retryAfter == nil ? 503 : 429, retryAfter: retryAfter)
    let sent = { scene.transport.tokenForms.count - 1 }
    for _ in 0..<20 {
      #expect(try await connector.accessToken().token == first)
      await scene.clock.advance(by: .seconds(1))
    }
    #expect(sent() == 1)
    for (seconds, expected) in retryAfter == nil ? [(41, 2), (140, 3)] : [(41, 1), (140, 2)] {
      await scene.clock.advance(by: .seconds(seconds))
      #expect(try await connector.accessToken().token == first)
      #expect(sent() == expected)
    }
    // Nothing is held back after the token has expired.
    await scene.clock.advance(by: .seconds(100))
    for _ in 0..<2 { await #expect(throws: ConnectorError.self) { try await connector.accessToken() } }
    #expect(sent() == (retryAfter == nil ? 5 : 4))
  }

  @Test(
    "A server that asks to wait is not asked again for that user's tokens, whatever the first call wanted",
    arguments: ["claims", "force", "other scopes", "plain"])
  func wait(_ first: String) async throws {
    let stage = try await expiring()
    stage.scene.refuseRefreshes(429, times: 1, retryAfter: 200)
    _ = try? await stage.connector.accessToken(
      scopes: first == "other scopes" ? SignedInScene.otherScopes : nil, forceRefresh: first == "force",
      claims: first == "claims" ? SignedInScene.claims : nil)
    for (seconds, refreshes) in [(0, 1), (150, 1), (60, 3)] {
      await stage.scene.clock.advance(by: .seconds(seconds))
      for scopes in Self.scopes { _ = try await stage.connector.accessToken(scopes: scopes) }
      stage.scene.expectRefreshes(refreshes)
    }
  }

  @Test("A refresh with claims counts as the one of a minute for its scopes, and for no others")
  func claimsCount() async throws {
    let stage = try await expiring()
    stage.scene.refuseRefreshes(503, times: 1)
    await #expect(throws: ConnectorError.self) { try await stage.connector.accessToken(claims: SignedInScene.claims) }
    for (scopes, refreshes) in zip(Self.scopes, [1, 2]) {
      _ = try await stage.connector.accessToken(scopes: scopes)
      stage.scene.expectRefreshes(refreshes)
    }
  }

  @Test("A new sign-in ends the minute and the server's wait of the session before", arguments: [nil, 600])
  func newSignIn(retryAfter: Int?) async throws {
    // The server suggests to renew each token after ten seconds.
    let stage = try await SignedInScene(Scene { $0.changeTokenAnswer = { $0["refresh_in"] = 10 } }, after: 11)
    stage.scene.refuseRefreshes(retryAfter == nil ? 503 : 429, times: 1, retryAfter: retryAfter)
    for _ in 0..<2 { #expect(try await stage.connector.accessToken().token == stage.alice.accessToken?.token) }
    stage.scene.expectRefreshes(0)
    try await stage.signIn()
    await stage.scene.clock.advance(by: .seconds(11))
    _ = try await stage.connector.accessToken()
    stage.scene.expectRefreshes(1)
  }
}
