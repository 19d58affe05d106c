public import B2CHTTP

/// What a local server does to a connection: an answer, or one of the ways to fail to give one.
public enum LocalAnswer: Sendable {
  /// A whole answer.
  case response(TransportResponse)
  /// A part of the answer, then the connection breaks: so many bytes of the body, or nothing at all for `nil`.
  case cut(TransportResponse, afterBodyBytes: Int?)
  /// The answer in small pieces.
  case drip(TransportResponse, piece: Int, pause: Duration)
  /// No answer; the connection stays open.
  case never
}
