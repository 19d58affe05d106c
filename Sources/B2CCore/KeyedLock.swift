/// A lock for each key, which the tasks of this process get in the order in which they ask for it.
///
/// A waiting task that is cancelled or whose time is over leaves the queue, and the others keep their places. An actor
/// could not do this, because it lets other callers in at each `await` of the body.
package final class KeyedLock<Key: Hashable & Sendable>: Sendable {
  /// The callers for one key, of whom the first one holds the lock.
  private struct Queue: Sendable {
    /// The callers by their numbers in the queue.
    ///
    /// A release only looks for the next number, so that it takes no longer if many callers wait.
    var turns: [Int: Monitor<Bool>] = [:]
    var first = 1
    var last = 0

    mutating func enter() -> (number: Int, turn: Monitor<Bool>) {
      let turn = Monitor(turns.isEmpty)
      last += 1
      turns[last] = turn
      return (last, turn)
    }

    /// Removes a caller that held the lock or waited for it, and returns the turn of the caller that holds the lock now,
    /// or `nil` if no caller is left.
    mutating func leave(_ number: Int) -> Monitor<Bool>? {
      turns[number] = nil
      // Skip the numbers of callers that left before their turn. Each number is skipped only once.
      while first <= last, turns[first] == nil { first += 1 }
      return turns[first]
    }
  }

  /// The queues by key, of which no turn is locked while this is, so that its caller can leave the queue.
  private let queues = Locked<[Key: Queue]>([:])

  package init() {}

  /// Runs a body while no other task holds the lock of the same key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - timeout: The longest wait for the lock. With `nil`, the default, there is no limit.
  ///   - clock: The clock for the wait, by default the system's.
  ///   - error: The error if the lock is not free in time.
  ///   - body: The work to do while the lock is held.
  /// - Returns: The value of the body.
  /// - Throws: `error` if the lock is not free in time; `CancellationError` if the task is cancelled while it waits;
  ///   the error of the body.
  package func withLock<Result>(
    _ key: Key, timeout: Duration? = nil, on clock: any Clock<Duration> = ContinuousClock(),
    throwing error: @autoclosure () -> any Error = CancellationError(), _ body: () async throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let (number, turn) = queues.withLock { $0[key, default: Queue()].enter() }
    defer { leave(key, number) }
    if !turn.withLock({ $0 }) {
      try await withTimeout(timeout, on: clock, throwing: error()) { try await turn.wait { $0 } }
    }
    try Task.checkCancellation()
    return try await body()
  }

  private func leave(_ key: Key, _ number: Int) {
    let holder = queues.withLock { queues in
      let holder = queues[key]?.leave(number)
      if holder == nil { queues[key] = nil }
      return holder
    }
    // If this caller never held the lock, the holder is unchanged, and setting its flag again does nothing.
    holder?.withLock { $0 = true }
  }
}
