/// Lets one caller at a time through for each key, in the order they came.
package actor KeyedLock<Key: Hashable & Sendable> {
  private struct Waiter {
    let number: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  private var held: [Key: [Waiter]] = [:]
  private var nextNumber = 0

  package init() {}

  /// Runs a body while no other caller holds the same key.
  ///
  /// - Throws: What the body throws; `CancellationError` when the caller is cancelled while it waits.
  package nonisolated func withLock<Result: Sendable>(
    _ key: Key, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await acquire(key)
    do {
      let result = try await body()
      await release(key)
      return result
    } catch {
      await release(key)
      throw error
    }
  }

  private func acquire(_ key: Key) async throws {
    try Task.checkCancellation()
    guard held[key] != nil else {
      held[key] = []
      return
    }
    nextNumber += 1
    let number = nextNumber
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        held[key]?.append(Waiter(number: number, continuation: continuation))
      }
    } onCancel: {
      Task { await self.leave(key, number) }
    }
  }

  private func release(_ key: Key) {
    guard var waiters = held[key], !waiters.isEmpty else {
      held[key] = nil
      return
    }
    let next = waiters.removeFirst()
    held[key] = waiters
    next.continuation.resume()
  }

  private func leave(_ key: Key, _ number: Int) {
    guard let index = held[key]?.firstIndex(where: { $0.number == number }) else { return }
    held[key]?.remove(at: index).continuation.resume(throwing: CancellationError())
  }
}
