internal import B2CCore

/// A token cache that lasts as long as the process: a dictionary behind a lock.
///
/// Updates and refresh locks hold among the callers of one instance, since nothing else can see it.
public final class InMemoryTokenCache: SharedTokenCache {
  private let records = Locked<[TokenCacheKey: TokenRecord]>([:])
  private let refreshes = KeyedLock<TokenCacheKey>()
  private let lockTimeout: Duration
  private let clock: any Clock<Duration>

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - lockTimeout: How long ``withRefreshLock(for:_:)`` waits for a lock that another caller holds.
  ///   - clock: The clock that the wait is measured on.
  public init(lockTimeout: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock()) {
    self.lockTimeout = lockTimeout
    self.clock = clock
  }

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

  /// Changes the record of a key in one atomic step, as ``SharedTokenCache`` describes.
  @discardableResult
  public func update(
    _ key: TokenCacheKey, _ change: @escaping @Sendable (TokenRecord?) -> TokenRecord?
  ) async -> TokenRecord? {
    records.withLock { records in
      let new = change(records[key])
      records[key] = new
      return new
    }
  }

  /// Runs a body while no other caller of this instance holds the refresh lock of the same key.
  public func withRefreshLock<Result: Sendable>(
    for key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await refreshes.withLock(key, timeout: lockTimeout, on: clock, body)
  }
}
