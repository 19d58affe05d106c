internal import Foundation

/// The first end of a page, which is its callback or an error.
struct PendingCallback: Sendable {
  private let answers = AsyncThrowingStream<URL, any Error>.makeStream(bufferingPolicy: .bufferingOldest(1))

  /// Ends the wait with a callback or an error, unless it has already ended.
  func end(_ outcome: Result<URL, any Error>) { answers.continuation.yield(with: outcome) }

  /// Ends the wait with a callback, unless it has already ended.
  func succeed(_ url: URL) { end(.success(url)) }

  /// Ends the wait with an error, unless it has already ended.
  func fail(_ error: any Error) { end(.failure(error)) }

  /// Waits for the callback, however long the user takes.
  ///
  /// - Returns: The callback.
  /// - Throws: The error that ended the wait; `CancellationError`.
  func value() async throws -> URL {
    for try await url in answers.stream { return url }
    throw CancellationError()
  }
}
