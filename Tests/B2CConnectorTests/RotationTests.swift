import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Which refresh token is used, and when it expires.
@Suite("Rotation of refresh tokens", .hangLimit)
struct RotationTests {
  @Test("Each refresh token is used once, and its successor is stored before the access token is returned")
  func chain() async throws {
    let stage = try await SignedInScene(after: 0)
    for count in 1...5 {
      await stage.scene.expire()
      let sent = try await stage.scene.record().refreshToken
      // Every second one is used by another launch.
      let token = try await (count % 2 == 0 ? stage.other() : stage.connector).accessToken().token
      let record = try await stage.scene.record()
      #expect(record.accessTokens.first?.token == token && record.refreshToken != sent)
      #expect(stage.scene.transport.tokenForms.last?["refresh_token"] == sent?.value)
      stage.scene.expectRefreshes(count)
    }
  }

  @Test("A response without a refresh token keeps the old one and its expiry")
  func noRotation() async throws {
    let stage = try await SignedInScene(
      Scene {
        $0.rotatesRefreshTokens = false
        $0.changeTokenAnswer = { $0["refresh_token_expires_in"] = 10_000 }
      }, after: 0)
    stage.scene.tenant.behavior.changeTokenAnswer = { $0["refresh_token_expires_in"] = nil }
    for hasSession in [true, true, false] {
      await stage.scene.expire()
      #expect(try await stage.connector.users().map(\.hasSession) == [hasSession])
      if hasSession { _ = try await stage.connector.accessToken() }
    }
    stage.scene.expectRefreshes(2)
  }

  @Test(
    "A new refresh token has its own expiry, or none that is known",
    arguments: [(nil, true), (9_000_000, true), ("9000000", true), (4_000, false)] as [(JSONValue?, Bool)])
  func newExpiry(_ lifetime: JSONValue?, _ lasts: Bool) async throws {
    let scene = Scene { $0.changeTokenAnswer = { $0["refresh_token_expires_in"] = 7_200 } }
    let stage = try await SignedInScene(scene, after: 3_700)
    scene.tenant.behavior.changeTokenAnswer = { $0["refresh_token_expires_in"] = lifetime }
    _ = try await stage.connector.accessToken()
    scene.expectRefreshes(1)
    // The first refresh token would have expired by now.
    await scene.clock.advance(by: .seconds(5_000))
    let user = try #require(try await stage.connector.users().first)
    #expect(user.hasSession == lasts)
    #expect(try await stage.connector.session == (lasts ? .signedIn(user) : .expired(user)))
  }

  @Test(
    "If another process has used the refresh token, its tokens are used, or its new refresh token",
    arguments: [nil, SignedInScene.otherScopes])
  func quickerProcess(_ scopes: [String]?) async throws {
    // The cache keeps no other process away.
    let stage = try await SignedInScene(Scene(cache: FourMethodCache()) { $0.refreshTokenReuse = .refused })
    let (other, transport, winner) = (try stage.other(), stage.scene.transport, Locked<Secret?>(nil))
    transport.intercept { request in
      guard request.isTokenRequest else { return nil }
      transport.letEverythingPass()
      let token = try await other.accessToken(scopes: scopes).token
      winner.withLock { $0 = token }
      return nil
    }
    let token = try await stage.connector.accessToken()
    #expect((token.token == winner.withLock { $0 }) == (scopes == nil))
    #expect(token.scopes.contains(stage.scene.tenant.apiScopes[0]))
    #expect(stage.scene.count(.retry) == (scopes == nil ? 0 : 1))
  }

  @Test("Without a refresh token, an access token is used until it expires, and the error says how to get one")
  func noRefreshToken() async throws {
    let stage = try await SignedInScene(Scene { $0.changeTokenAnswer = { $0["refresh_token"] = nil } }, after: 3_590)
    #expect(try await stage.connector.accessToken().token == stage.alice.accessToken?.token)
    await stage.scene.clock.advance(by: .seconds(10))
    for isForced in [true, false] {
      let error = try await #require(throws: ConnectorError.self) {
        try await stage.connector.accessToken(forceRefresh: isForced)
      }
      #expect(error.code == .interactionRequired && !error.message.contains("expired"))
      #expect(error.recoverySuggestion?.contains("offline_access") == true)
    }
    #expect(stage.scene.tenant.counters.refreshRequests == 0)
  }
}
