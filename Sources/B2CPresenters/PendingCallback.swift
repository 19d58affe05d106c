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
}
