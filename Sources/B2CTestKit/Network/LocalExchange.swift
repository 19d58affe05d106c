internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// The frame around a local server, which records each request, applies the faults and dates the response.
final class LocalExchange: Sendable {
  struct State {
    var log = RecordLog()
    var faults: [LocalFault] = []
  }

  let state = Locked(State())
  private let now: @Sendable () -> Date

  init(now: @escaping @Sendable () -> Date) { self.now = now }

  func run(_ request: URLRequest, core: (URLRequest) -> LocalResponse) async throws -> LocalResponse {
    let (mark, effects) = try begin(request)
    for effect in effects {
      if case .wait(let gate) = effect { try await gate.wait() }
      if case .never = effect { throw URLError(.timedOut) }
    }
    let canned = effects.lazy.compactMap { if case .respond(let response) = $0 { response } else { nil } }.first
    var response = canned ?? core(request)
    if response.headers["Date"] == nil { response.headers["Date"] = Dates.headerField(now()) }
    for case .change(let change) in effects { change(&response) }
    state.withLock { [response] in $0.log.end(mark, response) }
    for effect in effects {
      if case .holdAnswer(let gate) = effect { try await gate.wait() }
      if case .reset = effect { throw URLError(.networkConnectionLost) }
    }
    return response
  }

  private func begin(_ request: URLRequest) throws -> (mark: Int, effects: [LocalFault.Effect]) {
    try state.withLock { state in
      var active: [LocalFault.Effect] = []
      for index in state.faults.indices
      where state.faults[index].times ?? 1 > 0 && state.faults[index].target.contains(request) {
        state.faults[index].times? -= 1
        if case .offline = state.faults[index].effect { throw URLError(.notConnectedToInternet) }
        active.append(state.faults[index].effect)
      }
      return (state.log.begin(request), active)
    }
  }
}
