/// State behind a lock, for whose conditions tasks can wait.
///
/// If a waiting task is cancelled, it returns immediately.
package final class Monitor<State: Sendable>: Sendable {
  private struct Waiter: Sendable {
    let condition: @Sendable (State) -> Bool
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Content: Sendable {
    var state: State
    /// The waiting tasks, by numbers in the order in which they began to wait.
    var waiters: [Int: Waiter] = [:]
    var lastNumber = 0

    /// Removes the tasks whose condition holds, and returns them in the order in which they began to wait.
    mutating func takeReady() -> [Waiter] {
      guard !waiters.isEmpty else { return [] }
      let ready = waiters.filter { $0.value.condition(state) }.sorted { $0.key < $1.key }
      for (number, _) in ready { waiters[number] = nil }
      return ready.map(\.value)
    }
  }

  private let content: Locked<Content>

  package init(_ state: State) { content = Locked(Content(state: state)) }

  /// The current state, read without testing the conditions of waiting tasks, so that reading is fast.
  package var state: State { content.withLock { $0.state } }

  /// Reads or changes the state, and then resumes the tasks whose condition holds.
  package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    let (result, ready) = try content.withLock { content in
      (try body(&content.state), content.takeReady())
    }
    ready.forEach { $0.continuation.resume() }
    return result
  }

  /// Waits until a condition on the state holds.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  package func wait(until condition: @escaping @Sendable (State) -> Bool) async throws {
    try Task.checkCancellation()
    let number = content.withLock { content in
      content.lastNumber += 1
      return content.lastNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isReady = content.withLock { content in
          let isReady = condition(content.state)
          if !isReady { content.waiters[number] = Waiter(condition: condition, continuation: continuation) }
          return isReady
        }
        if isReady { continuation.resume() }
        // If the task was cancelled before this point, the cancellation handler found no waiter, so resume it here.
        if Task.isCancelled { cancel(number) }
      }
    } onCancel: {
      cancel(number)
    }
  }

  private func cancel(_ number: Int) {
    let waiter = content.withLock { $0.waiters.removeValue(forKey: number) }
    waiter?.continuation.resume(throwing: CancellationError())
  }
}
