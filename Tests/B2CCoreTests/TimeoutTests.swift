import B2CTestKit
import TestSupport
import Testing

@Suite(.hangLimit)
struct TimeoutTests {
  private struct Late: Error {}

  private let never = Monitor(false)

  @Test("An operation that ends in time returns its value or its own error")
  func inTime() async throws {
    #expect(try await withTimeout(.patience, on: ContinuousClock(), throwing: Late()) { 7 } == 7)
    await #expect(throws: CancellationError.self) {
      try await withTimeout(.patience, on: ContinuousClock(), throwing: Late()) { throw CancellationError() }
    }
  }

  @Test("An operation that does not end in time is cancelled", arguments: [Duration.zero, .seconds(3600)])
  func late(timeout: Duration) async throws {
    await #expect(throws: Late.self) {
      try await withTimeout(timeout, on: LeapingClock(), throwing: Late()) { [never] in try await never.wait { $0 } }
    }
  }

  @Test("A value that the cancelled operation still returns wins over the clock")
  func valueAtTheEnd() async throws {
    let value = try await withTimeout(.seconds(1), on: LeapingClock(), throwing: Late()) { [never] in
      try? await never.wait { $0 }
      return 7
    }
    #expect(value == 7)
  }

  @Test("A caller that is cancelled returns")
  func cancelled() async throws {
    let call = Task { [never] in
      try await withTimeout(.patience, on: ContinuousClock(), throwing: Late()) { try await never.wait { $0 } }
    }
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
  }

  @Test(
    "After a pause of the process, a response that has arrived is read, for at most 5 seconds",
    arguments: [Duration.milliseconds(30_100), .seconds(40)], [true, false])
  func pause(_ pause: Duration, hasArrived: Bool) async throws {
    let clock = TestClock(advancesItself: false)
    let response = TestGate()
    let call = Task {
      try await withTimeout(.seconds(30), on: clock, throwing: Late()) {
        try await response.wait()
        return 7
      }
    }
    await clock.waitForSleepers()
    await clock.advance(by: pause)
    await clock.waitForSleepers()
    await clock.advance(by: .milliseconds(4_999))
    if hasArrived {
      response.open()
      #expect(try await call.value == 7)
    } else {
      await clock.advance(by: .milliseconds(1))
      await #expect(throws: Late.self) { try await call.value }
    }
  }
}

/// `RefreshRaceTests` and `RefreshTurnsTests` have what callers of a connector see of shared work.
@Suite("Shared work", .hangLimit)
struct SharedWorkTests {
  private let work = SharedWork<String, Int>()
  private let gate = TestGate()
  private let clock = TestClock(advancesItself: false)
  private let joined = Locked(0)

  /// Joins or begins work that ends when the gate is open.
  private func call() async throws -> Int {
    try await work.value(for: "a", atMost: .seconds(30), on: clock, onJoin: { joined.withLock { $0 += 1 } }) { [gate] in
      try await gate.wait()
      return 7
    }
  }

  @Test("A caller that was cancelled before begins nothing")
  func cancelledBefore() async throws {
    let caller = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await call()
    }
    await #expect(throws: CancellationError.self) { try await caller.value }
    #expect(!work.isUnderWay("a") && gate.arrivals == 0)
  }

  @Test("Work that takes too long goes on, but its callers leave with timedOut, which is retryable")
  func timeIsOver() async throws {
    let first = Task { try await call() }
    await gate.waitForArrivals(1)
    let second = Task { try await call() }
    try await yielding { joined.withLock { $0 } == 1 }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(30))
    for caller in [first, second] {
      let error = try await #require(throws: ConnectorError.self) { try await caller.value }
      #expect(error.code == .timedOut && error.isRetryable)
    }
    await #expect(throws: ConnectorError.self) { try await call() }
    #expect(work.isUnderWay("a"))
    gate.open()
    try await yielding { !work.isUnderWay("a") }
    #expect(try await call() == 7)
  }
}
