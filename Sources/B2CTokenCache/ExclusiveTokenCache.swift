/// A token cache that several processes share: it can keep the others away from one key for a while.
///
/// With it, a refresh token is spent once however many processes wait for it. The body reads and writes through the
/// cache as usual. The engine holds ``TokenCacheKey/forSpending`` while it waits for the network and takes the key itself
/// inside, for the moment of writing; it asks for nothing else inside a body. So one lock for all keys is too few: two, one
/// of them for the keys that are ``TokenCacheKey/isForSpending``, are enough.
public protocol ExclusiveTokenCache: TokenCache {
  /// Runs a body while no other process and no other caller holds the same key.
  ///
  /// - Parameters:
  ///   - key: The key to hold.
  ///   - body: What to do meanwhile.
  /// - Returns: What the body returns.
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/lockTimedOut`` when the key does not come free in
  ///   time (the body has not run then); otherwise what the body throws.
  func withExclusiveAccess<Result: Sendable>(
    to key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result
}
