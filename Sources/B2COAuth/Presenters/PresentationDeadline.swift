/// Puts an end to waiting for a user.
enum PresentationDeadline {
  /// Runs an operation that heeds cancellation, and cancels it when the time is over.
  ///
  /// - Throws: ``OAuthError`` with code ``OAuthError/Code/timedOut``; `CancellationError`; what the operation throws.
  static func run<Value: Sendable>(
    _ timeout: Duration, clock: any Clock<Duration>, _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
      group.addTask(operation: operation)
      group.addTask {
        try await clock.sleep(for: timeout)
        throw OAuthError(
          .timedOut, "Nobody finished the page within \(timeout.components.seconds) seconds.",
          recoverySuggestion: "Start again; finish the page in the browser in time.")
      }
      defer { group.cancelAll() }
      guard let value = try await group.next() else { throw CancellationError() }
      return value
    }
  }
}
