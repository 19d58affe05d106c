/// State behind a lock, and tasks that wait until a condition on it holds.
///
/// A waiting task that is cancelled returns at once.
package final class Monitor<State: Sendable>: Sendable {
  private struct Waiter: Sendable {
    let id: Int
    let condition: @Sendable (State) -> Bool
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Content: Sendable {
    var state: State
    var nextID = 0
    var waiters: [Waiter] = []
    /// Waiters that were cancelled before they had suspended.
    var cancelled: Set<Int> = []

    mutating func takeReady() -> [Waiter] {
      let ready = waiters.filter { $0.condition(state) }
      if !ready.isEmpty { waiters.removeAll { waiter in ready.contains { $0.id == waiter.id } } }
      return ready
    }
  }

  private let content: Locked<Content>

  package init(_ state: State) {
    content = Locked(Content(state: state))
  }

  /// Reads or changes the state, then resumes the tasks whose condition holds.
  package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    let (result, ready) = try content.withLock { content in
      (try body(&content.state), content.takeReady())
    }
    ready.forEach { $0.continuation.resume() }
    return result
  }

  /// Waits until a condition on the state holds.
  ///
  /// - Throws: `CancellationError` when the calling task is cancelled first.
  package func wait(until condition: @escaping @Sendable (State) -> Bool) async throws {
    let id = content.withLock { content in
      content.nextID += 1
      return content.nextID
    }
    defer { content.withLock { _ = $0.cancelled.remove(id) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = content.withLock { content in
          if content.cancelled.contains(id) { return .failure(CancellationError()) }
          if condition(content.state) { return .success(()) }
          content.waiters.append(Waiter(id: id, condition: condition, continuation: continuation))
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let waiter = content.withLock { content -> Waiter? in
        guard let index = content.waiters.firstIndex(where: { $0.id == id }) else {
          content.cancelled.insert(id)
          return nil
        }
        return content.waiters.remove(at: index)
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }
}
