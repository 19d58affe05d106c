internal import B2CCore
public import Foundation

/// A clock for tests, in which an hour passes without waiting.
///
/// It is the `Clock` for deadlines and the pauses before retries. Its ``date`` is the date by which the lifetimes of
/// tokens are measured.
///
/// ```swift
/// let clock = TestClock()
/// environment.setTime(clock: clock) { clock.date }
/// let connector = try Connector(settings: settings, environment: environment)
/// try await connector.doPolicy(.signIn)
/// await clock.advance(by: .seconds(3600))    // the access token has expired
/// let tasks = try await connector.getTaskList()
/// ```
/// If the test does not move the clock, a sleep moves it after a 25th of the sleep's length in real time, so that a
/// retry does not make a test hang. If your test moves the clock itself, create it with `advancesItself: false`. The
/// first ``waitForSleepers(_:)`` also stops the clock from moving by itself, but a short sleep may have moved it before
/// that.
public final class TestClock: Clock, Sendable {
  /// A point in time on the test clock, of which only the time to another one has a meaning.
  public typealias Instant = ContinuousClock.Instant

  private struct State {
    var now: Instant
    var advancesItself: Bool
    var nextID = 0
    var sleepers: [Int: (deadline: Instant, length: Duration, isLimit: Bool)] = [:]
    /// A number that each sleep, wake-up and move increments, so that an unchanged number means that nothing happened.
    var changes = 0
    var isWatched = false

    /// Moves the clock, and returns the number of sleepers that this wakes.
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
  /// A copy of the current instant, so that the sleepers' conditions are not tested at each change of ``state``.
  private let time: Monitor<Instant>

  /// Creates a clock.
  ///
  /// - Parameters:
  ///   - start: The date at its start, by default 2026-01-01 00:00:00 UTC.
  ///   - advancesItself: Whether a sleep moves the clock if the test does not, by default true.
  public init(start: Date = Date(timeIntervalSince1970: 1_767_225_600), advancesItself: Bool = true) {
    self.start = (start, .now)
    state = Monitor(State(now: self.start.instant, advancesItself: advancesItself))
    time = Monitor(self.start.instant)
  }

  /// The current instant.
  public var now: Instant { state.withLock { $0.now } }

  /// The smallest step of the clock, one nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// The current date, which is the start date plus the time by which the clock was moved.
  public var date: Date { start.date.addingTimeInterval(start.instant.duration(to: now).inSeconds) }

  /// Waits until the clock reaches an instant.
  ///
  /// - Parameters:
  ///   - deadline: The instant to wait for.
  ///   - tolerance: Any value marks the sleep as a time limit, which usually is not reached, so ``waitForSleepers(_:)``
  ///     does not count it.
  /// - Throws: `CancellationError` if the task is cancelled.
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

  /// Moves the clock forward, and wakes the tasks whose sleep ends.
  ///
  /// - Parameter duration: The time to move by.
  public func advance(by duration: Duration) async {
    let count = state.withLock { $0.move(to: $0.now.advanced(by: duration)) }
    wakeSleepers()
    for _ in 0...count { await Task.yield() }
  }

  private func wakeSleepers() {
    time.withLock { [now] in $0 = max($0, now) }
  }

  /// Waits until a number of tasks sleep on this clock, so that moving it will wake them.
  ///
  /// From this call on, the clock no longer moves by itself. The call returns early if the task is cancelled, so that
  /// the test's time limit can end it.
  ///
  /// - Parameter count: The smallest number of sleepers to wait for, by default 1.
  public func waitForSleepers(_ count: Int = 1) async {
    state.withLock { $0.advancesItself = false }
    try? await state.wait { $0.sleepers.values.count { !$0.isLimit } >= count }
  }

  /// The state of the task that watches the clock while other tasks sleep on it.
  private struct Watch {
    var changes = -1
    // Not measured by the system's clock but counted in rounds, because on a busy machine both the rounds and the
    // test's work take longer.
    var quiet = Duration.zero
  }

  /// Moves the clock if nothing has happened on it for a while.
  ///
  /// - Returns: The real time until the next look, or `nil` if no task sleeps or the test moves the clock.
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
      // Looks again soon, because a shorter sleep may begin meanwhile.
      let pause = min(patience / 4, .milliseconds(20))
      watch.quiet += pause
      return pause
    }
  }
}
