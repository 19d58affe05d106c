internal import B2CCore

/// Adds updates and refresh locks to a cache of four methods, among all its users in this process.
///
/// Other processes over the same store are not kept out; for them the store itself has to be a ``SharedTokenCache``.
package final class LocallySharedTokenCache: SharedTokenCache {
  private let cache: any TokenCache
  private let locks: CacheState.Locks
  private let lockTimeout: Duration
  private let clock: any Clock<Duration>

  package init(
    _ cache: any TokenCache, lockTimeout: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.cache = cache
    self.lockTimeout = lockTimeout
    self.clock = clock
    locks = CacheRegistry.state(of: cache).locks
  }

  package func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    try await cache.record(for: key)
  }

  package func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try await locks.writes.withLock(key, timeout: lockTimeout, on: clock) { try await cache.store(record, for: key) }
  }

  package func removeRecord(for key: TokenCacheKey) async throws {
    try await locks.writes.withLock(key, timeout: lockTimeout, on: clock) { try await cache.removeRecord(for: key) }
  }

  package func keys() async throws -> [TokenCacheKey] {
    try await cache.keys()
  }

  package func update(
    _ key: TokenCacheKey, _ change: @escaping @Sendable (TokenRecord?) -> TokenRecord?
  ) async throws -> TokenRecord? {
    try await locks.writes.withLock(key, timeout: lockTimeout, on: clock) { try await cache.change(key, change) }
  }

  package func withRefreshLock<Result: Sendable>(
    for key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await locks.refreshes.withLock(key, timeout: lockTimeout, on: clock, body)
  }
}

extension TokenCache {
  /// Changes the record of a key as it is in the store; the caller holds the write lock.
  ///
  /// - Returns: The record that is kept, or `nil`.
  func change(
    _ key: TokenCacheKey, _ change: @Sendable (TokenRecord?) -> TokenRecord?
  ) async throws -> TokenRecord? {
    let old = try await record(for: key)
    let new = change(old)
    // Also where there is no record: a removal that failed may have left something.
    guard new != old || new == nil else { return old }
    if let new {
      try await store(new, for: key)
    } else {
      try await removeRecord(for: key)
    }
    return new
  }

  /// The cache with updates and refresh locks: its own where it is a ``SharedTokenCache``, those of its process otherwise.
  ///
  /// - Parameter clock: The clock that waiting for the process's own locks is measured on.
  /// - Returns: The shared cache.
  package func shared(on clock: any Clock<Duration>) -> any SharedTokenCache {
    if let encrypted = self as? EncryptedTokenCache { return encrypted.waiting(on: clock) }
    return self as? any SharedTokenCache ?? LocallySharedTokenCache(self, clock: clock)
  }
}
