internal import B2CCore
package import B2CTokenCache

/// A cache of the four methods alone, as an app may write it.
package final class FourMethodCache: TokenCache {
  private let records = Locked<[TokenCacheKey: TokenRecord]>([:])

  package init() {}

  package func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    await Task.yield()
    return records.withLock { $0[key] }
  }

  package func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    await Task.yield()
    records.withLock { $0[key] = record }
  }

  package func removeRecord(for key: TokenCacheKey) async throws { records.withLock { $0[key] = nil } }
  package func keys() async throws -> [TokenCacheKey] { records.withLock { Array($0.keys) } }
}

/// The same as an actor.
package actor FourMethodActor: TokenCache {
  private var records: [TokenCacheKey: TokenRecord] = [:]

  package init() {}

  package func record(for key: TokenCacheKey) -> TokenRecord? { records[key] }
  package func store(_ record: TokenRecord, for key: TokenCacheKey) { records[key] = record }
  package func removeRecord(for key: TokenCacheKey) { records[key] = nil }
  package func keys() -> [TokenCacheKey] { Array(records.keys) }
}

/// The calls of a cache.
package enum CacheCall: String, Sendable {
  case record, store, removeRecord, keys
}

/// A cache that passes each call on to another cache, after a look at it.
package protocol WrappingCache: TokenCache {
  var inner: any TokenCache { get }

  /// Waits, counts or throws before a call; the key is `nil` for ``CacheCall/keys``.
  func before(_ call: CacheCall, _ key: TokenCacheKey?) async throws
}

extension WrappingCache {
  package func before(_ call: CacheCall, _ key: TokenCacheKey?) async throws {}

  package func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    try await before(.record, key)
    return try await inner.record(for: key)
  }

  package func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try await before(.store, key)
    try await inner.store(record, for: key)
  }

  package func removeRecord(for key: TokenCacheKey) async throws {
    try await before(.removeRecord, key)
    try await inner.removeRecord(for: key)
  }

  package func keys() async throws -> [TokenCacheKey] {
    try await before(.keys, nil)
    return try await inner.keys()
  }
}

/// Another process's view of a store: the two have nothing but the records in common.
package final class ForwardingCache: WrappingCache {
  package let inner: any TokenCache

  package init(_ store: any TokenCache) { inner = store }
}
