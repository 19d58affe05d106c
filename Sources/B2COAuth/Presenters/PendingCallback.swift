internal import B2CCore
internal import Foundation

/// The callback that a page in a browser outside the app ends with: the first one, or why none comes.
struct PendingCallback: Sendable {
  private let answers = AsyncThrowingStream<URL, any Error>.makeStream(bufferingPolicy: .bufferingOldest(1))

  /// Ends the wait with the callback or an error; later ends change nothing.
  func end(_ outcome: Result<URL, any Error>) { answers.continuation.yield(with: outcome) }

  /// Ends the wait with the callback; later ends change nothing.
  func succeed(_ url: URL) { end(.success(url)) }

  /// Ends the wait with an error; later ends change nothing.
  func fail(_ error: any Error) { end(.failure(error)) }

  /// Waits for the end, however long the user takes.
  ///
  /// - Returns: The callback.
  /// - Throws: The error of ``fail(_:)``; `CancellationError`.
  func value() async throws -> URL {
    for try await url in answers.stream { return url }
    throw CancellationError()
  }

  /// Waits for the end; a result, so that what the page needed can be closed before it is looked at.
  ///
  /// - Returns: The callback, or ``ConnectorError`` with code ``ErrorCode/timedOut``; `CancellationError`; the error of
  ///   ``fail(_:)``.
  func result(
    within timeout: Duration, purpose: PresentationRequest.Purpose, clock: any Clock<Duration>
  ) async -> Result<URL, any Error> {
    let late = ConnectorError(
      own: .timedOut, "The page was not finished within \(timeout.components.seconds) seconds.",
      recoverySuggestion: purpose == .signIn
        ? "If the page showed an error, compare clientId, redirectUri and scopes with the app registration." : nil,
      // The same call would show the user another page.
      isRetryable: false)
    do {
      return .success(try await withTimeout(timeout, on: clock, throwing: late) { try await value() })
    } catch {
      return .failure(error)
    }
  }
}
