internal import B2CCore
public import Foundation

/// A clock for tests: "an hour later" takes no time.
///
/// It serves both as the `Clock` that deadlines and retries sleep on and, through ``date``, as the wall clock that token
/// lifetimes are measured by.
///
/// ```swift
/// let clock = TestClock()
/// environment.setTime(clock: clock) { clock.date }
/// let connector = try Connector(settings: settings, environment: environment)
/// try await connector.doPolicy(.signIn)
/// await clock.advance(by: .seconds(3600))    // the access token has expired
/// let tasks = try await connector.getTaskList()
/// ```
/// A sleep that no test ends moves the clock itself, after a 25th of its length in real time: a retry does not
/// make a test hang. A test that moves sleepers itself makes the clock with `advancesItself: false`; the clock stops moving
/// by itself at ``waitForSleepers(_:)`` too, which may be too late for a short sleep.
public final class TestClock: Clock, Sendable {
  /// A point on the test clock; only the time between two of them means something.
  public typealias Instant = ContinuousClock.Instant

  private struct State {
    var now: Instant
    var advancesItself: Bool
    var nextID = 0
    var sleepers: [Int: (deadline: Instant, length: Duration, isLimit: Bool)] = [:]
    /// Counts sleeps, wake-ups and moves: while it stays the same, nothing happens on the clock.
    var changes = 0
    var isWatched = false

    /// Moves the clock; returns how many sleepers that wakes.
    mutating func move(to instant: Instant) -> Int {
      changes += 1
      now = instant
      let count = sleepers.count
      sleepers = sleepers.filter { $0.value.deadline > instant }
      return count - sleepers.count
    }
  }

  private let start: (date: Date, instant: Instant)
  private let state: Monitor<State>
  /// The present instant once more, for the sleepers alone: another sleeper that comes or goes does not test them.
  private let time: Monitor<Instant>

  /// Makes a clock.
  ///
  /// - Parameters:
  ///   - start: The wall time at its start; 2026-01-01 00:00:00 UTC by default.
  ///   - advancesItself: Whether a sleep that no test ends moves the clock.
  public init(start: Date = Date(timeIntervalSince1970: 1_767_225_600), advancesItself: Bool = true) {
    self.start = (start, .now)
    state = Monitor(State(now: self.start.instant, advancesItself: advancesItself))
    time = Monitor(self.start.instant)
  }

  /// The present instant.
  public var now: Instant { state.withLock { $0.now } }

  /// The smallest step, a nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// The wall time: the start plus the time that the clock was moved.
  public var date: Date { start.date.addingTimeInterval(start.instant.duration(to: now).inSeconds) }

  /// Waits until the clock is moved to a deadline.
  ///
  /// - Parameters:
  ///   - deadline: The instant to wait for.
  ///   - tolerance: A sleep with one is a limit that is not expected to be reached: ``waitForSleepers(_:)`` does not count it.
  /// - Throws: `CancellationError` when the calling task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let (id, startsWatch) = state.withLock { state -> (Int, Bool) in
      state.nextID += 1
      state.changes += 1
      guard deadline > state.now else { return (state.nextID, false) }
      state.sleepers[state.nextID] = (deadline, state.now.duration(to: deadline), tolerance != nil)
      let startsWatch = state.advancesItself && !state.isWatched
      if startsWatch { state.isWatched = true }
      return (state.nextID, startsWatch)
    }
    defer {
      state.withLock { state in
        state.changes += 1
        state.sleepers[id] = nil
      }
    }
    if startsWatch {
      Task.detached { [weak self] in
        var watch = Watch()
        while let pause = self?.look(&watch) { try? await Task.sleep(for: pause) }
      }
    }
    try await time.wait { $0 >= deadline }
  }

  /// Moves the clock, and wakes the tasks whose time has come.
  ///
  /// - Parameter duration: The distance.
  public func advance(by duration: Duration) async {
    let count = state.withLock { $0.move(to: $0.now.advanced(by: duration)) }
    wakeSleepers()
    for _ in 0...count { await Task.yield() }
  }

  private func wakeSleepers() {
    let now = now
    time.withLock { $0 = max($0, now) }
  }

  /// Waits until at least so many tasks sleep on this clock, so that moving it is sure to wake them.
  ///
  /// The clock no longer moves by itself. The call returns early when the calling task is cancelled, so that a test's
  /// time limit can end a wait in vain.
  ///
  /// - Parameter count: The number of sleepers to wait for.
  public func waitForSleepers(_ count: Int = 1) async {
    state.withLock { $0.advancesItself = false }
    try? await state.wait { $0.sleepers.values.count { !$0.isLimit } >= count }
  }

  /// The progress of the task that watches the clock while others sleep on it.
  private struct Watch {
    var changes = -1
    // Counted in rounds through the tasks' own queue: on a busy machine a round takes longer, as the test's work does.
    var quiet = Duration.zero
  }

  /// Moves the clock when nothing has happened on it for a while.
  ///
  /// - Returns: The real time until the next look; `nil` when no task sleeps, or when the test moves the clock.
  private func look(_ watch: inout Watch) -> Duration? {
    defer { wakeSleepers() }
    return state.withLock { state in
      guard state.advancesItself, let next = state.sleepers.values.min(by: { $0.deadline < $1.deadline }) else {
        state.isWatched = false
        return nil
      }
      if state.changes != watch.changes { watch = Watch(changes: state.changes) }
      let patience = max(.milliseconds(4), next.length / 25)
      if watch.quiet >= patience { _ = state.move(to: next.deadline) }
      watch.quiet += patience / 4
      return patience / 4
    }
  }
}
