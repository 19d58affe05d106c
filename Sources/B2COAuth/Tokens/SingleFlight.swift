/// Lets any number of callers wait for one piece of work.
///
/// Each caller has a dedicated continuation: one that is cancelled leaves at once and the others go on; when the last
/// has left, the work is cancelled. (Awaiting a shared `Task` would keep a cancelled caller until the work is done.)
package actor SingleFlight<Key: Hashable & Sendable, Value: Sendable> {
  private struct Flight {
    let number: Int
    let task: Task<Void, Never>
    var waiters: [Int: CheckedContinuation<Value, any Error>]
  }

  private var flights: [Key: Flight] = [:]
  private var nextNumber = 0

  package init() {}

  /// Joins the work under way for a key, or starts it.
  ///
  /// - Throws: What the work throws; `CancellationError` when the calling task is cancelled.
  package func value(
    for key: Key, onJoin: @Sendable () -> Void = {}, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try Task.checkCancellation()
    let waiter = number()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if flights[key] != nil {
          flights[key]?.waiters[waiter] = continuation
          onJoin()
        } else {
          start(key, work, waiters: [waiter: continuation])
        }
      }
    } onCancel: {
      Task { await self.leave(key, waiter) }
    }
  }

  private func start(
    _ key: Key, _ work: @escaping @Sendable () async throws -> Value,
    waiters: [Int: CheckedContinuation<Value, any Error>]
  ) {
    let flight = number()
    let task = Task {
      let result: Result<Value, any Error>
      do {
        result = .success(try await work())
      } catch {
        result = .failure(error)
      }
      self.finish(key, flight, result)
    }
    flights[key] = Flight(number: flight, task: task, waiters: waiters)
  }

  private func finish(_ key: Key, _ flight: Int, _ result: Result<Value, any Error>) {
    // A flight that all callers left is no longer in the table; another may have replaced it.
    guard let ended = flights[key], ended.number == flight else { return }
    flights[key] = nil
    for continuation in ended.waiters.values { continuation.resume(with: result) }
  }

  private func leave(_ key: Key, _ waiter: Int) {
    guard let continuation = flights[key]?.waiters.removeValue(forKey: waiter) else { return }
    continuation.resume(throwing: CancellationError())
    if let flight = flights[key], flight.waiters.isEmpty {
      // The next caller starts afresh.
      flights[key] = nil
      flight.task.cancel()
    }
  }

  private func number() -> Int {
    nextNumber += 1
    return nextNumber
  }
}
