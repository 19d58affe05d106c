internal import B2CCore
internal import Foundation

/// A lock for each key among the tasks of this process, first come first served.
///
/// A waiter that is cancelled or whose time is over leaves the queue; the others keep their places.
package final class KeyedLock<Key: Hashable & Sendable>: Sendable {
  /// The callers of each key that is in use, of whom the first one holds the lock; no key's callers look at another key's.
  private let queues = Locked<[Key: Monitor<[UUID]>]>([:])

  package init() {}

  /// The error of a lock that was not released in time.
  package static var notFree: ConnectorError {
    ConnectorError(
      own: .timedOut, "Another refresh of this user did not end in time.", recoverySuggestion: "Try again later.")
  }

  /// Runs a body while no other task holds the same key.
  ///
  /// - Parameters:
  ///   - key: The key to hold.
  ///   - timeout: How long to wait for it; `nil` for as long as it takes.
  ///   - clock: The clock that the wait is measured on.
  ///   - body: The work to do meanwhile.
  /// - Returns: What the body returns.
  /// - Throws: ``ConnectorError`` with code `timedOut` when the time is over first, `CancellationError` when the task is
  ///   cancelled first; otherwise what the body throws.
  package func withLock<Result>(
    _ key: Key, timeout: Duration? = nil, on clock: any Clock<Duration> = ContinuousClock(),
    _ body: () async throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let id = UUID()
    let queue = queues.withLock { queues in
      let queue = queues[key] ?? Monitor([])
      queue.withLock { $0.append(id) }
      queues[key] = queue
      return queue
    }
    defer { leave(id, key, queue) }
    if queue.withLock({ $0.first != id }) {
      try await withTimeout(timeout, on: clock, throwing: Self.notFree) { try await queue.wait { $0.first == id } }
    }
    try Task.checkCancellation()
    return try await body()
  }

  private func leave(_ id: UUID, _ key: Key, _ queue: Monitor<[UUID]>) {
    queues.withLock { queues in
      queue.withLock { $0.removeAll { $0 == id } }
      if queue.withLock(\.isEmpty) { queues[key] = nil }
    }
  }
}
