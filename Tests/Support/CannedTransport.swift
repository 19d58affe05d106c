internal import B2CCore
package import B2CHTTP

/// A transport that returns prepared results in turn, and keeps the requests.
package final class CannedTransport: HTTPTransport {
  package typealias Outcome = Result<TransportResponse, any Error>

  private let state: Locked<(outcomes: [Outcome], requests: [TransportRequest])>

  package init(_ outcomes: [Outcome]) {
    state = Locked((outcomes, []))
  }

  package convenience init(_ responses: TransportResponse...) {
    self.init(responses.map { .success($0) })
  }

  package convenience init(statuses first: Int, _ others: Int...) {
    self.init(([first] + others).map { .success(TransportResponse(status: $0)) })
  }

  /// The requests so far.
  package var requests: [TransportRequest] { state.withLock { $0.requests } }
  /// The number of results that nobody has asked for.
  package var unused: Int { state.withLock { $0.outcomes.count } }

  package func send(_ request: TransportRequest) async throws -> TransportResponse {
    let outcome = state.withLock { state -> Outcome in
      state.requests.append(request)
      guard !state.outcomes.isEmpty else {
        return .failure(TransportError(.invalidRequest, "No result was prepared for this request."))
      }
      return state.outcomes.removeFirst()
    }
    return try outcome.get()
  }
}
