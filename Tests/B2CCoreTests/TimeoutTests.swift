import B2CCore
import TestSupport
import Testing

@Suite(.hangLimit)
struct TimeoutTests {
  private struct Late: Error {}

  @Test("An operation that ends in time returns its value or its own error")
  func inTime() async throws {
    #expect(try await withTimeout(.patience, on: ContinuousClock(), throwing: Late()) { 7 } == 7)
    await #expect(throws: CancellationError.self) {
      try await withTimeout(.patience, on: ContinuousClock(), throwing: Late()) { throw CancellationError() }
    }
  }

  @Test("An operation that does not end in time is cancelled", arguments: [Duration.zero, .seconds(3600)])
  func late(timeout: Duration) async throws {
    let never = Monitor(false)
    await #expect(throws: Late.self) {
      try await withTimeout(timeout, on: LeapingClock(), throwing: Late()) { try await never.wait { $0 } }
    }
  }

  @Test("A value that the cancelled operation still returns wins over the clock")
  func valueAtTheEnd() async throws {
    let never = Monitor(false)
    let value = try await withTimeout(.seconds(1), on: LeapingClock(), throwing: Late()) {
      try? await never.wait { $0 }
      return 7
    }
    #expect(value == 7)
  }

  @Test("A caller that is cancelled returns")
  func cancelled() async throws {
    let never = Monitor(false)
    let call = Task {
      try await withTimeout(.patience, on: ContinuousClock(), throwing: Late()) { try await never.wait { $0 } }
    }
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
  }

  @Test("After a pause of the process, a response that has arrived is read, for at most 5 seconds")
  func pause() async throws {
    let clock = PausedClock()
    let value = try await withTimeout(.seconds(30), on: clock, throwing: Late()) {
      // The answer is read only once the timeout has woken, too late.
      try await clock.state.wait { $0.sleeps.count == 2 }
      return 7
    }
    #expect(value == 7)
    #expect(clock.state.withLock { $0.sleeps } == [.seconds(30), .seconds(5)])

    let other = PausedClock(endsSecondSleep: true)
    let never = Monitor(false)
    await #expect(throws: Late.self) {
      try await withTimeout(.seconds(30), on: other, throwing: Late()) { try await never.wait { $0 } }
    }
  }
}

/// A clock whose first sleep ends 40 seconds late.
private final class PausedClock: Clock, Sendable {
  let state = Monitor((now: LeapingClock.Instant(offset: .zero), sleeps: [Duration]()))
  private let endsSecondSleep: Bool

  init(endsSecondSleep: Bool = false) {
    self.endsSecondSleep = endsSecondSleep
  }

  var now: LeapingClock.Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: LeapingClock.Instant, tolerance: Duration?) async throws {
    let isFirst = state.withLock { state in
      state.sleeps.append(state.now.duration(to: deadline))
      if state.sleeps.count == 1 { state.now = deadline.advanced(by: .seconds(40)) }
      return state.sleeps.count == 1
    }
    guard !isFirst, !endsSecondSleep else { return }
    try await state.wait { _ in false }
  }
}
