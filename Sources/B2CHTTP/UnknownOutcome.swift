/// What is known about a request that changes something and did not end well.
extension TransportRequest {
  /// Whether it may change something at the server: any method but the safe `GET`, `HEAD` and `OPTIONS` (RFC 9110 section
  /// 9.2.1).
  package var mayChangeSomething: Bool { !["GET", "HEAD", "OPTIONS"].contains(method.rawValue) }
}

extension TransportError {
  /// Whether the server may have carried the request out: it may have arrived, and no answer says what came of it.
  package var leavesOutcomeUnknown: Bool {
    ![.insecureURL, .invalidRequest, .cannotConnect, .untrustedServer, .closed].contains(code)
  }
}

extension TransportResponse {
  /// Whether the server, or a gateway before it, may have carried the request out although it reports a failure.
  package var leavesOutcomeUnknown: Bool { [408, 500, 502, 503, 504].contains(status) }
}
