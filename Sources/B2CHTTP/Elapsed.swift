/// The time since its creation, on any clock.
///
/// A call with several requests subtracts it from the deadline of each, so that one deadline covers them all.
package struct Elapsed: Sendable {
  private let read: @Sendable () -> Duration

  /// Starts to measure.
  ///
  /// - Parameter clock: The clock to measure on.
  package init(on clock: any Clock<Duration>) {
    read = Self.reader(clock)
  }

  /// Returns the time since the start.
  package func callAsFunction() -> Duration { read() }

  private static func reader<C: Clock>(_ clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
  }
}

extension Duration {
  /// The duration in seconds.
  var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
