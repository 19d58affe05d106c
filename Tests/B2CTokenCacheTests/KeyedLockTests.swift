import B2CCore
import B2CTestKit
import B2CTokenCache
import TestSupport
import Testing

@Suite(.hangLimit) struct KeyedLockTests {
  private let lock = KeyedLock<String>()
  private let clock = TestClock(advancesItself: false)

  @Test("The first to come is the first to be served")
  func order() async throws {
    let served = Locked<[Int]>([])
    let gate = TestGate()
    let holder = Task { [lock, clock] in
      try await lock.withLock("key", timeout: .seconds(1), on: clock) { try await gate.wait() }
    }
    await gate.waitForArrivals(1)
    var waiters: [Task<Void, any Error>] = []
    for number in 0..<10 {
      waiters.append(
        Task { [lock, clock] in
          try await lock.withLock("key", timeout: .seconds(1), on: clock) { served.withLock { $0.append(number) } }
        })
      await clock.waitForSleepers(number + 1)
    }
    gate.open()
    try await holder.value
    for waiter in waiters { try await waiter.value }
    #expect(served.withLock { $0 } == Array(0..<10))
  }

  @Test("A caller that is cancelled before its turn does not run, though the lock is free by then")
  func cancelledBefore() async throws {
    let hasRun = Locked(false)
    let cancelled = Task { [lock, clock] in
      withUnsafeCurrentTask { $0?.cancel() }
      try await lock.withLock("key", timeout: .seconds(1), on: clock) { hasRun.withLock { $0 = true } }
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(!hasRun.withLock { $0 })
    let answer = try await lock.withLock("key", timeout: .seconds(1), on: clock) { 42 }
    #expect(answer == 42)
  }

  @Test("What the body throws is passed on, and ends the lock")
  func failure() async throws {
    struct Failure: Error {}
    await #expect(throws: Failure.self) {
      try await lock.withLock("key", timeout: .seconds(1), on: clock) { throw Failure() }
    }
    let answer = try await lock.withLock("key", timeout: .seconds(1), on: clock) { 42 }
    #expect(answer == 42)
  }
}
