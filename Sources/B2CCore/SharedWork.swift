/// Work that any number of callers wait for, and that goes on when they leave.
///
/// A caller that is cancelled leaves immediately, and the others keep waiting. (Awaiting a shared `Task` would keep a
/// cancelled caller until the work is done.) If the work takes too long, all its callers leave with an error.
package final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Flight: Sendable {
    /// Whether the work has begun, so that its time counts.
    var hasBegun: Bool
    /// Whether the callers wait no longer; without a meaning once there is an outcome.
    var isOverdue = false
    var outcome: Result<Value, any Error>?
  }

  private let flights = Locked<[Key: Monitor<Flight>]>([:])

  package init() {}

  /// Joins the work under way for a key, or starts it.
  ///
  /// - Parameters:
  ///   - key: The value that all callers of the same work pass.
  ///   - limit: How long the callers wait after the work has begun. The limit of the caller that starts the work holds for
  ///     all of them, so that many callers need only one timer (row 4 of the benchmarks). `nil` for work that ends by itself.
  ///   - clock: The clock that the limit is measured on.
  ///   - preparation: A step before the work that may take any time, for example a question to the user.
  ///   - onJoin: Called when the work was under way.
  ///   - work: The work to start if none is under way. It is never cancelled.
  /// - Returns: The value of the work.
  /// - Throws: The error of the preparation or of the work; ``ConnectorError`` with code `timedOut` if the work takes
  ///   longer than the limit; `CancellationError` if the calling task is cancelled. The work goes on in the last two cases.
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
        own: .timedOut, "The request is under way for longer than \(limit ?? .zero).",
        recoverySuggestion: "Try again later.", isRetryable: true)
    }
    return try outcome.get()
  }

  /// Whether work for a key is under way.
  package func isUnderWay(_ key: Key) -> Bool { flights.withLock { $0[key] != nil } }

  /// Waits until the work that has begun by now has ended, or the limit is over; later work does not make it longer.
  package func wait(atMost limit: Duration, on clock: any Clock<Duration>) async {
    let underWay = flights.withLock { flights in flights.values.filter(\.state.hasBegun) }
    // Not a child of the caller: a task that is cancelled, as at the end of a process, waits as well.
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
        // Remove the flight first: a caller that wakes up and calls again must start a new one.
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
