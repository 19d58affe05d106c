internal import B2CCore

/// A lock for each key among the tasks of this process, first come first served.
///
/// A waiter that is cancelled or whose deadline passes leaves the queue alone; the others keep their places.
final class KeyedLock<Key: Hashable & Sendable>: Sendable {
  private struct Waiter {
    let id: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var nextID = 0
    /// A key that is present is held; its waiters are queued behind the holder.
    var queues: [Key: [Waiter]] = [:]
    /// Callers that have not got the lock yet; with an error when they were dismissed before they were queued.
    var asking: [Int: (any Error)?] = [:]
  }

  private let state = Locked(State())

  /// Runs a body while no other task holds the same key.
  ///
  /// - Throws: `TokenCacheError` with code `lockTimedOut` when the deadline passes first, `CancellationError` when the
  ///   task is cancelled first; otherwise what the body throws.
  func withLock<Result>(
    _ key: Key, by deadline: Deadline, _ body: () async throws -> Result
  ) async throws -> Result {
    try await take(key, by: deadline)
    defer { release(key) }
    return try await body()
  }

  private func take(_ key: Key, by deadline: Deadline) async throws {
    try Task.checkCancellation()
    let id: Int? = state.withLock { state in
      guard state.queues[key] != nil else {
        state.queues[key] = []
        return nil
      }
      state.nextID += 1
      state.asking[state.nextID] = .some(nil)
      return state.nextID
    }
    guard let id else { return }
    let timer = Task {
      try await deadline.sleep(deadline.remaining())
      dismiss(id, from: key, with: TokenCacheError.lockTimedOut(nil))
    }
    defer {
      timer.cancel()
      state.withLock { $0.asking[id] = nil }
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { enqueue(Waiter(id: id, continuation: $0), for: key) }
    } onCancel: {
      dismiss(id, from: key, with: CancellationError())
    }
  }

  private func release(_ key: Key) {
    let next: Waiter? = state.withLock { state in
      guard var queue = state.queues[key], !queue.isEmpty else {
        state.queues[key] = nil
        return nil
      }
      let next = queue.removeFirst()
      state.queues[key] = queue
      return next
    }
    next?.continuation.resume()
  }

  private func enqueue(_ waiter: Waiter, for key: Key) {
    let outcome: Result<Void, any Error>? = state.withLock { state in
      if case .some(.some(let error)) = state.asking[waiter.id] { return .failure(error) }
      guard state.queues[key] != nil else {
        state.queues[key] = []
        return .success(())
      }
      state.queues[key]?.append(waiter)
      return nil
    }
    if let outcome { waiter.continuation.resume(with: outcome) }
  }

  private func dismiss(_ id: Int, from key: Key, with error: any Error) {
    let waiter: Waiter? = state.withLock { state in
      guard let index = state.queues[key]?.firstIndex(where: { $0.id == id }) else {
        if state.asking[id] != nil { state.asking[id] = .some(error) }
        return nil
      }
      return state.queues[key]?.remove(at: index)
    }
    waiter?.continuation.resume(throwing: error)
  }
}

/// A point in time on any clock, with the means to wait on that clock.
struct Deadline: Sendable {
  /// The time until then; zero or less once it has passed.
  let remaining: @Sendable () -> Duration
  /// Waits on the same clock.
  let sleep: @Sendable (Duration) async throws -> Void

  init(after timeout: Duration, on clock: any Clock<Duration>) {
    self = Self.make(timeout, clock)
  }

  private init(
    remaining: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.remaining = remaining
    self.sleep = sleep
  }

  private static func make<C: Clock>(_ timeout: Duration, _ clock: C) -> Deadline where C.Duration == Duration {
    let end = clock.now.advanced(by: timeout)
    return Deadline(
      remaining: { clock.now.duration(to: end) },
      sleep: { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) })
  }
}
