internal import B2CCore
internal import Foundation

extension HTTPTransport {
  /// Sends a request; the transport's own error becomes the engine's.
  func sendMappingErrors(
    _ request: TransportRequest, correlationID: UUID? = nil, attempts: () -> Int = { 1 }
  ) async throws -> TransportResponse {
    do {
      return try await send(request)
    } catch let error as TransportError {
      let failed = FailedRequest(request, attempts: attempts())
      throw OAuthError(
        .init(error), "No answer to \(failed): \(error.message)",
        recoverySuggestion: error.isRetryable ? "Check the connection, then try again." : nil,
        // What certainly reached no server is in no server's log.
        correlationID: [.timedOut, .connectionLost, .responseTooLarge, .invalidResponse].contains(error.code)
          ? correlationID : nil,
        request: failed, underlying: error)
    }
  }
}

extension ErrorCode {
  /// What the lack of an answer means to the caller.
  package init(_ error: TransportError) {
    self =
      switch error.code {
      case .timedOut: .timedOut
      case .insecureURL, .invalidRequest: .configuration
      case .responseTooLarge, .invalidResponse: .invalidResponse
      default: .network
      }
  }
}

extension OAuthError {
  /// Wraps what the authority's rules refuse.
  package init(_ error: AuthorityError) {
    self.init(
      error.code == .retiredAuthority ? .retiredAuthority : .configuration, error.message,
      recoverySuggestion: [error.suggestion.map { "Write \"\($0)\"." }, error.recoverySuggestion].compactMap(\.self)
        .joined(separator: " "), underlying: error)
  }
}

extension Duration {
  /// The duration in seconds.
  var seconds: TimeInterval {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
