package import B2CHTTP

/// A transport whose requests no clock ends, for tests over real sockets on machines of any speed.
package struct PatientTransport: HTTPTransport {
  private let transport: any HTTPTransport

  package init(_ transport: any HTTPTransport = URLSessionTransport()) {
    self.transport = transport
  }

  package func send(_ request: TransportRequest) async throws -> TransportResponse {
    var request = request
    request.limits.deadline = .patience
    request.limits.idleTimeout = .patience
    return try await transport.send(request)
  }
}
