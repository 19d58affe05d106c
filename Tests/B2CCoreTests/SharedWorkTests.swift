import B2CTestKit
import TestSupport
import Testing

@Suite("Shared work", .hangLimit)
struct SharedWorkTests {
  private let work = SharedWork<String, Int>()
  private let gate = TestGate()
  private let clock = TestClock(advancesItself: false)
  private let runs = Locked(0)
  private let joined = Locked(0)

  /// Joins or begins work that returns its number when the gate is open.
  private func call(atMost limit: Duration? = nil) async throws -> Int {
    try await work.value(for: "a", atMost: limit, on: clock, onJoin: { joined.withLock { $0 += 1 } }) { [runs, gate] in
      let number = runs.withLock { count in
        count += 1
        return count
      }
      try await gate.wait()
      return number
    }
  }

  /// Begins work that is under way when this returns.
  private func begin(atMost limit: Duration? = nil) async -> Task<Int, any Error> {
    let caller = Task { try await call(atMost: limit) }
    await gate.waitForArrivals(1)
    return caller
  }

  /// Waits until a number of callers have joined.
  private func waitForJoined(_ count: Int) async throws { try await yielding { joined.withLock { $0 } == count } }

  @Test("Ten thousand callers are served by one piece of work")
  func shared() async throws {
    async let values = simultaneously(10_000) { _ in try await call() }
    try await waitForJoined(9_999)
    gate.open()
    #expect(try await values == Array(repeating: 1, count: 10_000))
  }

  @Test("A caller that is cancelled leaves alone and at once")
  func leaving() async throws {
    let stays = await begin()
    let leaves = Task { try await call() }
    try await waitForJoined(1)
    leaves.cancel()
    await #expect(throws: CancellationError.self) { try await leaves.value }
    gate.open()
    #expect(try await stays.value == 1)
  }

  @Test("When the last caller has left, the work goes on uncancelled, and a newcomer joins it")
  func goingOn() async throws {
    let first = await begin()
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    let second = Task { try await call() }
    try await waitForJoined(1)
    gate.open()
    #expect(try await second.value == 1)
    #expect(try await call() == 2)
  }

  @Test("A caller that was cancelled before begins nothing")
  func cancelledBefore() async throws {
    let caller = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await call()
    }
    await #expect(throws: CancellationError.self) { try await caller.value }
    #expect(!work.isUnderWay("a") && runs.withLock { $0 } == 0)
  }

  @Test("Work that takes too long goes on, but its callers leave with timedOut, which is retryable")
  func timeIsOver() async throws {
    let first = await begin(atMost: .seconds(30))
    let second = Task { try await call(atMost: .seconds(30)) }
    try await waitForJoined(1)
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(30))
    for caller in [first, second] {
      let error = try await #require(throws: ConnectorError.self) { try await caller.value }
      #expect(error.code == .timedOut && error.isRetryable)
    }
    await #expect(throws: ConnectorError.self) { try await call(atMost: .seconds(30)) }
    #expect(work.isUnderWay("a"))
    gate.open()
    try await yielding { !work.isUnderWay("a") }
  }

  @Test("Waiting lasts until the work under way has ended, in a cancelled task too", arguments: [true, false])
  func waiting(isCancelled: Bool) async throws {
    let caller = await begin()
    let hasWaited = Locked(false)
    let waiter = Task {
      if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
      await work.wait(atMost: .seconds(60), on: clock)
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
    let caller = await begin()
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
    await #expect(throws: Failure.self) { try await work.value(for: "a") { throw Failure() } }
    #expect(try await work.value(for: "a") { 3 } == 3)
  }
}
