internal import Foundation

/// Limits the wait for a user.
enum PresentationDeadline {
  /// Runs an operation that obeys cancellation, and cancels it at the timeout.
  ///
  /// - Throws: ``OAuthError`` with code ``ErrorCode/timedOut``; `CancellationError`; the operation's errors.
  static func run<Value: Sendable>(
    _ timeout: Duration, purpose: PresentationRequest.Purpose, clock: any Clock<Duration>,
    _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
      group.addTask(operation: operation)
      group.addTask {
        try await clock.sleep(for: timeout)
        throw OAuthError(
          .timedOut, "The page was not finished within \(timeout.components.seconds) seconds.",
          recoverySuggestion: purpose == .signIn
            ? "If the page showed an error, compare clientId and redirectUri with the app registration." : nil)
      }
      defer { group.cancelAll() }
      guard let value = try await group.next() else { throw CancellationError() }
      return value
    }
  }
}
