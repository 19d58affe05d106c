import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The work of one user does not grow with the others: cache calls are counted, and equal at 1, 1,000 and 10,000 users.
@Suite("Cache calls", .hangLimit)
struct CacheCallsTests {
  @Test(
    "A sign-in, a call, a sign-out and a call after the session has ended make as many calls at 10,000 users as at one",
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
    let scene = Scene(shape: shape, cache: cache)
    let presenter = scene.script(.signIn(.bob))
    let bob = try await scene.connector(presenter: presenter).signIn()
    let own = try #require(try await cache.keys().first)
    let record = try #require(try await cache.record(for: own))
    for number in 1..<users {
      try await cache.store(
        record,
        for: TokenCacheKey(
          authority: own.authority, clientID: own.clientID, userID: "user\(number).tenant"))
    }
    presenter.clearCookies()
    presenter.follow(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    // The first sign-in of a process looks at the positions of all records once.
    _ = try await connector.signIn()
    _ = cache.takeCounts()
    var counts: [String: [String: Int]] = [:]
    let alice = try await connector.signIn().user
    counts["sign-in"] = cache.takeCounts()
    // As after a new launch: a client of another cache object knows as little.
    let relaunched = try scene.connector(cache: ForwardingCache(cache))
    _ = try await relaunched.accessToken(user: alice)
    counts["first call"] = cache.takeCounts()
    _ = try await relaunched.accessToken(user: alice)
    counts["second call"] = cache.takeCounts()
    _ = try await relaunched.user(id: alice.id)
    counts["look-up"] = cache.takeCounts()
    _ = try await connector.accessToken(user: bob.user)
    counts["call of another"] = cache.takeCounts()
    try await connector.signOut(alice)
    counts["sign-out"] = cache.takeCounts()
    scene.tenant.revokeGrants()
    await scene.clock.advance(by: .seconds(4_000))
    for _ in 0..<2 {
      _ = cache.takeCounts()
      await expectError(ConnectorError.self, .interactionRequired) { try await connector.accessToken(user: bob.user) }
    }
    counts["ended session"] = cache.takeCounts()
    return counts
  }
}
