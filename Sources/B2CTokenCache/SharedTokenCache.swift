/// A token cache that several processes share.
///
/// With its two methods a refresh token is used once, however many processes wait for a new access token: the engine holds
/// the refresh lock during the token request, reads the record again inside, and writes the answer with an update.
/// Sign-in and sign-out never take the refresh lock, so neither waits for a request.
public protocol SharedTokenCache: TokenCache {
  /// Changes the record of a key in one atomic step.
  ///
  /// No store, removal or update by another caller or process comes between reading and writing: a transaction, or a
  /// compare-and-set that starts again when it fails.
  ///
  /// - Parameters:
  ///   - key: The key of the record.
  ///   - change: Receives the record, or `nil` when there is none, and returns the record to keep, or `nil` to keep none.
  ///     It must be quick, must not use the cache, and may be called more than once. A record returned unchanged need not
  ///     be written.
  /// - Returns: The record that is kept, or `nil`.
  /// - Throws: ``TokenCacheError``, or the cache's own error; the old record then stays.
  @discardableResult
  func update(
    _ key: TokenCacheKey, _ change: @escaping @Sendable (TokenRecord?) -> TokenRecord?
  ) async throws -> TokenRecord?

  /// Runs a body while no other caller or process holds the refresh lock of the same key.
  ///
  /// The lock is held for one token request. It does not lock the record: reading, storing, updating and removing go on
  /// beside it, inside the body as well as elsewhere; taking the same lock there again times out. A caller that is
  /// cancelled while it waits leaves. The lock is released when the body returns or throws, and when its process ends.
  ///
  /// Write the body's type as `@concurrent @Sendable () async throws -> Result` in a module with approachable concurrency
  /// (`NonisolatedNonsendingByDefault`), which new projects of Xcode 26 have. Swift 6.1 does not know `@concurrent`.
  ///
  /// - Parameters:
  ///   - key: The key whose refresh token is about to be used.
  ///   - body: The work to do meanwhile.
  /// - Returns: What the body returns.
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/lockTimedOut`` when the lock is not free in time and
  ///   `CancellationError` when the task is cancelled first (the body has not run then); otherwise what the body throws.
  func withRefreshLock<Result: Sendable>(
    for key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result

  /// Returns a number that is another one after any process has stored or removed a record.
  ///
  /// It must cost little, such as reading a counter of the database or the date of a directory: it is asked for at each
  /// call that does not name both a user and a policy. With it a sign-in by another process is noticed at the next
  /// call; without it when the app reads its session. Optional; `nil` by default.
  ///
  /// - Returns: The number, which is compared for equality only; `nil` when the cache cannot tell.
  /// - Throws: ``TokenCacheError``, or the cache's own error, when it cannot be read.
  func changeStamp() async throws -> Int?
}

extension SharedTokenCache {
  /// `nil`, unless a cache can tell.
  public func changeStamp() async throws -> Int? { nil }
}
