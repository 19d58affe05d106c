internal import B2CCore

extension FileTokenCache {
  /// Runs a body while no other process and no other caller holds the same key.
  ///
  /// Reading and writing the key inside the body is what it is for; so is asking for a key inside the body that holds its
  /// ``TokenCacheKey/forSpending``. Asking for any other key inside may wait for itself, because keys share a fixed number
  /// of lock files; so does asking for the same key again. Both end with the error.
  ///
  /// - Parameters:
  ///   - key: The key to hold.
  ///   - body: What to do meanwhile.
  /// - Returns: What the body returns.
  /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/lockTimedOut`` when the key does not come free in time,
  ///   ``TokenCacheError/Code/unwritable`` when the lock file cannot be opened; `CancellationError` when the task is
  ///   cancelled while it waits. The body has not run then. Otherwise what the body throws.
  public func withExclusiveAccess<Result: Sendable>(
    to key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    let name = place(of: key).exclusiveLock
    let deadline = Deadline(after: lockTimeout, on: clock)
    try await turns.enter(name, by: deadline)
    defer { turns.leave(name) }
    let lock = try await takeLock(name, by: deadline)
    defer { lock.release() }
    return try await body()
  }

  /// Runs a blocking body while nobody else, here or in another process, writes to the same record.
  ///
  /// Neither waiting nor the body ends with the caller's cancellation.
  func underWriteLock<Result: Sendable>(
    of place: RecordPlace, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let name = place.writeLock
    let deadline = Deadline(after: lockTimeout, on: clock)
    if !turns.enterIfFree(name) {
      try await Task { [turns] in try await turns.enter(name, by: deadline) }.value
    }
    defer { turns.leave(name) }
    let attempt: @Sendable () throws -> Result? = { [folder] in
      guard let lock = try Self.takeIfFree(name, in: folder) else { return nil }
      defer { lock.release() }
      return try body()
    }
    if let result = try await disk.run(name, attempt) { return result }
    return try await Task { [disk] in
      var backOff = BackOff()
      while deadline.remaining() > .zero {
        try await deadline.sleep(backOff.next())
        if let result = try await disk.run(name, attempt) { return result }
      }
      throw TokenCacheError.lockTimedOut
    }.value
  }

  private func takeLock(_ name: String, by deadline: Deadline) async throws -> FileLock {
    var backOff = BackOff()
    while true {
      if let lock = try Self.takeIfFree(name, in: folder) { return lock }
      guard deadline.remaining() > .zero else { throw TokenCacheError.lockTimedOut }
      try await deadline.sleep(backOff.next())
    }
  }

  private static func takeIfFree(_ name: String, in folder: CacheFolder) throws -> FileLock? {
    do {
      do throws(SystemFailure) {
        return try FileLock.takeIfFree(folder.lockPath(name))
      } catch {
        // Somebody has removed the folder.
        guard error.isMissing else { throw error }
        try folder.prepare()
        return try FileLock.takeIfFree(folder.lockPath(name))
      }
    } catch let failure as SystemFailure {
      throw TokenCacheError.unwritable("The lock of a token record cannot be taken", failure)
    }
  }
}
