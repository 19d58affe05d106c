/// Work that any number of callers wait for, and that goes on when they leave.
///
/// A caller that is cancelled leaves at once, and one whose time is over leaves with an error; the others go on. (Awaiting
/// a shared `Task` would keep a cancelled caller until the work is done.)
package final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private typealias Outcome = Result<Value, any Error>

  private struct Flight: Sendable {
    let outcome = Monitor<Outcome?>(nil)
  }

  private let flights = Locked<[Key: Flight]>([:])

  package init() {}

  /// Joins the work under way for a key, or starts it.
  ///
  /// - Parameters:
  ///   - key: What the callers of one piece of work have in common.
  ///   - limit: How long this caller waits; `nil` for work that ends by itself.
  ///   - clock: The clock that the wait is measured on.
  ///   - onJoin: Called when the work was under way.
  ///   - work: What to run otherwise; it is never cancelled.
  /// - Returns: What the work returns.
  /// - Throws: What the work throws; ``ConnectorError`` with code `timedOut` when it takes longer than the limit, and
  ///   `CancellationError` when the calling task is cancelled. The work goes on then.
  package func value(
    for key: Key, atMost limit: Duration? = nil, on clock: any Clock<Duration> = ContinuousClock(),
    onJoin: () -> Void = {},
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try Task.checkCancellation()
    let (flight, isNew) = join(key, work)
    if !isNew { onJoin() }
    return try await Self.value(of: flight.outcome, atMost: limit, on: clock)
  }

  /// Waits for the outcome of work that was begun; throws as ``value(for:atMost:on:onJoin:_:)``.
  package static func value(
    of outcome: Monitor<Result<Value, any Error>?>, atMost limit: Duration?, on clock: any Clock<Duration>
  ) async throws -> Value {
    try await withTimeout(
      limit, on: clock,
      throwing: ConnectorError(
        own: .timedOut, "The request is under way for longer than \(limit ?? .zero).",
        recoverySuggestion: "Try again later.", isRetryable: true)
    ) { try await outcome.wait { $0 != nil } }
    guard let outcome = outcome.withLock({ $0 }) else { throw CancellationError() }
    return try outcome.get()
  }

  /// Starts the work for a key, unless it is under way, and does not wait for it.
  ///
  /// - Returns: The outcome, once there is one.
  package func begin(_ key: Key, _ work: @escaping @Sendable () async throws -> Value) -> Monitor<
    Result<Value, any Error>?
  > {
    join(key, work).flight.outcome
  }

  /// Whether work for a key is under way.
  package func isUnderWay(_ key: Key) -> Bool { flights.withLock { $0[key] != nil } }

  /// Waits until the work that is under way now has ended, or the limit is over; later work does not make it longer.
  package func wait(atMost limit: Duration, on clock: any Clock<Duration>) async {
    let underWay = flights.withLock { Array($0.values) }
    // Not a child of the caller: a task that is cancelled, as at the end of a process, waits as well.
    await Task {
      try? await withTimeout(limit, on: clock, throwing: CancellationError()) {
        for flight in underWay { try await flight.outcome.wait { $0 != nil } }
      }
    }.value
  }

  private func join(
    _ key: Key, _ work: @escaping @Sendable () async throws -> Value
  ) -> (flight: Flight, isNew: Bool) {
    flights.withLock { flights in
      if let flight = flights[key] { return (flight, false) }
      let flight = Flight()
      flights[key] = flight
      Task { [flights = self.flights] in
        let outcome: Outcome
        do {
          outcome = .success(try await work())
        } catch {
          outcome = .failure(error)
        }
        flights.withLock { $0[key] = nil }
        flight.outcome.withLock { $0 = outcome }
      }
      return (flight, true)
    }
  }
}
