/// Runs an operation, and cancels it when its time is over.
///
/// A value wins over the clock: one that the cancelled operation still returns is returned. A timeout that wakes a tenth of
/// a second late or more has seen a process that stood still, such as on a laptop that slept: what arrived meanwhile may
/// lie in a socket, so the operation then has 5 further seconds to read it.
///
/// - Parameters:
///   - timeout: The time that the operation has; `nil` for no limit.
///   - clock: The clock to measure on.
///   - tolerance: How late the clock may be, where the end of the time is not expected to come.
///   - error: The error for an operation that did not end in time.
///   - operation: The operation, which must end when it is cancelled.
/// - Returns: The value of the operation.
/// - Throws: `error` when the time is over; `CancellationError` when the calling task is cancelled; what the operation
///   throws.
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

/// Runs an operation that may ignore its cancellation, such as a call of a part that the app supplied.
///
/// The operation is cancelled when its time is over or the calling task is cancelled, and then it is not waited for.
///
/// - Parameters:
///   - timeout: The time that the operation has.
///   - clock: The clock to measure on.
///   - error: The error for an operation that did not end in time.
///   - operation: The operation.
/// - Returns: The value of the operation.
/// - Throws: `error` when the time is over; `CancellationError` when the calling task is cancelled; what the operation
///   throws.
package func abandoning<Value: Sendable>(
  after timeout: Duration, on clock: any Clock<Duration>, throwing error: @autoclosure () -> any Error,
  _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let running = Task { try await operation() }
  defer { running.cancel() }
  // Awaiting the task itself would keep this caller until the operation ends.
  return try await withTimeout(timeout, on: clock, tolerance: .milliseconds(100), throwing: error()) {
    try await SharedWork<Bool, Value>().value(for: true) { try await running.value }
  }
}
