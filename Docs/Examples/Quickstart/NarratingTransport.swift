import B2CConnector

/// Prints each request and its answer; a request describes itself without secrets.
struct NarratingTransport: HTTPTransport {
  private let narrator: Narrator
  private let inner: any HTTPTransport

  init(_ narrator: Narrator, _ inner: any HTTPTransport = URLSessionTransport()) {
    self.narrator = narrator
    self.inner = inner
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let response = try await inner.send(request)
    narrator.result("\(request) -> \(response)")
    return response
  }
}
