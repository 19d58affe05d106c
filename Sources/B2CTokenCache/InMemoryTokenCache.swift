internal import B2CCore

/// A token cache that lasts as long as the process: a dictionary behind a lock.
public final class InMemoryTokenCache: TokenCache {
  private let records = Locked<[TokenCacheKey: TokenRecord]>([:])

  /// Creates an empty cache.
  package init() {}

  /// Returns the record of a key, or `nil` when there is none.
  public func record(for key: TokenCacheKey) async -> TokenRecord? { records.withLock { $0[key] } }

  /// Keeps a record, replacing the one that was there.
  public func store(_ record: TokenRecord, for key: TokenCacheKey) async { records.withLock { $0[key] = record } }

  /// Removes the record of a key, if there is one.
  public func removeRecord(for key: TokenCacheKey) async { records.withLock { $0[key] = nil } }

  /// Returns the keys of all records, in any order.
  public func keys() async -> [TokenCacheKey] { records.withLock { Array($0.keys) } }
}

extension TokenCache where Self == InMemoryTokenCache {
  /// Makes an empty cache that lasts as long as the process.
  ///
  /// - Returns: The cache.
  public static func memory() -> InMemoryTokenCache { InMemoryTokenCache() }
}
