internal import B2CCore
public import Foundation

/// A clock that a test moves by hand: nothing waits, and "an hour later" takes no time.
///
/// It serves both as the `Clock` that deadlines and retries sleep on and, through ``date``, as the wall clock that token
/// lifetimes are measured by.
///
/// ```swift
/// let clock = TestClock()
/// let connector = try Connector(settings: settings, clock: clock, now: { clock.date })
/// await clock.advance(by: .seconds(3600))
/// ```
public final class TestClock: Clock, Sendable {
  /// A point on the test clock, counted from its start.
  public struct Instant: InstantProtocol, Sendable {
    /// The time since the clock's start.
    public let offset: Duration

    /// Gives the instant a duration later.
    ///
    /// - Parameter duration: How much later; negative for earlier.
    /// - Returns: The other instant.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// Gives the time from this instant to another.
    ///
    /// - Parameter other: The other instant.
    /// - Returns: The time between, negative when the other is earlier.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Orders instants by time.
    ///
    /// - Parameters:
    ///   - left: One instant.
    ///   - right: The other.
    /// - Returns: Whether the first is earlier.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let id: Int
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Watcher {
    let id: Int
    let count: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var nextID = 0
    var sleepers: [Sleeper] = []
    var watchers: [Watcher] = []
    var cancelled: Set<Int> = []
  }

  private let start: Date
  private let state = Locked(State())

  /// Makes a clock that stands still.
  ///
  /// - Parameter start: The wall time at its start; 2026-01-01 00:00:00 UTC unless said otherwise.
  public init(start: Date = Date(timeIntervalSince1970: 1_767_225_600)) {
    self.start = start
  }

  /// The present instant.
  public var now: Instant { state.withLock { $0.now } }

  /// The smallest step, a nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// The wall time: the start plus all that the clock was moved.
  public var date: Date {
    let (seconds, attoseconds) = now.offset.components
    return start.addingTimeInterval(Double(seconds) + Double(attoseconds) / 1e18)
  }

  /// Waits until the clock is moved to a deadline.
  ///
  /// - Parameters:
  ///   - deadline: The instant to wait for.
  ///   - tolerance: Not used.
  /// - Throws: `CancellationError` when the calling task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        register(Sleeper(id: id, deadline: deadline, continuation: continuation))
      }
    } onCancel: {
      cancel(id)
    }
  }

  /// Moves the clock on and wakes whoever has waited for it, in the order of their deadlines.
  ///
  /// - Parameter duration: How far to move.
  public func advance(by duration: Duration) async {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.deadline <= state.now }.sorted { $0.deadline < $1.deadline }
      state.sleepers.removeAll { $0.deadline <= state.now }
      return due
    }
    for sleeper in due {
      sleeper.continuation.resume()
      await Task.yield()
    }
  }

  /// Waits until at least so many tasks sleep on this clock, so that moving it is sure to wake them.
  ///
  /// It returns early when the calling task is cancelled, so that a test's time limit can end a wait in vain.
  ///
  /// - Parameter count: How many sleepers to wait for.
  public func waitForSleepers(_ count: Int = 1) async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDone = state.withLock { state in
          if state.cancelled.remove(id) != nil || state.sleepers.count >= count { return true }
          state.watchers.append(Watcher(id: id, count: count, continuation: continuation))
          return false
        }
        if isDone { continuation.resume() }
      }
    } onCancel: {
      cancelWatcher(id)
    }
  }

  private func cancelWatcher(_ id: Int) {
    let watcher = state.withLock { state -> Watcher? in
      guard let index = state.watchers.firstIndex(where: { $0.id == id }) else {
        state.cancelled.insert(id)
        return nil
      }
      return state.watchers.remove(at: index)
    }
    watcher?.continuation.resume()
  }

  private func register(_ sleeper: Sleeper) {
    enum Outcome { case due, cancelled, waiting([Watcher]) }
    let outcome: Outcome = state.withLock { state in
      if state.cancelled.remove(sleeper.id) != nil { return .cancelled }
      if sleeper.deadline <= state.now { return .due }
      state.sleepers.append(sleeper)
      let count = state.sleepers.count
      let satisfied = state.watchers.filter { $0.count <= count }
      state.watchers.removeAll { $0.count <= count }
      return .waiting(satisfied)
    }
    switch outcome {
    case .due: sleeper.continuation.resume()
    case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
    case .waiting(let watchers): watchers.forEach { $0.continuation.resume() }
    }
  }

  private func cancel(_ id: Int) {
    let sleeper = state.withLock { state -> Sleeper? in
      guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
        // The handler may run before the sleeper is registered.
        state.cancelled.insert(id)
        return nil
      }
      return state.sleepers.remove(at: index)
    }
    sleeper?.continuation.resume(throwing: CancellationError())
  }
}
