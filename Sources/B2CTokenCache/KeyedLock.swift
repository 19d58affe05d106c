internal import B2CCore

/// A lock for each key among the tasks of this process, first come first served.
///
/// A waiter that is cancelled or whose time is over leaves the queue; the others keep their places.
package final class KeyedLock<Key: Hashable & Sendable>: Sendable {
  private struct State: Sendable {
    var nextID = 0
    /// The callers of each key; the first one holds the lock.
    var queues: [Key: [Int]] = [:]
  }

  private let state = Monitor(State())

  package init() {}

  /// The error of a lock that was not released in time.
  static var notFree: ConnectorError {
    ConnectorError(
      own: .tokenCache, "The lock of a token record was not released in time.",
      recoverySuggestion: "Try again later.", isRetryable: true)
  }

  /// Runs a body while no other task holds the same key.
  ///
  /// - Parameters:
  ///   - key: The key to hold.
  ///   - timeout: How long to wait for it; `nil` for as long as it takes.
  ///   - clock: The clock that the wait is measured on.
  ///   - body: The work to do meanwhile.
  /// - Returns: What the body returns.
  /// - Throws: ``ConnectorError`` with code `tokenCache` when the time is over first, `CancellationError` when the task is
  ///   cancelled first; otherwise what the body throws.
  package func withLock<Result>(
    _ key: Key, timeout: Duration? = nil, on clock: any Clock<Duration> = ContinuousClock(),
    _ body: () async throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let (id, isFree) = state.withLock { state in
      state.nextID += 1
      state.queues[key, default: []].append(state.nextID)
      return (state.nextID, state.queues[key]?.count == 1)
    }
    defer { leave(id, key) }
    if !isFree {
      try await withTimeout(timeout, on: clock, throwing: Self.notFree) { [state] in
        try await state.wait { $0.queues[key]?.first == id }
      }
    }
    try Task.checkCancellation()
    return try await body()
  }

  private func leave(_ id: Int, _ key: Key) {
    state.withLock { state in
      state.queues[key]?.removeAll { $0 == id }
      if state.queues[key]?.isEmpty == true { state.queues[key] = nil }
    }
  }
}
