import B2CCore
import B2CTestKit
import B2CTokenCache
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct InMemoryTokenCacheTests {
  @Test("The conformance suite finds nothing")
  func conformance() async throws {
    let broken = try await TokenCacheConformance { InMemoryTokenCache(lockTimeout: .patience) }
      .brokenRules()
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test("Ten thousand users are kept apart")
  func manyUsers() async {
    let cache = InMemoryTokenCache()
    let keys = (0..<10_000).map {
      TokenCacheKey(authority: "https://a/b", policy: "p", clientID: "c", userID: "person\($0).tenant")
    }
    for (number, key) in keys.enumerated() { await cache.store(Samples.record("\(number)"), for: key) }
    for (number, key) in keys.enumerated() {
      #expect(await cache.record(for: key)?.refreshToken == Secret("canary-refresh-\(number)"))
    }
    #expect(Set(await cache.keys()) == Set(keys))
  }

  @Test("A waiter leaves when its time is up")
  func timeout() async throws {
    let clock = TestClock(advancesItself: false)
    let cache = InMemoryTokenCache(lockTimeout: .seconds(5), clock: clock)
    let hasRun = Locked(false)
    try await cache.withRefreshLock(for: Samples.key) {
      async let waiting = failure {
        try await cache.withRefreshLock(for: Samples.key) { hasRun.withLock { $0 = true } }
      }
      await clock.waitForSleepers()
      await clock.advance(by: .seconds(5))
      #expect(await waiting?.code == .lockTimedOut)
    }
    #expect(!hasRun.withLock { $0 })
    #expect(try await cache.withRefreshLock(for: Samples.key) { "free" } == "free")
  }

  @Test("A waiter that is cancelled leaves alone; the others keep their places")
  func cancellation() async throws {
    let clock = TestClock(advancesItself: false)
    let cache = InMemoryTokenCache(lockTimeout: .seconds(5), clock: clock)
    let order = Locked<[String]>([])
    var tasks: [Task<Void, any Error>] = []
    let (entered, signal) = AsyncStream.makeStream(of: Void.self)
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let holder = Task {
      try await cache.withRefreshLock(for: Samples.key) {
        signal.yield()
        for await _ in gate { break }
      }
    }
    for await _ in entered { break }
    for name in ["first", "cancelled", "last"] {
      tasks.append(
        Task {
          try await cache.withRefreshLock(for: Samples.key) { order.withLock { $0.append(name) } }
        })
      await clock.waitForSleepers(tasks.count)
    }
    tasks[1].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[1].value }
    open.yield()
    try await holder.value
    try await tasks[0].value
    try await tasks[2].value
    #expect(Set(order.withLock { $0 }) == ["first", "last"])
  }

  @Test("Locks of different keys are independent")
  func otherKey() async throws {
    let cache = InMemoryTokenCache(clock: TestClock())
    let inner = try await cache.withRefreshLock(for: Samples.key) {
      try await cache.withRefreshLock(for: Samples.otherKey) { "inside" }
    }
    #expect(inner == "inside")
  }
}
