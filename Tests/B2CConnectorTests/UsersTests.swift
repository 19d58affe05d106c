import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Several users, policies and clients over one cache.
@Suite("Users", .hangLimit)
struct UsersTests {
  @Test("A named user is looked up by the id, without listing the cache, and nobody has an empty or an unknown id")
  func named() async throws {
    let cache = FailingCache()
    let stage = try await SignedInScene(Scene(cache: cache), after: 0)
    let relaunched = try stage.other()
    _ = try await relaunched.accessToken()
    cache.failsToList.withLock { $0 = true }
    let token = try await relaunched.accessToken(user: UserInfo(id: stage.alice.user.id)).token
    #expect(token == stage.alice.accessToken?.token)
    for id in ["", "nobody.nowhere"] {
      await expectError(ConnectorError.self, .interactionRequired) {
        try await relaunched.accessToken(user: UserInfo(id: id))
      }
    }
  }

  @Test("A sign-in with another policy replaces the session, even by less, which is renewed and ended with that policy")
  func twoPolicies() async throws {
    let stage = try await SignedInScene(after: 0)
    let (scene, connector, other) = (stage.scene, stage.connector, try Policy("B2C_1_SignUpOrSignIn"))
    let second = try await connector.signIn(policy: other, options: SignInOptions(prompt: .login))
    #expect(second.user.id == stage.alice.user.id)
    #expect(try await connector.users().map(\.policyID) == [other.id])
    #expect(try await scene.cache.keys().count == 1)
    #expect(try await connector.accessToken().token == second.accessToken?.token)
    await scene.expire()
    _ = try await connector.accessToken()
    let request = try #require(scene.transport.requests.last { $0.isTokenRequest })
    #expect(request.url?.absoluteString.contains(other.id) == true)
    scene.expectRefreshes(1)
    scene.tenant.behavior.changeTokenAnswer = { $0["refresh_token"] = nil }
    let third = try await connector.signIn(policy: other, options: SignInOptions(prompt: .login))
    #expect(try await scene.record().refreshToken == nil)
    #expect(try await connector.accessToken().token == third.accessToken?.token)
    try await connector.signOut(endsBrowserSession: true)
    #expect(query(of: try #require(stage.presenter.requests.last).url)["p"] == other.id)
  }

  @Test("Clients with another client ID or authority over the same cache see nothing of each other")
  func neighbours() async throws {
    let stage = try await SignedInScene(after: 0)
    let (cache, own) = (stage.scene.cache, try #require(try await stage.scene.cache.keys().first))
    let neighbours = [
      TokenCacheKey(authority: "https://other.example/tenant", clientID: own.clientID, userID: own.userID),
      TokenCacheKey(authority: own.authority, clientID: "other", userID: own.userID),
    ]
    for key in neighbours { try await cache.store(TokenRecord(signedInAt: .distantFuture), for: key) }
    #expect(try await stage.connector.users().count == 1)
    let authority = try Authority("https://fabrikam.b2clogin.com/fabrikam.onmicrosoft.com")
    let other = try stage.scene.connector(stage.scene.settings { $0.authority = authority })
    await expectError(ConnectorError.self, .interactionRequired) { try await other.accessToken() }
    #expect(try await other.session == .signedOut)
    #expect(try await stage.connector.accessToken().token == stage.alice.accessToken?.token)
    try await stage.connector.signOut()
    #expect(Set(try await cache.keys()) == Set(neighbours))
  }

  @Test(
    "Client IDs that differ in case have the same users at Microsoft's authorities only",
    arguments: [(LocalTenant.Shape.b2c, 1), (.entra, 1), (.openIDConnect, 0)])
  func clientCase(_ shape: LocalTenant.Shape, _ seen: Int) async throws {
    let scene = Scene(shape: shape)
    let upper = try scene.connector(scene.settings { $0.clientID = "TodoApp" })
    let lower = try scene.connector(scene.settings { $0.clientID = "todoapp" })
    let stored = TokenCacheKey(
      authority: try Authority(scene.tenant.authority(), kind: shape == .entra ? .entra : nil).cacheID,
      clientID: shape == .openIDConnect ? "TodoApp" : "todoapp", userID: "person.tenant")
    try await scene.cache.store(TokenRecord(signedInAt: scene.clock.date), for: stored)
    #expect(try await upper.users().count == 1)
    #expect(try await lower.users().count == seen)
  }
}
