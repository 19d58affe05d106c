/// A token cache of this package, which a diagnosis reads and proves writable; a custom cache is only asked for its keys.
package protocol InspectableTokenCache: TokenCache {
  /// Whether the records are in a store of this package's: `false` for a wrapper around a custom cache.
  var isInspectable: Bool { get }

  /// Reads every record; nothing is repaired, removed or quarantined.
  ///
  /// - Returns: The keys of the records.
  /// - Throws: ``TokenCacheError`` of the first record that is not in order.
  func inspect() async throws -> [TokenCacheKey]

  /// Does what storing a record needs, and leaves the records as they are.
  ///
  /// - Throws: ``TokenCacheError``, as storing a record does.
  func proveWritable() async throws
}

extension InspectableTokenCache {
  package var isInspectable: Bool { true }

  package func inspect() async throws -> [TokenCacheKey] {
    let keys = try await keys()
    for key in keys { _ = try await record(for: key) }
    return keys
  }
}

extension InMemoryTokenCache: InspectableTokenCache {
  /// A dictionary can always be written.
  package func proveWritable() async {}
}
