import B2CTestKit
import TestSupport
import Testing

@Suite(.hangLimit) struct LockedTests {
  @Test("No change is lost")
  func manyTasks() async throws {
    let counter = Locked(0)
    try await simultaneously(50) { _ in
      for _ in 0..<200 { counter.withLock { $0 += 1 } }
    }
    #expect(counter.withLock { $0 } == 10_000)
  }
}

@Suite(.hangLimit) struct MonitorTests {
  @Test("Thousands of waiters are woken by one change, and those that were cancelled at any moment before it leave")
  func many() async throws {
    let monitor = Monitor(0)
    let waiters = (1...30_000).map { count in
      Task { try await monitor.wait { $0 >= (count > 20_000 ? 3 : 1 + count % 2) } }
    }
    for waiter in waiters.dropFirst(20_000) { waiter.cancel() }
    monitor.withLock { $0 = 2 }
    for waiter in waiters.prefix(20_000) { try await waiter.value }
    var cancelled = 0
    for waiter in waiters.dropFirst(20_000) {
      if case .failure(let error) = await waiter.result, error is CancellationError { cancelled += 1 }
    }
    #expect(cancelled == 10_000)
  }

  @Test("A waiter that is cancelled leaves alone", arguments: 0..<20)
  func cancelled(_ round: Int) async throws {
    let monitor = Monitor(false)
    let patient = Task { try await monitor.wait { $0 } }
    let impatient = Task { try await monitor.wait { $0 } }
    for _ in 0..<round { await Task.yield() }
    impatient.cancel()
    await #expect(throws: CancellationError.self) { try await impatient.value }
    monitor.withLock { $0 = true }
    try await patient.value
  }
}

@Suite(.hangLimit) struct KeyedLockTests {
  private let lock = KeyedLock<String>()
  private let clock = TestClock(advancesItself: false)

  @Test(
    "Callers are served in the order in which they came, and those that leave the queue are skipped",
    arguments: [nil, 2, 3, 1_000] as [Int?])
  func order(_ every: Int?) async throws {
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
    let leaves = { (number: Int) in every.map { number % $0 == 0 } ?? false }
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
    let isHeld = Locked(false)
    try await simultaneously(16_000) { [lock] _ in
      try await lock.withLock("key") {
        #expect(isHeld.setOnce())
        await Task.yield()
        isHeld.withLock { $0 = false }
      }
    }
  }

  @Test("A caller that is cancelled before its turn does not run, though the lock is free by then")
  func cancelledBefore() async throws {
    let hasRun = Locked(false)
    let cancelled = Task { [lock] in
      withUnsafeCurrentTask { $0?.cancel() }
      try await lock.withLock("key") { hasRun.withLock { $0 = true } }
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(!hasRun.withLock { $0 })
    #expect(try await lock.withLock("key") { 42 } == 42)
  }
}
