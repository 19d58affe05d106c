internal import B2CCore
internal import Foundation

/// An exchange whose answer is given in one piece.
final class BufferedExchange: Exchange {
  private typealias Outcome = Result<TransportResponse, any Error>

  private struct State {
    var link: ExchangeLink?
    var head: ResponseHead?
    var body = Data()
    var continuation: CheckedContinuation<TransportResponse, any Error>?
    var outcome: Outcome?
  }

  private let limit: BodyLimit
  private let state = Locked(State())

  init(_ limit: BodyLimit) {
    self.limit = limit
  }

  /// Takes whoever waits for the answer; `false` when it was there already.
  func wait(_ continuation: CheckedContinuation<TransportResponse, any Error>) -> Bool {
    let outcome = state.withLock { state in
      if state.outcome == nil { state.continuation = continuation }
      return state.outcome
    }
    guard let outcome else { return true }
    continuation.resume(with: outcome)
    return false
  }

  func attach(_ link: ExchangeLink) -> Bool {
    state.withLock { state in
      guard state.outcome == nil else { return false }
      state.link = link
      return true
    }
  }

  func receive(_ head: ResponseHead) {
    guard !limit.isExceeded(by: head) else { return fail(limit.error) }
    state.withLock { $0.head = head }
  }

  func receive(_ bytes: Data) {
    let fits = state.withLock { state in
      guard state.outcome == nil else { return true }
      guard state.body.count + bytes.count <= limit.maximumBytes else { return false }
      if state.body.isEmpty { state.body = bytes } else { state.body.append(bytes) }
      return true
    }
    if !fits { fail(limit.error) }
  }

  func complete(_ head: ResponseHead?, _ error: TransportError?) {
    end { state in
      if let error { return .failure(error) }
      guard let head = state.head ?? head else {
        return .failure(TransportError(.invalidResponse, "The answer is not HTTP."))
      }
      return .success(head.response(with: state.body))
    }
  }

  func fail(_ error: any Error) {
    end { _ in .failure(error) }?.abort()
  }

  @discardableResult
  private func end(_ result: (State) -> Outcome) -> ExchangeLink? {
    let (ending, link) = state.withLock {
      state -> ((CheckedContinuation<TransportResponse, any Error>, Outcome)?, ExchangeLink?) in
      guard state.outcome == nil else { return (nil, nil) }
      let outcome = result(state)
      state.outcome = outcome
      state.body = Data()
      defer { state.continuation = nil }
      return (state.continuation.map { ($0, outcome) }, state.link)
    }
    if let (continuation, outcome) = ending {
      continuation.resume(with: outcome)
    }
    return link
  }
}
