import AsyncHTTPClientTransport
import B2CHTTP

/// `AsyncHTTPClientTransport` of the examples, under the proofs.
enum ProofTransport {
  static let name = "AsyncHTTPClientTransport"
  static let mayEndTheProcess = false

  static func make() -> any HTTPTransport {
    AsyncHTTPClientTransport(maximumBodyBytes: FaultWorld.limits.maximumBodyBytes)
  }
}
