/// Work that any number of callers wait for, and that goes on when they leave.
///
/// A caller that is cancelled leaves at once, and one whose time is over leaves with an error; the others go on. (Awaiting
/// a shared `Task` would keep a cancelled caller until the work is done.)
package final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Flight: Sendable {
    /// Whether the callers' time runs.
    var hasBegun: Bool
    var outcome: Result<Value, any Error>?
  }

  private let flights = Locked<[Key: Monitor<Flight>]>([:])

  package init() {}

  /// Joins the work under way for a key, or starts it.
  ///
  /// - Parameters:
  ///   - key: The value that all callers of the same work pass.
  ///   - limit: How long this caller waits; `nil` for work that ends by itself.
  ///   - clock: The clock that the wait is measured on.
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
    let (flight, isNew) = join(key, preparation, work)
    if !isNew { onJoin() }
    if !flight.state.hasBegun { try await flight.wait { $0.hasBegun } }
    try await withTimeout(
      limit, on: clock,
      throwing: ConnectorError(
        own: .timedOut, "The request took longer than \(limit ?? .zero).",
        recoverySuggestion: "Try again later.", isRetryable: true)
    ) { try await flight.wait { $0.outcome != nil } }
    guard let outcome = flight.state.outcome else { throw CancellationError() }
    return try outcome.get()
  }

  /// Whether work for a key is under way.
  package func isUnderWay(_ key: Key) -> Bool { flights.withLock { $0[key] != nil } }

  /// Waits until the work that has begun by now has ended, or the limit is over; later work does not make it longer.
  package func wait(atMost limit: Duration, on clock: any Clock<Duration>) async {
    let underWay = flights.withLock { flights in flights.values.filter(\.state.hasBegun) }
    // Not a child of the caller: a task that is cancelled, as at the end of a process, waits as well.
    await Task {
      try? await withTimeout(limit, on: clock, throwing: CancellationError()) {
        for flight in underWay { try await flight.wait { $0.outcome != nil } }
      }
    }.value
  }

  private func join(
    _ key: Key, _ preparation: (@Sendable () async throws -> Void)?,
    _ work: @escaping @Sendable () async throws -> Value
  ) -> (flight: Monitor<Flight>, isNew: Bool) {
    flights.withLock { flights in
      if let flight = flights[key] { return (flight, false) }
      let flight = Monitor(Flight(hasBegun: preparation == nil))
      flights[key] = flight
      let running = Task {
        try await preparation?()
        flight.withLock { $0.hasBegun = true }
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
}
