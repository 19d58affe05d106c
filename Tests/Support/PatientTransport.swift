package import B2CHTTP
package import Foundation

/// A transport whose requests no clock ends, for tests over real sockets on machines of any speed.
package struct PatientTransport: HTTPTransport {
  private let transport: any HTTPTransport

  package init(_ transport: any HTTPTransport = URLSessionTransport()) {
    self.transport = transport
  }

  package func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    try await transport.send(request.patient, limits: .patient(maximumBodyBytes: limits.maximumBodyBytes))
  }
}
