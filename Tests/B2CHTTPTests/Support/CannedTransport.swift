import B2CCore
import B2CHTTP

/// A transport that gives prepared results in turn, and keeps what it was asked to send.
final class CannedTransport: HTTPTransport {
  typealias Outcome = Result<TransportResponse, any Error>

  private let state: Locked<(outcomes: [Outcome], sent: [TransportRequest])>

  init(_ outcomes: [Outcome]) {
    state = Locked((outcomes, []))
  }

  convenience init(statuses: Int...) {
    self.init(statuses.map { .success(TransportResponse(status: $0)) })
  }

  convenience init(_ responses: TransportResponse...) {
    self.init(responses.map { .success($0) })
  }

  var sent: [TransportRequest] { state.withLock { $0.sent } }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let outcome = state.withLock { state -> Outcome in
      state.sent.append(request)
      guard !state.outcomes.isEmpty else {
        return .failure(TransportError(.invalidRequest, "Nothing was prepared for this request."))
      }
      return state.outcomes.removeFirst()
    }
    return try outcome.get()
  }
}
