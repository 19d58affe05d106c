/// Measures the time since its making on any clock.
struct Elapsed: Sendable {
  private let read: @Sendable () -> Duration

  init(on clock: any Clock<Duration>) {
    read = Self.reader(clock)
  }

  func callAsFunction() -> Duration { read() }

  private static func reader<C: Clock>(_ clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }
}
