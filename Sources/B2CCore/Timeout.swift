/// Runs an operation, and cancels it if it takes too long.
///
/// If the operation returns a value although it was cancelled, that value is returned. If the timer fires 100 ms late
/// or more, the process was suspended, for example on a laptop that slept. Data may then have arrived that waits in a
/// socket, so the operation gets 5 more seconds to read it.
///
/// - Parameters:
///   - timeout: The time limit of the operation, or `nil` for no limit.
///   - clock: The clock for the limit.
///   - tolerance: How late the timer may fire, for a limit that usually is not reached.
///   - error: The error if the operation does not end in time.
///   - operation: The operation, which must end if it is cancelled.
/// - Returns: The value of the operation.
/// - Throws: `error` if the operation does not end in time; `CancellationError` if the task is cancelled; the error of
///   the operation.
package func withTimeout<Value: Sendable>(
  _ timeout: Duration?, on clock: any Clock<Duration>, tolerance: Duration? = nil,
  throwing error: @autoclosure () -> any Error, _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  guard let timeout else { return try await operation() }
  let stopwatch = Stopwatch(clock)
  return try await withThrowingTaskGroup(of: Value?.self) { group in
    group.addTask { try await operation() }
    group.addTask {
      try await clock.sleep(for: timeout - stopwatch.elapsed, tolerance: tolerance)
      if stopwatch.elapsed >= timeout + .milliseconds(100) { try await clock.sleep(for: .seconds(5)) }
      return nil
    }
    defer { group.cancelAll() }
    if let first = try await group.next(), let value = first { return value }
    group.cancelAll()
    if case .success(let value?)? = await group.nextResult() { return value }
    throw error()
  }
}

/// Runs an operation that may ignore its cancellation, for example a call of a part that the app supplies.
///
/// If the operation takes too long or the task is cancelled, it is cancelled, and the call does not wait for its end.
///
/// - Parameters:
///   - timeout: The time limit of the operation.
///   - clock: The clock for the limit.
///   - error: The error if the operation does not end in time.
///   - operation: The operation.
/// - Returns: The value of the operation.
/// - Throws: `error` if the operation does not end in time; `CancellationError` if the task is cancelled; the error of
///   the operation.
package func abandoning<Value: Sendable>(
  after timeout: Duration, on clock: any Clock<Duration>, throwing error: @autoclosure () -> any Error,
  _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let running = Task { try await operation() }
  defer { running.cancel() }
  // Awaiting the task directly would not return before the operation ends, even if this caller is cancelled.
  return try await withTimeout(timeout, on: clock, tolerance: .milliseconds(100), throwing: error()) {
    try await SharedWork<Bool, Value>().value(for: true) { try await running.value }
  }
}
