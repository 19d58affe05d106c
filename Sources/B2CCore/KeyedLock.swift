/// A lock for each key among the tasks of this process, first come first served.
///
/// A waiter that is cancelled or whose time is over leaves the queue; the others keep their places. (An actor could not do
/// this, because it is re-entrant: it lets other callers in at each `await` of the body.)
package final class KeyedLock<Key: Hashable & Sendable>: Sendable {
  /// The callers of one key, of whom the first one holds the lock.
  private struct Queue: Sendable {
    /// The callers by the number that each of them drew.
    ///
    /// A release looks only at the next number, so that many waiting callers do not make it slow.
    var turns: [Int: Monitor<Bool>] = [:]
    var first = 1
    var last = 0

    mutating func enter() -> (number: Int, turn: Monitor<Bool>) {
      let turn = Monitor(turns.isEmpty)
      last += 1
      turns[last] = turn
      return (last, turn)
    }

    /// Removes a caller, and returns the turn of the one who holds the lock now.
    mutating func leave(_ number: Int) -> Monitor<Bool>? {
      turns[number] = nil
      // Numbers of callers that have left are skipped, each of them once.
      while first <= last, turns[first] == nil { first += 1 }
      return turns[first]
    }
  }

  /// Never locked together with a turn: `leave` unlocks it first, so a caller whose turn has come can enter and leave.
  private let queues = Locked<[Key: Queue]>([:])

  package init() {}

  /// Runs a body while no other task holds the same key.
  ///
  /// - Parameters:
  ///   - key: The key to hold.
  ///   - timeout: How long to wait for it; `nil` for as long as it takes.
  ///   - clock: The clock that the wait is measured on.
  ///   - error: The error for a lock that was not released in time.
  ///   - body: The work to do meanwhile.
  /// - Returns: The value of the body.
  /// - Throws: `error` when the time is over first, `CancellationError` when the task is cancelled first; otherwise what the
  ///   body throws.
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
    // A waiter that leaves early finds the same holder as before, for whom nothing changes.
    holder?.withLock { $0 = true }
  }
}
