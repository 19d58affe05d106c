internal import B2CCore
package import B2CTokenCache
package import Foundation

/// A shared cache in memory.
///
/// Its refresh lock keeps callers apart as if they were processes, unless a test puts another lock in its place.
package final class SharedMemoryCache: SharedTokenCache {
  private let records: Locked<[TokenCacheKey: TokenRecord]>
  private let refreshes = KeyedLock<TokenCacheKey>()
  private let lock: (@Sendable (RefreshWork) async throws -> Void)?

  /// Makes an empty cache.
  ///
  /// - Parameter lock: Runs the work of a refresh in place of the cache's own lock.
  package init(lock: (@Sendable (RefreshWork) async throws -> Void)? = nil) {
    records = Locked([:])
    self.lock = lock
  }

  /// Makes another view of the same records, with refresh locks of its own.
  package init(sharingOnlyRecordsOf other: SharedMemoryCache) {
    records = other.records
    lock = nil
  }

  package func record(for key: TokenCacheKey) async -> TokenRecord? { records.withLock { $0[key] } }
  package func store(_ record: TokenRecord, for key: TokenCacheKey) async { records.withLock { $0[key] = record } }
  package func removeRecord(for key: TokenCacheKey) async { records.withLock { $0[key] = nil } }
  package func keys() async -> [TokenCacheKey] { records.withLock { Array($0.keys) } }

  package func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async -> Bool {
    records.withLock { records in
      guard records[key]?.stamp == stamp else { return false }
      records[key] = record
      return true
    }
  }

  package func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws {
    if let lock { try await lock(work) } else { try await refreshes.withLock(key) { await work() } }
  }
}

/// A cache that passes each call on to a shared one, unless the type changes the call.
package protocol WrappingSharedCache: WrappingCache, SharedTokenCache {
  var shared: SharedMemoryCache { get }
}

extension WrappingSharedCache {
  package var inner: any TokenCache { shared }

  package func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws {
    try await shared.withRefreshLock(for: key, work)
  }
}
