internal import B2CCore

/// Runs actions at their time, many on one sleeping task.
///
/// A task and a timer for each request would outlive the request: a cancelled sleep keeps its timer until it is due. Here a request that ends in time costs one dictionary entry.
final class DeadlineTimer: Sendable {
  private struct Entry {
    let time: Duration
    let action: @Sendable () -> Void
  }

  private struct State {
    var nextID = 0
    var entries: [Int: Entry] = [:]
    /// When the sleeper wakes; never later than the first entry.
    var wakeUp: Duration?
    var sleeper: Task<Void, Never>?
  }

  private let clock: any Clock<Duration>
  private let stopwatch: Stopwatch
  private let state = Locked(State())

  init(clock: any Clock<Duration>) {
    self.clock = clock
    stopwatch = Stopwatch(clock)
  }

  deinit {
    state.withLock { $0.sleeper }?.cancel()
  }

  /// Schedules an action; pass the result to ``cancel(_:)``.
  func schedule(after duration: Duration, _ action: @escaping @Sendable () -> Void) -> Int {
    let now = stopwatch.elapsed
    return state.withLock { state in
      let time = now + duration
      state.nextID += 1
      state.entries[state.nextID] = Entry(time: time, action: action)
      if state.wakeUp.map({ time < $0 }) ?? true {
        sleep(until: time, from: now, &state)
      }
      return state.nextID
    }
  }

  /// Cancels an action; harmless for one that has run.
  func cancel(_ id: Int) {
    state.withLock { _ = $0.entries.removeValue(forKey: id) }
  }

  private func sleep(until time: Duration, from now: Duration, _ state: inout State) {
    state.sleeper?.cancel()
    state.wakeUp = time
    let pause = max(time - now, .zero)
    state.sleeper = Task { [weak self, clock] in
      do { try await clock.sleep(for: pause) } catch { return }
      self?.wake(at: time)
    }
  }

  private func wake(at time: Duration) {
    let now = stopwatch.elapsed
    let due = state.withLock { state -> [Entry] in
      // Another sleeper has taken over when the time is not the awaited one.
      guard state.wakeUp == time else { return [] }
      let due = state.entries.filter { $0.value.time <= now }
      due.keys.forEach { state.entries.removeValue(forKey: $0) }
      state.wakeUp = nil
      state.sleeper = nil
      if let next = state.entries.values.map(\.time).min() {
        sleep(until: next, from: now, &state)
      }
      return due.values.sorted { $0.time < $1.time }
    }
    due.forEach { $0.action() }
  }
}
