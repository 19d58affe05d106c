internal import B2CCore

/// Turns within this process, one holder for each name, first come first served.
///
/// A waiter that is cancelled or whose deadline passes leaves the queue alone; the others keep their places.
final class KeyedGate<Name: Hashable & Sendable>: Sendable {
  private struct Waiter {
    let id: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var nextID = 0
    /// A name that is there is held; its waiters stand behind the holder.
    var queues: [Name: [Waiter]] = [:]
    /// Those who have asked and are not through; with an error, they were told to leave before they had queued up.
    var asking: [Int: (any Error)?] = [:]
  }

  private let state = Locked(State())

  init() {}

  /// Takes a name if it is free.
  func enterIfFree(_ name: Name) -> Bool {
    state.withLock { state in
      guard state.queues[name] == nil else { return false }
      state.queues[name] = []
      return true
    }
  }

  /// Waits for a name.
  ///
  /// - Throws: `TokenCacheError` with code `lockTimedOut` when the deadline passes first, `CancellationError` when the
  ///   task is cancelled first.
  func enter(_ name: Name, by deadline: Deadline) async throws {
    try Task.checkCancellation()
    if enterIfFree(name) { return }
    let id = state.withLock { state in
      state.nextID += 1
      state.asking[state.nextID] = .some(nil)
      return state.nextID
    }
    let timer = Task {
      try await deadline.sleep(deadline.remaining())
      sendAway(id, from: name, with: TokenCacheError.lockTimedOut)
    }
    defer {
      timer.cancel()
      state.withLock { $0.asking[id] = nil }
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wait(Waiter(id: id, continuation: $0), for: name) }
    } onCancel: {
      sendAway(id, from: name, with: CancellationError())
    }
  }

  /// Gives a name back; the next in the queue has it then.
  func leave(_ name: Name) {
    let next: Waiter? = state.withLock { state in
      guard var queue = state.queues[name], !queue.isEmpty else {
        state.queues[name] = nil
        return nil
      }
      let next = queue.removeFirst()
      state.queues[name] = queue
      return next
    }
    next?.continuation.resume()
  }

  private func wait(_ waiter: Waiter, for name: Name) {
    let outcome: Result<Void, any Error>? = state.withLock { state in
      if case .some(.some(let error)) = state.asking[waiter.id] { return .failure(error) }
      guard state.queues[name] != nil else {
        state.queues[name] = []
        return .success(())
      }
      state.queues[name]?.append(waiter)
      return nil
    }
    if let outcome { waiter.continuation.resume(with: outcome) }
  }

  private func sendAway(_ id: Int, from name: Name, with error: any Error) {
    let waiter: Waiter? = state.withLock { state in
      guard let index = state.queues[name]?.firstIndex(where: { $0.id == id }) else {
        if state.asking[id] != nil { state.asking[id] = .some(error) }
        return nil
      }
      return state.queues[name]?.remove(at: index)
    }
    waiter?.continuation.resume(throwing: error)
  }
}

extension TokenCacheError {
  static let lockTimedOut = TokenCacheError(
    .lockTimedOut, "Another holder of the same token record did not let go in time.",
    recoverySuggestion: "Try again later; a longer lockTimeout helps when the holder waits for a slow network.")
}
