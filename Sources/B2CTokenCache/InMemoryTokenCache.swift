internal import B2CCore

/// A token cache that keeps records in memory until the process ends.
public final class InMemoryTokenCache: TokenCache {
  private let records = Locked<[TokenCacheKey: TokenRecord]>([:])

  /// Creates an empty cache.
  package init() {}

  /// Returns the record of a key, or `nil` if there is none.
  public func record(for key: TokenCacheKey) async -> TokenRecord? { records.withLock { $0[key] } }

  /// Stores a record, replacing the previous record of the key.
  public func store(_ record: TokenRecord, for key: TokenCacheKey) async { records.withLock { $0[key] = record } }

  /// Removes the record of a key, if there is one.
  public func removeRecord(for key: TokenCacheKey) async { records.withLock { $0[key] = nil } }

  /// Returns the keys of all records, in any order.
  public func keys() async -> [TokenCacheKey] { records.withLock { Array($0.keys) } }
}

extension TokenCache where Self == InMemoryTokenCache {
  /// Creates an empty cache that keeps records in memory until the process ends.
  ///
  /// - Returns: The cache.
  public static func memory() -> InMemoryTokenCache { InMemoryTokenCache() }
}
