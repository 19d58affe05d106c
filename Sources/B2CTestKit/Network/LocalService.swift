public import B2CHTTP
public import Foundation

/// A pretended server: one core from request to answer, reached in memory or over loopback HTTP.
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
