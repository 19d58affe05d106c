internal import B2CCore

/// The locks of a cache's directory.
///
/// The callers of one process wait for each other in the state of the directory: on its queue to write, at its lock to
/// refresh. Where processes lock against each other, the one whose turn it is takes the lock of a file.
struct DirectoryLocks: Sendable {
  let store: RecordDirectory
  let state: CacheState
  let usesFiles: Bool
  let timeout: Duration
  let clock: any Clock<Duration>

  /// Runs a body while no other caller or process holds the refresh lock of the same key.
  func withRefreshLock<Result: Sendable>(
    for key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    let path = store.refreshLockPath(RecordDirectory.Name(key))
    let stopwatch = Stopwatch(clock)
    return try await state.locks.refreshes.withLock(key, timeout: timeout, on: clock) {
      guard usesFiles else { return try await body() }
      let lock = try await retrying(path, since: stopwatch) { try takeIfFree(path) }
      defer { lock.release() }
      return try await body()
    }
  }

  /// Runs a blocking body while no other writer, here or in another process, has the same record.
  ///
  /// Neither waiting nor the body is cancelled with the caller.
  func underWriteLock<Value: Sendable>(
    _ name: RecordDirectory.Name, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    guard usesFiles else { return try await state.onQueue(body) }
    let path = store.writeLockPath(name)
    let stopwatch = Stopwatch(clock)
    return try await Task {
      try await retrying(path, since: stopwatch) {
        guard let lock = try takeIfFree(path) else { return nil }
        defer { lock.release() }
        return try body()
      }
    }.value
  }

  /// Repeats an attempt on the queue, with pauses in which no thread is held, until it returns a value.
  private func retrying<Value: Sendable>(
    _ path: String, since stopwatch: Stopwatch, _ attempt: @escaping @Sendable () throws -> Value?
  ) async throws -> Value {
    var backOff = BackOff()
    while true {
      if let value = try await state.onQueue(attempt) { return value }
      guard stopwatch.elapsed < timeout else { throw TokenCacheError.lockTimedOut(path) }
      try await clock.sleep(for: backOff.next())
    }
  }

  /// Takes a lock, unless another process has it; blocks, and runs on the queue.
  private func takeIfFree(_ path: String) throws -> FileLock? {
    do {
      do throws(SystemFailure) {
        return try FileLock.takeIfFree(path, store.files)
      } catch {
        // The directory was removed since the cache was opened.
        guard error.isMissing else { throw error }
        try store.prepare()
        return try FileLock.takeIfFree(path, store.files)
      }
    } catch let failure as SystemFailure {
      throw TokenCacheError(.unwritable, "The lock of a token record cannot be taken", failure)
    }
  }
}
