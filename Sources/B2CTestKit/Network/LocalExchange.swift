internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// The steps of every local server around its core: it records the request, applies the faults, dates the answer.
final class LocalExchange: Sendable {
  private struct State {
    var log = RecordLog()
    var faults: [LocalFault] = []
  }

  private let state = Locked(State())
  private let now: @Sendable () -> Date

  init(now: @escaping @Sendable () -> Date) {
    self.now = now
  }

  var records: [RecordedRequest] { state.withLock { $0.log.records } }

  var faults: [LocalFault] {
    get { state.withLock { $0.faults } }
    set { state.withLock { $0.faults = newValue } }
  }

  func clearRecords() { state.withLock { $0.log.clear() } }

  func run(
    _ request: TransportRequest, core: @Sendable (TransportRequest) async -> LocalAnswer
  ) async -> LocalAnswer {
    let (mark, faults) = begin(request)
    for fault in faults {
      switch fault.effect {
      case .wait(let gate):
        guard (try? await gate.wait()) != nil else { return .never }
      case .never: return .never
      case .offline: return .cut(TransportResponse(status: 503), afterBodyBytes: nil)
      default: break
      }
    }
    var response: TransportResponse
    if let canned = faults.lazy.compactMap(\.cannedResponse).first {
      response = canned
    } else {
      switch await core(request) {
      case .response(let answer): response = answer
      case let other: return other
      }
    }
    if response.headers["Date"] == nil { response.headers["Date"] = LocalDates.http(now()) }
    if request.method == .head {
      response.headers["Content-Length"] = String(response.body.count)
      response.body = Data()
    }
    for case .change(let change) in faults.map(\.effect) { change(&response) }
    state.withLock { [response] in $0.log.end(mark, response) }
    for case .holdAnswer(let gate) in faults.map(\.effect) {
      guard (try? await gate.wait()) != nil else { return .never }
    }
    return faults.lazy.compactMap { $0.brokenAnswer(response) }.first ?? .response(response)
  }

  private func begin(_ request: TransportRequest) -> (mark: Int, faults: [LocalFault]) {
    state.withLock { state in
      let mark = state.log.begin(request)
      var active: [LocalFault] = []
      for index in state.faults.indices where state.faults[index].target.contains(request) {
        if let times = state.faults[index].times {
          guard times > 0 else { continue }
          state.faults[index].times = times - 1
        }
        active.append(state.faults[index])
      }
      return (mark, active)
    }
  }
}

extension LocalFault {
  fileprivate var cannedResponse: TransportResponse? {
    if case .respond(let response) = effect { response } else { nil }
  }

  fileprivate func brokenAnswer(_ response: TransportResponse) -> LocalAnswer? {
    switch effect {
    case .reset: .cut(response, afterBodyBytes: nil)
    case .cut(let count): .cut(response, afterBodyBytes: count)
    case .drip(let piece, let pause): .drip(response, piece: piece, pause: pause)
    default: nil
    }
  }
}
