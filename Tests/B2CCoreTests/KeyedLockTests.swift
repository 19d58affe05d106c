import B2CCore
import B2CTestKit
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

  @Test("Callers that leave the queue are skipped, and the others are served in their order", arguments: [2, 3, 1_000])
  func leaving(_ every: Int) async throws {
    let served = Locked<[Int]>([])
    let gate = TestGate()
    let holder = Task { [lock] in try await lock.withLock("key") { try await gate.wait() } }
    await gate.waitForArrivals(1)
    var waiters: [Task<Void, any Error>] = []
    for number in 0..<2_000 {
      // The timer is what shows that a caller has its place.
      waiters.append(
        Task { [lock, clock] in
          try await lock.withLock("key", timeout: .seconds(1), on: clock) { served.withLock { $0.append(number) } }
        })
      await clock.waitForSleepers(number + 1)
    }
    let leaves = { (number: Int) in number % every == 0 }
    for (number, waiter) in waiters.enumerated() where leaves(number) {
      waiter.cancel()
      await #expect(throws: CancellationError.self) { try await waiter.value }
    }
    gate.open()
    try await holder.value
    for waiter in waiters { _ = await waiter.result }
    #expect(served.withLock { $0 } == (0..<2_000).filter { !leaves($0) })
    #expect(try await lock.withLock("key") { 42 } == 42)
  }

  @Test("Sixteen thousand callers of one key are served one by one")
  func many() async throws {
    let inside = Locked(0)
    let most = Locked(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<16_000 {
        group.addTask { [lock] in
          try await lock.withLock("key") {
            let count = inside.withLock { count in
              count += 1
              return count
            }
            most.withLock { $0 = max($0, count) }
            await Task.yield()
            inside.withLock { $0 -= 1 }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(most.withLock { $0 } == 1)
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

  @Test("An error of the body is passed on, and releases the lock")
  func failure() async throws {
    struct Failure: Error {}
    await #expect(throws: Failure.self) {
      try await lock.withLock("key", timeout: .seconds(1), on: clock) { throw Failure() }
    }
    let answer = try await lock.withLock("key", timeout: .seconds(1), on: clock) { 42 }
    #expect(answer == 42)
  }
}
