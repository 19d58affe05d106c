import B2CCore
import Foundation
import TaskAPI

/// Answers requests from a list, in order, and keeps what was sent.
final class CannedTransport: HTTPTransport {
  struct OutOfAnswers: Error {}

  private struct State {
    var answers: [Result<TransportResponse, TransportError>]
    var requests: [TransportRequest] = []
  }

  private let state: Locked<State>

  init(_ answers: [Result<TransportResponse, TransportError>]) {
    state = Locked(State(answers: answers))
  }

  convenience init(_ answers: TransportResponse...) {
    self.init(answers.map { .success($0) })
  }

  var requests: [TransportRequest] { state.withLock { $0.requests } }
  var unused: Int { state.withLock { $0.answers.count } }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    try state.withLock { state in
      state.requests.append(request)
      guard !state.answers.isEmpty else { throw OutOfAnswers() }
      return try state.answers.removeFirst().get()
    }
  }
}

extension TransportResponse {
  static func text(_ status: Int, _ body: String, headers: TransportRequest.Headers = [:]) -> TransportResponse {
    TransportResponse(status: status, headers: headers, body: Data(body.utf8))
  }
}
