/// Where tokens are kept between calls and between launches.
///
/// Four short methods, nothing owed beyond them: no callbacks, no ordering, no rules about threads. Absence is `nil`;
/// an error means that the cache failed, and then nothing is concluded about what it holds.
public protocol TokenCache: Sendable {
  /// Reads the record of a key.
  ///
  /// - Parameter key: The key to look up.
  /// - Returns: The record, or `nil` when there is none.
  /// - Throws: ``TokenCacheError``, or the cache's own error, when it cannot be read.
  func record(for key: TokenCacheKey) async throws -> TokenRecord?

  /// Writes a record, in place of the one that was there.
  ///
  /// - Parameters:
  ///   - record: What to keep.
  ///   - key: The key to keep it under.
  /// - Throws: ``TokenCacheError``, or the cache's own error, when it cannot be written; the old record then stays.
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws

  /// Removes the record of a key; nothing happens when there is none.
  ///
  /// - Parameter key: The key to remove.
  /// - Throws: ``TokenCacheError``, or the cache's own error, when it cannot be removed.
  func removeRecord(for key: TokenCacheKey) async throws

  /// Lists the keys of all records, in any order.
  ///
  /// - Returns: Each key once.
  /// - Throws: ``TokenCacheError``, or the cache's own error, when they cannot be listed.
  func keys() async throws -> [TokenCacheKey]

  /// Whether what the cache keeps outside the process is encrypted; a cache that says nothing is taken not to be.
  var isEncrypted: Bool { get }
}

extension TokenCache {
  /// `false`: nobody has said that it is.
  public var isEncrypted: Bool { false }
}
