internal import B2CCore

/// A clock on which a pause takes no time: it moves to the sleeper's deadline, and keeps how long each sleep was.
///
/// A sleep with a tolerance is the limit of a request, which would end each request: it lasts until it is cancelled.
package final class LeapingClock: Clock, Sendable {
  package typealias Instant = ContinuousClock.Instant

  private let state = Locked<(now: Instant, sleeps: [Duration])>((.now, []))
  /// How much later than its deadline each sleep ends, as after a pause of the process.
  private let delay: Duration

  package init(oversleeping delay: Duration = .zero) { self.delay = delay }

  package var now: Instant { state.withLock { $0.now } }
  package var minimumResolution: Duration { .nanoseconds(1) }
  package var sleeps: [Duration] { state.withLock { $0.sleeps } }

  package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    guard tolerance == nil else { return try await Task.sleep(for: .patience) }
    state.withLock { state in
      state.sleeps.append(state.now.duration(to: deadline))
      state.now = max(state.now, deadline + delay)
    }
  }

  package func advance(by duration: Duration) { state.withLock { $0.now += duration } }
}
