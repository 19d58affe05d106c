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
}
