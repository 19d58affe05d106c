package import B2CHTTP
package import Foundation
package import Testing

extension Trait where Self == TimeLimitTrait {
  /// Ends a test that hangs, after three minutes if only a few tests run at the same time, as in the gate.
  ///
  /// A plain `swift test` starts all tests at the same time, and each lasts nearly as long as the whole run.
  package static var hangLimit: Self {
    let isBounded = ProcessInfo.processInfo.arguments.contains("--experimental-maximum-parallelization-width")
    return .timeLimit(.minutes(isBounded ? 3 : 10))
  }
}

extension Duration {
  /// A limit that ends nothing, however slow the machine is, because the time limits of the suites find tests that hang.
  package static let patience: Duration = .seconds(3_600)
}

extension TransportLimits {
  /// The limits of a request that no clock ends, however slow the machine is.
  package static let patient = TransportLimits(deadline: .patience, idleTimeout: .patience)

  /// The same for a body of at most some bytes.
  package static func patient(maximumBodyBytes: Int) -> TransportLimits {
    TransportLimits(maximumBodyBytes: maximumBodyBytes, deadline: .patience, idleTimeout: .patience)
  }
}

extension URLRequest {
  /// The same request, whose own timeout ends nothing.
  package var patient: URLRequest {
    var copy = self
    copy.timeoutInterval = 3_600
    return copy
  }
}

/// A transport whose requests no clock ends, for tests over real sockets on machines of any speed.
package struct PatientTransport: HTTPTransport {
  private let transport: any HTTPTransport

  package init(_ transport: any HTTPTransport = URLSessionTransport()) { self.transport = transport }

  package func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    try await transport.send(request.patient, limits: .patient(maximumBodyBytes: limits.maximumBodyBytes))
  }
}
