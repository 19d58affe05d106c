internal import B2CCore
internal import Dispatch
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// One request under way: collects the answer, bounds it, and can be ended from this side at any time.
final class SessionExchange: Sendable {
  private typealias Outcome = Result<(Data, HTTPURLResponse), any Error>

  private struct State {
    var link: Link?
    var head: HTTPURLResponse?
    var body = Data()
    var continuation: CheckedContinuation<(Data, HTTPURLResponse), any Error>?
    var outcome: Outcome?
  }

  private let maximumBytes: Int
  private let state = Locked(State())

  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  /// Resumes a continuation with the answer; `false` when that has happened already.
  func wait(_ continuation: CheckedContinuation<(Data, HTTPURLResponse), any Error>) -> Bool {
    let outcome = state.withLock { state in
      if state.outcome == nil { state.continuation = continuation }
      return state.outcome
    }
    guard let outcome else { return true }
    continuation.resume(with: outcome)
    return false
  }

  /// Ties the exchange to the session's task; `false` when it has ended already and nothing is to be sent.
  func attach(_ link: Link) -> Bool {
    state.withLock { state in
      guard state.outcome == nil else { return false }
      state.link = link
      return true
    }
  }

  /// Takes the head.
  func receive(_ head: HTTPURLResponse) {
    state.withLock { $0.head = head }
  }

  /// Takes a piece of the body; one too many ends the exchange.
  func receive(_ bytes: Data) {
    let fits = state.withLock { state in
      guard state.outcome == nil else { return true }
      guard state.body.count + bytes.count <= maximumBytes else { return false }
      if state.body.isEmpty { state.body = bytes } else { state.body.append(bytes) }
      return true
    }
    guard !fits else { return }
    fail(
      TransportError(.responseTooLarge, "The answer is larger than the \(maximumBytes) bytes that the request allows."))
  }

  /// Takes the end of the transfer, with the head when it was not given before.
  func complete(_ head: HTTPURLResponse?, _ error: TransportError?) {
    end { state in
      if let error { return .failure(error) }
      guard let head = state.head ?? head else {
        return .failure(TransportError(.invalidResponse, "The answer is not HTTP."))
      }
      return .success((state.body, head))
    }
  }

  /// Ends the exchange from this side, at once; later callbacks of the session are ignored.
  func fail(_ error: any Error) {
    end { _ in .failure(error) }?.abort()
  }

  @discardableResult
  private func end(_ result: (State) -> Outcome) -> Link? {
    let (ending, link) = state.withLock {
      state -> ((CheckedContinuation<(Data, HTTPURLResponse), any Error>, Outcome)?, Link?) in
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

extension SessionExchange {
  /// The session's task that carries an exchange.
  struct Link: Sendable {
    /// Cancelling takes the task's lock, so it must not happen where another lock may be held, such as in a cancellation
    /// handler or a callback: on Linux that can block the whole session.
    private static let queue = DispatchQueue(label: "B2CHTTP.cancellation")

    let task: URLSessionDataTask
    let delegate: SessionDelegate

    /// Runs what takes the session's locks, outside of its callbacks.
    static func later(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }

    /// Ends the transfer, soon; the exchange hears no more of it.
    func abort() {
      delegate.forget(task)
      Self.later { [task] in task.cancel() }
    }
  }
}
