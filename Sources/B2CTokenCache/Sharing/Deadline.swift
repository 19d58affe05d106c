internal import B2CCore

/// A point in time on any clock, with the means to wait on that clock.
struct Deadline: Sendable {
  /// The time until then; zero or less once it has passed.
  let remaining: @Sendable () -> Duration
  /// Waits on the same clock.
  let sleep: @Sendable (Duration) async throws -> Void

  static func after(_ timeout: Duration, on clock: any Clock<Duration>) -> Deadline {
    let stopwatch = Stopwatch(clock)
    return Deadline(
      remaining: { timeout - stopwatch.elapsed }, sleep: { try await clock.sleep(for: $0) })
  }
}
