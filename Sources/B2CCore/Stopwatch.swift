/// The time since this value was created, on any clock.
package struct Stopwatch: Sendable {
  private let read: @Sendable () -> Duration

  /// Starts to measure time.
  ///
  /// - Parameter clock: The clock to measure with.
  package init(_ clock: any Clock<Duration>) {
    read = Self.reader(clock)
  }

  /// The time since the start.
  package var elapsed: Duration { read() }

  private static func reader<C: Clock>(_ clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }
}

extension Duration {
  /// The duration in seconds.
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
