import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport

extension Row {
  static let userGrowth = Row(
    number: "2", title: "growth with the number of users, 10,000 against 1",
    meaning: """
      On a device or a server that many people have used, a call must be as quick as on a new one. The baseline is the \
      same call with one user in the cache.
      """
  ) { context in
    let (one, many) = (
      CountingCache(try await Scene.memoryCache(users: 1)),
      CountingCache(try await Scene.memoryCache(users: context.manyUsers))
    )
    let (small, large) = (try Scene.connector(one), try Scene.connector(many))
    let user = Scene.user(0)
    let hit = try await Pairs.compare(context, by: .processor) { count in
      for _ in 0..<count { _ = try await small.accessToken(user: user) }
    } subject: { count in
      for _ in 0..<count { _ = try await large.accessToken(user: user) }
    }
    let lookUp = try await Pairs.compare(context, by: .processor) { count in
      for _ in 0..<count { _ = try await small.user(id: user.id) }
    } subject: { count in
      for _ in 0..<count { _ = try await large.user(id: user.id) }
    }
    many.reads.withLock { $0 = 0 }
    _ = try require(try await large.user(id: user.id), "the user")
    let reads = many.reads.withLock { $0 }
    return [
      Measurement("hit", hit, goal: 1.1),
      Measurement("user(id:)", lookUp, goal: 1.1),
      Measurement(count: "user(id:), records read", Double(reads), "records", goal: 1),
    ]
  }
}

/// A cache that counts how many records are read.
final class CountingCache: TokenCache {
  let reads = Locked(0)
  private let cache: InMemoryTokenCache

  init(_ cache: InMemoryTokenCache) {
    self.cache = cache
  }

  func record(for key: TokenCacheKey) async -> TokenRecord? {
    reads.withLock { $0 += 1 }
    return await cache.record(for: key)
  }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async { await cache.store(record, for: key) }

  func removeRecord(for key: TokenCacheKey) async { await cache.removeRecord(for: key) }

  func keys() async -> [TokenCacheKey] { await cache.keys() }
}
