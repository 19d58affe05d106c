internal import B2CCore
internal import Foundation

/// An exchange whose body is handed on while it arrives.
///
/// What nobody has asked for yet is kept. Where the platform can pause a transfer, not much is.
final class StreamedExchange: Exchange {
  private static let highWater = 256 * 1024

  private struct State {
    var link: ExchangeLink?
    var head: ResponseHead?
    var waiting = Data()
    var received = 0
    var isPaused = false
    var hasEnded = false
    var error: (any Error)?
    var headReader: CheckedContinuation<ResponseHead, any Error>?
    var bodyReader: CheckedContinuation<Data?, any Error>?
    var endings: [@Sendable (_ wasStarted: Bool) -> Void] = []
  }

  private let limit: BodyLimit
  private let state = Locked(State())

  init(_ limit: BodyLimit) {
    self.limit = limit
  }

  /// Has something done when the exchange has ended; at once when it has.
  func whenEnded(_ action: @escaping @Sendable (_ wasStarted: Bool) -> Void) {
    let ended = state.withLock { state -> Bool? in
      guard !state.hasEnded else { return state.link != nil }
      state.endings.append(action)
      return nil
    }
    if let ended { action(ended) }
  }

  /// Takes whoever waits for the head; `false` when the exchange has ended already.
  func waitForHead(_ continuation: CheckedContinuation<ResponseHead, any Error>) -> Bool {
    let error = state.withLock { state -> (any Error)? in
      if state.hasEnded { return state.error ?? CancellationError() }
      state.headReader = continuation
      return nil
    }
    guard let error else { return true }
    continuation.resume(throwing: error)
    return false
  }

  /// Gives the next bytes, `nil` at the end.
  func next() async throws -> Data? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { read($0) }
    } onCancel: {
      fail(CancellationError())
    }
  }

  func attach(_ link: ExchangeLink) -> Bool {
    state.withLock { state in
      guard !state.hasEnded else { return false }
      state.link = link
      return true
    }
  }

  func receive(_ head: ResponseHead) {
    guard !limit.isExceeded(by: head) else { return fail(limit.error) }
    let reader = state.withLock { state in
      state.head = head
      defer { state.headReader = nil }
      return state.headReader
    }
    reader?.resume(returning: head)
  }

  func receive(_ bytes: Data) {
    enum Step { case kept, handed(CheckedContinuation<Data?, any Error>), tooMuch }
    let step = state.withLock { state -> Step in
      guard !state.hasEnded else { return .kept }
      state.received += bytes.count
      guard state.received <= limit.maximumBytes else { return .tooMuch }
      if let reader = state.bodyReader {
        state.bodyReader = nil
        return .handed(reader)
      }
      if state.waiting.isEmpty { state.waiting = bytes } else { state.waiting.append(bytes) }
      if state.waiting.count > Self.highWater, !state.isPaused, let link = state.link {
        // Under the lock, as the resuming is: the two must not change places.
        SessionTraits.pause(link.task)
        state.isPaused = true
      }
      return .kept
    }
    switch step {
    case .kept: break
    case .handed(let reader): reader.resume(returning: bytes)
    case .tooMuch: fail(limit.error)
    }
  }

  func complete(_ head: ResponseHead?, _ error: TransportError?) {
    let isHTTP = state.withLock { state in
      state.head = state.head ?? head
      return state.head != nil
    }
    end(error ?? (isHTTP ? nil : TransportError(.invalidResponse, "The answer is not HTTP.")), dropping: false)
  }

  func fail(_ error: any Error) {
    end(error, dropping: true)?.abort()
  }

  @discardableResult
  private func end(_ error: (any Error)?, dropping: Bool) -> ExchangeLink? {
    let before = state.withLock { state -> State? in
      guard !state.hasEnded else { return nil }
      let before = state
      state.hasEnded = true
      state.error = error
      state.headReader = nil
      state.bodyReader = nil
      state.endings = []
      if dropping { state.waiting = Data() }
      return before
    }
    guard let before else { return nil }
    if let error {
      before.headReader?.resume(throwing: error)
      before.bodyReader?.resume(throwing: error)
    } else {
      if let head = before.head { before.headReader?.resume(returning: head) }
      before.bodyReader?.resume(returning: nil)
    }
    before.endings.forEach { $0(before.link != nil) }
    return before.link
  }

  private func read(_ reader: CheckedContinuation<Data?, any Error>) {
    enum Step { case wait, give(Data), end((any Error)?) }
    let step = state.withLock { state -> Step in
      if !state.waiting.isEmpty {
        defer { state.waiting = Data() }
        if state.isPaused, let link = state.link {
          SessionTraits.resume(link.task)
          state.isPaused = false
        }
        return .give(state.waiting)
      }
      if state.hasEnded { return .end(state.error) }
      state.bodyReader = reader
      return .wait
    }
    switch step {
    case .wait: break
    case .give(let bytes): reader.resume(returning: bytes)
    case .end(let error?): reader.resume(throwing: error)
    case .end(nil): reader.resume(returning: nil)
    }
  }
}
