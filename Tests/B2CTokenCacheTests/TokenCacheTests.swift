import B2CTestKit
import B2CTokenCache
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct TokenCacheTests {
  @Test("A cache of four methods gets atomic updates and refresh locks among the callers of one instance")
  func conformance() async throws {
    let broken = try await TokenCacheConformance {
      LocallySharedTokenCache(PlainTokenCache(), lockTimeout: .patience)
    }.brokenRules()
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test("A store waits for an update of the same record", arguments: [true, false])
  func storeDuringUpdate(_ removes: Bool) async throws {
    let gate = TestGate()
    let plain = PlainTokenCache(readGate: gate)
    // No wait for a lock times out here, however slow the machine is.
    let cache = LocallySharedTokenCache(plain, clock: TestClock(advancesItself: false))
    let update = Task { try await cache.update(Samples.key) { _ in Samples.record("updated") } }
    await gate.waitForArrivals(1)
    // The update has read; a removal or store that came between would be lost or bring back what it removed.
    let later = Task {
      if removes {
        try await cache.removeRecord(for: Samples.key)
      } else {
        try await cache.store(Samples.record("later"), for: Samples.key)
      }
    }
    for _ in 0..<20 { await Task.yield() }
    #expect(await plain.changes == 0)
    gate.open()
    _ = try await update.value
    try await later.value
    #expect(try await cache.record(for: Samples.key) == (removes ? nil : Samples.record("later")))
  }
}
