/// A point in time on whatever clock the caller gave, with the means to wait on that clock.
struct Deadline: Sendable {
  /// How long it is until then; zero or less once it has passed.
  let remaining: @Sendable () -> Duration
  /// Waits on the same clock.
  let sleep: @Sendable (Duration) async throws -> Void

  init(after timeout: Duration, on clock: any Clock<Duration>) {
    self = Self.make(timeout, clock)
  }

  private init(
    remaining: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.remaining = remaining
    self.sleep = sleep
  }

  private static func make<C: Clock>(_ timeout: Duration, _ clock: C) -> Deadline where C.Duration == Duration {
    let end = clock.now.advanced(by: timeout)
    return Deadline(
      remaining: { clock.now.duration(to: end) },
      sleep: { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) })
  }
}
