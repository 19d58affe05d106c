import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Cache calls", .hangLimit)
struct CacheCallsTests {
  @Test(
    "The calls of a cache for one user do not grow with the number of users",
    arguments: [LocalTenant.Shape.b2c, .openIDConnect])
  func calls(_ shape: LocalTenant.Shape) async throws {
    let one = try await counts(shape, users: 1)
    for users in [1_000, 10_000] { #expect(try await counts(shape, users: users) == one) }
    for operation in ["sign-in", "first call", "second call", "look-up", "call of another"] {
      #expect(one[operation]?["keys"] == nil, "\(operation) lists")
    }
    #expect(one["second call"] == ["record": 1])
    #expect(one["sign-in"]?["store"] == 1)
    #expect(one["ended session"] == ["record": 1])
  }

  private func counts(_ shape: LocalTenant.Shape, users: Int) async throws -> [String: [String: Int]] {
    let cache = CountingCache()
    // The first sign-in of a process looks at the positions of all records once.
    let stage = try await SignedInScene(Scene(shape: shape, cache: cache), after: 0)
    let (connector, bob) = (stage.connector, try await stage.signIn(.bob).user)
    let (own, record) = (try #require(try await cache.keys().first), try await stage.scene.record())
    for number in 1..<users {
      let key = TokenCacheKey(authority: own.authority, clientID: own.clientID, userID: "user\(number).tenant")
      try await cache.store(record, for: key)
    }
    var counts: [String: [String: Int]] = [:]
    func count(_ operation: String, _ call: () async throws -> Void) async throws {
      _ = cache.takeCounts()
      try await call()
      counts[operation] = cache.takeCounts()
    }
    let alice = stage.alice.user
    try await count("sign-in") { try await stage.signIn() }
    // After a new launch nothing is known.
    let relaunched = try stage.other()
    try await count("first call") { _ = try await relaunched.accessToken(user: alice) }
    try await count("second call") { _ = try await relaunched.accessToken(user: alice) }
    try await count("look-up") { _ = try await relaunched.user(id: alice.id) }
    try await count("call of another") { _ = try await connector.accessToken(user: bob) }
    try await count("sign-out") { try await connector.signOut(alice) }
    stage.scene.tenant.revokeGrants()
    await stage.scene.expire()
    for _ in 0..<2 {
      try await count("ended session") {
        await expectError(ConnectorError.self, .interactionRequired) { try await connector.accessToken(user: bob) }
      }
    }
    return counts
  }
}
