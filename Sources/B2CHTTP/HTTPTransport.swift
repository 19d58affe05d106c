@_exported public import B2CCore

/// Sends a request and returns the server's answer.
///
/// `URLSessionTransport` is the default. An app with another network library conforms it in a few lines; tests use a canned
/// one. A transport calls ``TransportRequest/validate()`` first and keeps the request's limits. It must not follow redirects (RFC 9700 section 4.12): a `3xx` is an answer like any
/// other, because a token must not travel to another origin.
public protocol HTTPTransport: Sendable {
  /// Sends one request.
  ///
  /// - Parameter request: What to send, with the limits to keep.
  /// - Returns: The answer, whatever its status.
  /// - Throws: ``TransportError`` when there is no answer; `CancellationError` when the calling task was cancelled.
  func send(_ request: TransportRequest) async throws -> TransportResponse
}
