/// Work for which several callers wait together, and which continues if they leave.
///
/// If a caller is cancelled, it leaves immediately, and the others keep waiting. (Awaiting a shared `Task` would hold a
/// cancelled caller until the work ends.) If the work takes too long, all its callers leave with an error.
package final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Flight: Sendable {
    /// Whether the preparation is over, so that the time limit runs.
    var hasBegun: Bool
    /// Whether the time limit has passed, so that the callers leave, unless there is an outcome.
    var isOverdue = false
    var outcome: Result<Value, any Error>?
  }

  private let flights = Locked<[Key: Monitor<Flight>]>([:])

  package init() {}

  /// Joins the work that is running for a key, or starts it.
  ///
  /// - Parameters:
  ///   - key: The key by which callers share work.
  ///   - limit: The longest time that the callers wait after the preparation. The limit of the caller that starts the
  ///     work applies to all, so that they share one timer. With `nil`, the default, there is no limit.
  ///   - clock: The clock for the limit, by default the system's.
  ///   - preparation: A step before the work that may take any time, for example a question to the user.
  ///   - onJoin: Called if the work was already running.
  ///   - work: The work to start if none is running. It is never cancelled.
  /// - Returns: The value of the work.
  /// - Throws: The error of the preparation or of the work; ``ConnectorError`` with code `timedOut` if the work takes
  ///   longer than the limit; `CancellationError` if the calling task is cancelled. In the last two cases the work
  ///   continues.
  package func value(
    for key: Key, atMost limit: Duration? = nil, on clock: any Clock<Duration> = ContinuousClock(),
    after preparation: (@Sendable () async throws -> Void)? = nil, onJoin: () -> Void = {},
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try Task.checkCancellation()
    let (flight, isNew) = join(key, limit, clock, preparation, work)
    if !isNew { onJoin() }
    try await flight.wait { $0.outcome != nil || $0.isOverdue }
    guard let outcome = flight.state.outcome else {
      throw ConnectorError(
        own: .timedOut, "The request took longer than \(limit ?? .zero).",
        recoverySuggestion: "Try again later.", isRetryable: true)
    }
    return try outcome.get()
  }

  /// Whether work for a key is running.
  package func isUnderWay(_ key: Key) -> Bool { flights.withLock { $0[key] != nil } }

  /// Waits until all work that is running now has ended, or the limit has passed, without waiting for later work.
  package func wait(atMost limit: Duration, on clock: any Clock<Duration>) async {
    let underWay = flights.withLock { flights in flights.values.filter(\.state.hasBegun) }
    // This task is not a child of the caller, because a cancelled caller, as at the end of a process, must wait too.
    await Task { await Self.waitForEnd(underWay, limit, clock) }.value
  }

  private func join(
    _ key: Key, _ limit: Duration?, _ clock: any Clock<Duration>,
    _ preparation: (@Sendable () async throws -> Void)?,
    _ work: @escaping @Sendable () async throws -> Value
  ) -> (flight: Monitor<Flight>, isNew: Bool) {
    flights.withLock { flights in
      if let flight = flights[key] { return (flight, false) }
      let flight = Monitor(Flight(hasBegun: preparation == nil))
      flights[key] = flight
      let running = Task {
        try await preparation?()
        flight.withLock { $0.hasBegun = true }
        if let limit {
          Task {
            await Self.waitForEnd([flight], limit, clock)
            flight.withLock { $0.isOverdue = true }
          }
        }
        return try await work()
      }
      Task { [flights = self.flights] in
        let outcome = await running.result
        // Remove the work first, because a caller that wakes up and calls again must start new work.
        flights.withLock { $0[key] = nil }
        flight.withLock { $0 = Flight(hasBegun: true, outcome: outcome) }
      }
      return (flight, true)
    }
  }

  private static func waitForEnd(_ flights: [Monitor<Flight>], _ limit: Duration, _ clock: any Clock<Duration>) async {
    try? await withTimeout(limit, on: clock, throwing: CancellationError()) {
      for flight in flights { try await flight.wait { $0.outcome != nil } }
    }
  }
}
