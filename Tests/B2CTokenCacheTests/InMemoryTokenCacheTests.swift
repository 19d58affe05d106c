import B2CCore
import B2CTestKit
import B2CTokenCache
import TestSupport
import Testing

@Suite(.hangLimit) struct InMemoryTokenCacheTests {
  @Test("The conformance suite finds nothing")
  func conformance() async throws {
    let broken = try await TokenCacheConformance.brokenRules { InMemoryTokenCache.memory() }
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test("The factory makes an empty cache, another one each time")
  func factory() async {
    let (one, two): (InMemoryTokenCache, InMemoryTokenCache) = (.memory(), .memory())
    await one.store(Samples.record(), for: Samples.key)
    #expect(await two.record(for: Samples.key) == nil)
  }

  @Test("Ten thousand users are kept apart")
  func manyUsers() async {
    let cache = InMemoryTokenCache()
    let keys = (0..<10_000).map {
      TokenCacheKey(authority: "https://a/b", clientID: "c", userID: "person\($0).tenant")
    }
    for (number, key) in keys.enumerated() { await cache.store(Samples.record("\(number)"), for: key) }
    for (number, key) in keys.enumerated() {
      #expect(await cache.record(for: key)?.refreshToken == Secret("canary-refresh-\(number)"))
    }
    #expect(Set(await cache.keys()) == Set(keys))
  }

  @Test("A waiter that is cancelled leaves alone; the others keep their places")
  func cancellation() async throws {
    let cache = InMemoryTokenCache()
    let order = Locked<[String]>([])
    var tasks: [Task<Void, any Error>] = []
    let (entered, signal) = AsyncStream.makeStream(of: Void.self)
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let holder = Task {
      try await cache.underRefreshLock(of: Samples.key) {
        signal.yield()
        for await _ in gate { break }
      }
    }
    for await _ in entered { break }
    for name in ["first", "cancelled", "last"] {
      tasks.append(
        Task {
          try await cache.underRefreshLock(of: Samples.key) { order.withLock { $0.append(name) } }
        })
      for _ in 0..<20 { await Task.yield() }
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
    let cache = InMemoryTokenCache()
    let inner = try await cache.underRefreshLock(of: Samples.key) {
      try await cache.underRefreshLock(of: Samples.otherKey) { "inside" }
    }
    #expect(inner == "inside")
  }
}
