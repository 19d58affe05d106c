internal import Foundation

/// State behind a lock, and tasks that wait until a condition on it holds.
///
/// A waiting task that is cancelled returns at once.
package final class Monitor<State: Sendable>: Sendable {
  private struct Waiter: Sendable {
    let id: UUID
    let condition: @Sendable (State) -> Bool
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Content: Sendable {
    var state: State
    var waiters: [Waiter] = []

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
    try Task.checkCancellation()
    let id = UUID()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isReady = content.withLock { content in
          let isReady = condition(content.state)
          if !isReady { content.waiters.append(Waiter(id: id, condition: condition, continuation: continuation)) }
          return isReady
        }
        if isReady { continuation.resume() }
        // A cancellation before this found nothing that waits.
        if Task.isCancelled { cancel(id) }
      }
    } onCancel: {
      cancel(id)
    }
  }

  private func cancel(_ id: UUID) {
    let waiter = content.withLock { content in
      content.waiters.firstIndex { $0.id == id }.map { content.waiters.remove(at: $0) }
    }
    waiter?.continuation.resume(throwing: CancellationError())
  }
}
