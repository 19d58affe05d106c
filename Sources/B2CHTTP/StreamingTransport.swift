public import Foundation

/// A transport that can also hand on a body while it arrives, for lists too large to keep twice.
public protocol StreamingTransport: HTTPTransport {
  /// Sends one request and gives the answer as soon as its head is there.
  ///
  /// - Parameter request: What to send, with the limits to keep; the limit of bytes is kept while they arrive.
  /// - Returns: The answer with an empty body, and the body's bytes in order.
  /// - Throws: ``TransportError`` when there is no answer; `CancellationError` when the calling task was cancelled. The
  ///   stream throws the same.
  func stream(
    _ request: TransportRequest
  ) async throws -> (head: TransportResponse, body: AsyncThrowingStream<Data, any Error>)
}
