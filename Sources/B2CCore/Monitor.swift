/// State behind a lock, and tasks that wait until a condition on it holds.
///
/// A waiting task that is cancelled returns at once.
package final class Monitor<State: Sendable>: Sendable {
  private struct Waiter: Sendable {
    let condition: @Sendable (State) -> Bool
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Content: Sendable {
    var state: State
    /// The waiting tasks by the numbers in which they came.
    var waiters: [Int: Waiter] = [:]
    var lastNumber = 0

    /// Removes the waiters whose condition holds, and returns them in the order in which they came.
    mutating func takeReady() -> [Waiter] {
      guard !waiters.isEmpty else { return [] }
      let ready = waiters.filter { $0.value.condition(state) }.sorted { $0.key < $1.key }
      for (number, _) in ready { waiters[number] = nil }
      return ready.map(\.value)
    }
  }

  private let content: Locked<Content>

  package init(_ state: State) { content = Locked(Content(state: state)) }

  /// The present state; reading it tests no waiting task (row 4 of the benchmarks).
  package var state: State { content.withLock { $0.state } }

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
        // A cancellation before this found nothing that waits.
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
