internal import B2CCore
internal import Dispatch
internal import Foundation

/// The locks of a cache's directory, and the queue on which everything that blocks runs.
struct DirectoryLocks: Sendable {
  /// The pause between two looks at the note of another process's request.
  private static let noteInterval = Duration.milliseconds(250)

  private let store: RecordDirectory
  private let lockTimeout: Duration
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> Date
  private let queue = DispatchQueue(label: "B2CTokenCache.disk", qos: .userInitiated)
  private let refreshes = KeyedLock<TokenCacheKey>()

  init(
    store: RecordDirectory, lockTimeout: Duration, clock: any Clock<Duration>, now: @escaping @Sendable () -> Date
  ) {
    self.store = store
    self.lockTimeout = lockTimeout
    self.clock = clock
    self.now = now
  }

  /// Runs a body while no other caller or process holds the refresh lock of the same key.
  func withRefreshLock<Result: Sendable>(
    for key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    let path = store.refreshLockPath(RecordDirectory.Name(key))
    let deadline = Deadline.after(lockTimeout, on: clock)
    return try await refreshes.withLock(key, by: deadline) {
      let lock = RefreshLock(try await takeRefreshLock(path, by: deadline))
      RefreshTime.current?.whenOver { lock.giveBack(noting: $0) }
      let result: Swift.Result<Result, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      if let request = lock.release() { await removeNote(of: request, path) }
      return try result.get()
    }
  }

  /// Runs a blocking body off the threads that tasks share; it is not cancelled with its caller.
  func onDisk<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Swift.Result { try body() }) }
    }
  }

  /// Runs a blocking body while no other writer, here or in another process, has the same record.
  ///
  /// Neither waiting nor the body is cancelled with the caller.
  func underWriteLock<Value: Sendable>(
    _ name: RecordDirectory.Name, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let path = store.writeLockPath(name)
    let deadline = Deadline.after(lockTimeout, on: clock)
    return try await Task {
      try await retrying(path, by: deadline) {
        guard let lock = try takeIfFree(path) else { return nil }
        defer { lock.release() }
        return try body()
      }
    }.value
  }

  /// Runs a body that waits for other calls than the disk's while no other writer has the same record.
  ///
  /// Neither waiting nor the body is cancelled with the caller.
  func holdingWriteLock<Value: Sendable>(
    _ name: RecordDirectory.Name, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let path = store.writeLockPath(name)
    let deadline = Deadline.after(lockTimeout, on: clock)
    return try await Task {
      let lock = try await retrying(path, by: deadline) { try takeIfFree(path) }
      defer { lock.release() }
      return try await body()
    }.value
  }

  /// Takes the file's lock once no request of a suspended process can be answered any more.
  private func takeRefreshLock(_ path: String, by deadline: Deadline) async throws -> FileLock {
    while true {
      let attempt = try await retrying(path, by: deadline) {
        guard let lock = try takeIfFree(path) else { return nil as RefreshLock.Attempt? }
        do throws(SystemFailure) {
          return try RefreshLock.attempt(with: lock, now: now())
        } catch {
          throw TokenCacheError(.unwritable, "The lock of a token record cannot be taken", error)
        }
      }
      switch attempt {
      case .taken(let lock): return lock
      case .noted(let remaining):
        guard deadline.remaining() > .zero else { throw TokenCacheError.lockTimedOut(path) }
        // The answer may come before the limit: the process was not suspended after all, or goes on.
        try await deadline.sleep(min(.seconds(remaining), Self.noteInterval))
      }
    }
  }

  /// Removes the note of a request that has ended; where that fails, others wait until its limit has passed.
  private func removeNote(of request: RefreshTime.Request, _ path: String) async {
    // Others hold the lock for a look at the note only.
    let deadline = Deadline.after(.seconds(1), on: clock)
    try? await retrying(path, by: deadline) {
      guard let lock = try takeIfFree(path) else { return nil as Void? }
      return try RefreshLock.removeNote(of: request, from: lock)
    }
  }

  /// Repeats an attempt on the disk queue, with pauses in which no thread is held, until it returns a value.
  private func retrying<Value: Sendable>(
    _ path: String, by deadline: Deadline, _ attempt: @escaping @Sendable () throws -> Value?
  ) async throws -> Value {
    var backOff = BackOff()
    while true {
      if let value = try await onDisk(attempt) { return value }
      guard deadline.remaining() > .zero else { throw TokenCacheError.lockTimedOut(path) }
      try await deadline.sleep(backOff.next())
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
