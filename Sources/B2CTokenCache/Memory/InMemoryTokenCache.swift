internal import B2CCore

/// A token cache that lasts as long as the process: a dictionary behind a lock.
///
/// Looking a key up costs the same however many records there are. Exclusive access holds among the callers of one
/// instance, since nobody else can see it.
public final class InMemoryTokenCache: ExclusiveTokenCache {
  private let records = Locked(MemoryTable<TokenRecord>())
  private let gate = KeyedGate<TokenCacheKey>()
  private let lockTimeout: Duration
  private let clock: any Clock<Duration>

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - lockTimeout: How long ``withExclusiveAccess(to:_:)`` waits for a key that another caller holds.
  ///   - clock: The clock that the wait is measured on.
  public init(lockTimeout: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock()) {
    self.lockTimeout = lockTimeout
    self.clock = clock
  }

  /// Reads the record of a key.
  ///
  /// - Parameter key: The key to look up.
  /// - Returns: The record, or `nil` when there is none.
  public func record(for key: TokenCacheKey) async -> TokenRecord? {
    records.withLock { $0[key] }
  }

  /// Keeps a record, in place of the one that was there.
  ///
  /// - Parameters:
  ///   - record: What to keep.
  ///   - key: The key to keep it under.
  public func store(_ record: TokenRecord, for key: TokenCacheKey) async {
    records.withLock { table in table.put(record, for: key) { $0 } }
  }

  /// Removes the record of a key; nothing happens when there is none.
  ///
  /// - Parameter key: The key to remove.
  public func removeRecord(for key: TokenCacheKey) async {
    records.withLock { $0.remove(key) }
  }

  /// Lists the keys of all records, in any order.
  ///
  /// - Returns: Each key once.
  public func keys() async -> [TokenCacheKey] {
    records.withLock { $0.keys }
  }

  /// Runs a body while no other caller of this instance holds the same key.
  ///
  /// Asking for a key again inside the body waits for itself, until the time is up.
  ///
  /// - Parameters:
  ///   - key: The key to hold.
  ///   - body: What to do meanwhile.
  /// - Returns: What the body returns.
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/lockTimedOut`` when the key does not come free in
  ///   time, `CancellationError` when the task is cancelled while it waits (the body has not run in either case);
  ///   otherwise what the body throws.
  public func withExclusiveAccess<Result: Sendable>(
    to key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await gate.enter(key, by: Deadline(after: lockTimeout, on: clock))
    defer { gate.leave(key) }
    return try await body()
  }
}
