import B2CCore

/// Sleeps by moving on at once, and keeps how long it was asked to sleep.
struct SkippingClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration = .zero
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let time = Locked(Instant())
  private let slept = Locked<[Duration]>([])

  var now: Instant { time.withLock { $0 } }
  var minimumResolution: Duration { .nanoseconds(1) }
  var sleeps: [Duration] { slept.withLock { $0 } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    let pause = now.duration(to: deadline)
    time.withLock { $0 = max($0, deadline) }
    slept.withLock { $0.append(pause) }
  }
}
