internal import B2CCore

/// A point in time on any clock, with the means to wait on that clock.
struct Deadline: Sendable {
  /// The time until then; zero or less once it has passed.
  let remaining: @Sendable () -> Duration
  /// Waits on the same clock.
  let sleep: @Sendable (Duration) async throws -> Void

  static func after(_ timeout: Duration, on clock: any Clock<Duration>) -> Deadline {
    opened(timeout, clock)
  }

  private static func opened<C: Clock>(_ timeout: Duration, _ clock: C) -> Deadline where C.Duration == Duration {
    let end = clock.now.advanced(by: timeout)
    return Deadline(
      remaining: { clock.now.duration(to: end) },
      sleep: { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) })
  }
}
