internal import B2CCore

/// A lock for each key among the tasks of this process, first come first served.
///
/// A waiter that is cancelled or whose deadline passes leaves the queue; the others keep their places.
final class KeyedLock<Key: Hashable & Sendable>: Sendable {
  private struct State: Sendable {
    var nextID = 0
    /// The callers of each key; the first one holds the lock.
    var queues: [Key: [Int]] = [:]
    /// Waiters whose deadline has passed.
    var late: Set<Int> = []
  }

  private let state = Monitor(State())

  /// Runs a body while no other task holds the same key.
  ///
  /// - Throws: `TokenCacheError` with code `lockTimedOut` when the deadline passes first, `CancellationError` when the
  ///   task is cancelled first; otherwise what the body throws.
  func withLock<Result>(
    _ key: Key, by deadline: Deadline, _ body: () async throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let (id, isFree) = state.withLock { state in
      state.nextID += 1
      state.queues[key, default: []].append(state.nextID)
      return (state.nextID, state.queues[key]?.count == 1)
    }
    defer { leave(id, key) }
    if !isFree { try await wait(id, key, by: deadline) }
    return try await body()
  }

  private func wait(_ id: Int, _ key: Key, by deadline: Deadline) async throws {
    let timer = Task {
      try await deadline.sleep(deadline.remaining())
      state.withLock { state in
        if state.queues[key]?.contains(id) == true { state.late.insert(id) }
      }
    }
    defer { timer.cancel() }
    try await state.wait { $0.queues[key]?.first == id || $0.late.contains(id) }
    guard state.withLock({ $0.queues[key]?.first == id }) else { throw TokenCacheError.lockTimedOut(nil) }
  }

  private func leave(_ id: Int, _ key: Key) {
    state.withLock { state in
      state.queues[key]?.removeAll { $0 == id }
      if state.queues[key]?.isEmpty == true { state.queues[key] = nil }
      state.late.remove(id)
    }
  }
}
