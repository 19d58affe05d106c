extension EncryptedTokenCache: ExclusiveTokenCache where Wrapped: ExclusiveTokenCache {
  /// Runs a body while nobody else holds the same key, by the wrapped cache's means.
  ///
  /// - Parameters:
  ///   - key: The key to hold.
  ///   - body: What to do meanwhile.
  /// - Returns: What the body returns.
  /// - Throws: As the wrapped cache; otherwise what the body throws.
  public func withExclusiveAccess<Result: Sendable>(
    to key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await wrapped.withExclusiveAccess(to: key, body)
  }
}

extension EncryptedTokenCache {
  /// Encrypts every record that an older key has sealed with the newest one, after which old keys can be removed.
  ///
  /// Where the wrapped cache offers exclusive access, no refresh can come between reading and writing a record.
  ///
  /// - Returns: How many records were encrypted anew.
  /// - Throws: The first error; the records that were done until then stay done.
  @discardableResult
  public func resealRecords() async throws -> Int {
    var count = 0
    for key in try await wrapped.keys() {
      let isResealed =
        if let exclusive = wrapped as? any ExclusiveTokenCache {
          try await exclusive.withExclusiveAccess(to: key) { try await reseal(key) }
        } else {
          try await reseal(key)
        }
      if isResealed { count += 1 }
    }
    return count
  }
}
