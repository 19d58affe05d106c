import B2CCore
import B2CTestKit
import TestSupport
import Testing

@Suite("Shared work", .hangLimit)
struct SharedWorkTests {
  /// Begins work that returns 1 when the gate is open.
  private func begin(_ work: SharedWork<String, Int>, _ gate: TestGate) async -> Task<Int, any Error> {
    let caller = Task {
      try await work.value(for: "a") { () -> Int in
        try await gate.wait()
        return 1
      }
    }
    await gate.waitForArrivals(1)
    return caller
  }

  @Test("Ten thousand callers are served by one piece of work")
  func shared() async throws {
    let work = SharedWork<String, Int>()
    let runs = Locked(0)
    let joined = Locked(0)
    let gate = TestGate()
    let total = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<10_000 {
        group.addTask {
          try await work.value(for: "a", onJoin: { joined.withLock { $0 += 1 } }) {
            runs.withLock { $0 += 1 }
            try await gate.wait()
            return 1
          }
        }
      }
      try await yielding { joined.withLock { $0 } == 9_999 }
      gate.open()
      return try await group.reduce(0, +)
    }
    #expect(total == 10_000)
    #expect(runs.withLock { $0 } == 1)
  }

  @Test("A caller that is cancelled leaves alone and at once")
  func leaving() async throws {
    let work = SharedWork<String, Int>()
    let gate = TestGate()
    let joined = Locked(0)
    @Sendable func call() async throws -> Int {
      try await work.value(for: "a", onJoin: { joined.withLock { $0 += 1 } }) {
        try await gate.wait()
        return 7
      }
    }
    let stays = Task { try await call() }
    let leaves = Task { try await call() }
    try await yielding { joined.withLock { $0 } == 1 }
    leaves.cancel()
    await #expect(throws: CancellationError.self) { try await leaves.value }
    gate.open()
    #expect(try await stays.value == 7)
  }

  @Test("When the last caller has left, the work goes on uncancelled, and a newcomer joins it")
  func goingOn() async throws {
    let work = SharedWork<String, Int>()
    let gate = TestGate()
    let first = await begin(work, gate)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    let joined = Locked(false)
    let second = Task { try await work.value(for: "a", onJoin: { joined.withLock { $0 = true } }) { 2 } }
    try await yielding { joined.withLock { $0 } }
    gate.open()
    #expect(try await second.value == 1)
    #expect(try await work.value(for: "a") { 3 } == 3)
  }

  @Test("A caller that was cancelled before begins nothing")
  func cancelledBefore() async throws {
    let work = SharedWork<String, Int>()
    let runs = Locked(0)
    let caller = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await work.value(for: "a") {
        runs.withLock {
          $0 += 1; return $0
        }
      }
    }
    await #expect(throws: CancellationError.self) { try await caller.value }
    #expect(runs.withLock { $0 } == 0)
  }

  @Test("Work that takes too long goes on, but its callers leave with timedOut, which is retryable")
  func timeIsOver() async throws {
    let work = SharedWork<String, Int>()
    let clock = TestClock(advancesItself: false)
    let gate = TestGate()
    let joined = Locked(false)
    @Sendable func call() async throws -> Int {
      try await work.value(for: "a", atMost: .seconds(30), on: clock, onJoin: { joined.withLock { $0 = true } }) {
        try await gate.wait()
        return 1
      }
    }
    let first = Task { try await call() }
    await gate.waitForArrivals(1)
    let second = Task { try await call() }
    try await yielding { joined.withLock { $0 } }
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
  }

  @Test("Waiting lasts until the work under way has ended, in a cancelled task too", arguments: [true, false])
  func waiting(isCancelled: Bool) async throws {
    let work = SharedWork<String, Int>()
    let gate = TestGate()
    let caller = await begin(work, gate)
    let hasWaited = Locked(false)
    let waiter = Task {
      if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
      await work.wait(atMost: .seconds(60), on: TestClock(advancesItself: false))
      hasWaited.withLock { $0 = true }
    }
    for _ in 0..<200 { await Task.yield() }
    #expect(!hasWaited.withLock { $0 })
    gate.open()
    await waiter.value
    #expect(try await caller.value == 1)
  }

  @Test("Waiting ends with its limit, while the work goes on")
  func waitingLimit() async throws {
    let work = SharedWork<String, Int>()
    let (gate, clock) = (TestGate(), TestClock(advancesItself: false))
    let caller = await begin(work, gate)
    async let waiting: Void = work.wait(atMost: .seconds(60), on: clock)
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(60))
    await waiting
    gate.open()
    #expect(try await caller.value == 1)
  }

  @Test("A failure reaches everybody and is not kept")
  func failing() async throws {
    struct Failure: Error {}
    let work = SharedWork<String, Int>()
    await #expect(throws: Failure.self) { try await work.value(for: "a") { throw Failure() } }
    #expect(try await work.value(for: "a") { 3 } == 3)
  }
}
