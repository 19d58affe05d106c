@_exported public import B2CCore

/// A store for tokens between calls and between launches.
///
/// Four short methods are the whole contract: no callbacks, no ordering, no rules about threads. Absence is `nil`; an error
/// means that the cache failed, and then nothing is concluded about what it holds. The caches of this package say only
/// which errors they throw; all else is said here and at ``SharedTokenCache``.
public protocol TokenCache: Sendable {
  /// Returns the record of a key.
  ///
  /// - Parameter key: The key to look up.
  /// - Returns: The record, or `nil` when there is none.
  /// - Throws: ``TokenCacheError``, or the cache's own error, when it cannot be read.
  func record(for key: TokenCacheKey) async throws -> TokenRecord?

  /// Stores a record, replacing the one that was there.
  ///
  /// - Parameters:
  ///   - record: The record to keep.
  ///   - key: The key to keep it under.
  /// - Throws: ``TokenCacheError``, or the cache's own error, when it cannot be written; the old record then stays.
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws

  /// Removes the record of a key, if there is one.
  ///
  /// - Parameter key: The key to remove.
  /// - Throws: ``TokenCacheError``, or the cache's own error, when it cannot be removed.
  func removeRecord(for key: TokenCacheKey) async throws

  /// Returns the keys of all records, in any order.
  ///
  /// - Returns: Each key once.
  /// - Throws: ``TokenCacheError``, or the cache's own error, when they cannot be listed.
  func keys() async throws -> [TokenCacheKey]
}
