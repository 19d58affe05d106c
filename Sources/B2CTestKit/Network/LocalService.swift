public import B2CHTTP
public import Foundation

/// A local server: one core from request to answer, reached in memory or over loopback HTTP.
public protocol LocalService: Sendable {
  /// Whether a request is meant for this service, by scheme, host and port.
  ///
  /// - Parameter url: Where the request goes.
  /// - Returns: Whether the service answers for that origin.
  func serves(_ url: URL) -> Bool

  /// Answers a request, with whatever faults are set.
  ///
  /// - Parameter request: The request.
  /// - Returns: What happens on the wire.
  func answer(_ request: TransportRequest) async -> LocalAnswer
}

extension LocalService {
  /// A transport that reaches this service in memory and nothing else.
  public var transport: LocalNetwork { LocalNetwork(self) }
}

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
