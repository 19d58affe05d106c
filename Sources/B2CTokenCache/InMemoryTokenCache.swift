internal import B2CCore
public import Foundation

/// A token cache that lasts as long as the process: a dictionary behind a lock.
///
/// Refresh locks hold among the callers of one instance, since nothing else can see it.
public final class InMemoryTokenCache: SharedTokenCache {
  private let records = Locked<[TokenCacheKey: TokenRecord]>([:])
  private let refreshes = KeyedLock<TokenCacheKey>()

  /// Creates an empty cache.
  package init() {}

  /// Returns the record of a key, or `nil` when there is none.
  public func record(for key: TokenCacheKey) async -> TokenRecord? {
    records.withLock { $0[key] }
  }

  /// Keeps a record, replacing the one that was there.
  public func store(_ record: TokenRecord, for key: TokenCacheKey) async {
    records.withLock { $0[key] = record }
  }

  /// Removes the record of a key, if there is one.
  public func removeRecord(for key: TokenCacheKey) async {
    records.withLock { $0[key] = nil }
  }

  /// Returns the keys of all records, in any order.
  public func keys() async -> [TokenCacheKey] {
    records.withLock { Array($0.keys) }
  }

  /// Replaces the record of a key if it has the stamp that the caller has read.
  public func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async -> Bool {
    records.withLock { records in
      guard records[key]?.stamp == stamp else { return false }
      records[key] = record
      return true
    }
  }

  /// Runs the work of a refresh while no other caller of this instance holds the refresh lock of the same key.
  ///
  /// - Throws: `CancellationError` when the task is cancelled while it waits. The work has not run then.
  public func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws {
    try await refreshes.withLock(key) { await work() }
  }
}

extension TokenCache where Self == InMemoryTokenCache {
  /// Makes an empty cache that lasts as long as the process.
  ///
  /// - Returns: The cache.
  public static func memory() -> InMemoryTokenCache { InMemoryTokenCache() }
}
