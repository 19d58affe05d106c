/// The pauses between attempts at a lock that another process holds: growing, and partly random so that processes do not
/// try in step.
struct BackOff {
  private static let longest = 5.0
  private var milliseconds = 0.5

  /// Returns the next pause.
  mutating func next() -> Duration {
    let pause = milliseconds * Double.random(in: 0.5...1)
    milliseconds = min(milliseconds * 2, Self.longest)
    return .microseconds(pause * 1000)
  }
}
