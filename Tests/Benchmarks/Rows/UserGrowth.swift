import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport

extension Row {
  static let userGrowth = Row(
    number: "2", title: "growth with the number of users, 10,000 against 1",
    meaning: "a device that many people have used is as quick as a new one"
  ) { context in
    let (one, many) = (
      CountingCache(try await Scene.memoryCache(users: 1)),
      CountingCache(try await Scene.memoryCache(users: context.manyUsers))
    )
    let (small, large) = (try Scene.client(one), try Scene.client(many))
    let user = Scene.user(0)
    let hit = try await Pairs.compare(context, by: .processor) { count in
      for _ in 0..<count { _ = try await small.accessToken(user: user) }
    } subject: { count in
      for _ in 0..<count { _ = try await large.accessToken(user: user) }
    }
    // The keys are given, so that what is left is finding and reading the record.
    let key = try Scene.key(0)
    let (unlistedSmall, unlistedLarge) = (
      try Scene.client(one.listing([key])), try Scene.client(many.listing([key]))
    )
    let record = try await Pairs.compare(context, by: .processor) { count in
      for _ in 0..<count { _ = try await unlistedSmall.user(id: user.id) }
    } subject: { count in
      for _ in 0..<count { _ = try await unlistedLarge.user(id: user.id) }
    }
    many.reads.withLock { $0 = 0 }
    _ = try require(try await large.user(id: user.id), "the user")
    let reads = many.reads.withLock { $0 }
    let listing = try await Pairs.compare(context, by: .processor) { count in
      for _ in 0..<count { _ = try await small.user(id: user.id) }
    } subject: { count in
      for _ in 0..<count { _ = try await large.user(id: user.id) }
    }
    return [
      Measurement("hit", hit, goal: 1.2),
      Measurement("user(id:), listing excluded", record, goal: 2),
      Measurement(count: "user(id:), records read", Double(reads), "records", goal: 1),
      Measurement(
        "user(id:), listing included", listing.subject.median * 1e6, "µs",
        remark: "of \(context.manyUsers) users; the keys are listed since any policy may have a record of it"),
    ]
  }
}

/// A cache that counts how many records are read.
final class CountingCache: SharedTokenCache {
  let reads = Locked(0)
  private let cache: InMemoryTokenCache
  private let listed: [TokenCacheKey]?

  init(_ cache: InMemoryTokenCache, listed: [TokenCacheKey]? = nil) {
    self.cache = cache
    self.listed = listed
  }

  /// The same records, of which only some are listed.
  func listing(_ keys: [TokenCacheKey]) -> CountingCache { CountingCache(cache, listed: keys) }

  func record(for key: TokenCacheKey) async -> TokenRecord? {
    reads.withLock { $0 += 1 }
    return await cache.record(for: key)
  }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async { await cache.store(record, for: key) }

  func removeRecord(for key: TokenCacheKey) async { await cache.removeRecord(for: key) }

  func keys() async -> [TokenCacheKey] {
    if let listed { listed } else { await cache.keys() }
  }

  func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async -> Bool {
    await cache.replace(key, expecting: stamp, with: record)
  }

  func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws {
    try await cache.withRefreshLock(for: key, work)
  }
}
