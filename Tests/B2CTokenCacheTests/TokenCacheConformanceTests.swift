import B2CTestKit
import Foundation
import TestSupport
import Testing

extension TokenCacheRule {
  /// The rules that are named in the suite's sentences.
  static func named(in broken: [String]) -> [TokenCacheRule] {
    broken.compactMap { text in allCases.first { text.hasPrefix("Broken: \($0.rawValue). Seen: ") } }
  }
}

/// Caches that are broken on purpose, each of which must fail on its own rule.
@Suite(.hangLimit) struct TokenCacheConformanceTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let rule: TokenCacheRule
    /// Rules that cannot hold either when this one is broken.
    let alsoBroken: Set<TokenCacheRule>
    let change: @Sendable (inout FaultyTokenCache.Behaviour) -> Void

    init(
      _ name: String, _ rule: TokenCacheRule, also: Set<TokenCacheRule> = [],
      _ change: @escaping @Sendable (inout FaultyTokenCache.Behaviour) -> Void
    ) {
      (testDescription, self.rule, alsoBroken, self.change) = (name, rule, also, change)
    }

    /// Changes each record that is stored.
    static func changingRecords(
      _ name: String, also: Set<TokenCacheRule> = [], _ change: @escaping @Sendable (inout TokenRecord) -> Void
    ) -> Fault {
      Fault(name, .everyField, also: also) {
        $0.storing = { _, new in
          var new = new
          change(&new)
          return new
        }
      }
    }

    /// Keeps records under another key.
    static func changingKeys(_ name: String, _ naming: @escaping @Sendable (TokenCacheKey) -> TokenCacheKey) -> Fault {
      Fault(name, .distinctKeys) { $0.naming = naming }
    }

    /// Keeps records under another user.
    static func changingUsers(_ name: String, _ change: @escaping @Sendable (String) -> String) -> Fault {
      changingKeys(name) { TokenCacheKey(authority: $0.authority, clientID: $0.clientID, userID: change($0.userID)) }
    }
  }

  struct Refused: Error {}

  static let faults = recordFaults + sharingFaults

  private static let recordFaults: [Fault] = [
    Fault("throws for what is absent", .removing, also: [.everyField, .replacing]) {
      $0.reading = { if let record = $0 { record } else { throw Refused() } }
    },
    Fault("throws when removing what is absent", .removing) {
      $0.removing = { if $0 { true } else { throw Refused() } }
    },
    Fault("removes nothing", .removing, also: [.listing, .distinctKeys, .replacing]) { $0.removing = { _ in false } },
    Fault("drops the record", .everyField, also: Set(readingBack)) { $0.storing = { _, _ in nil } },
    Fault("keeps the first record", .overwriting, also: [.concurrentUse, .useInside, .refreshLock]) {
      $0.storing = { $0 ?? $1 }
    },
    Fault("merges records", .overwriting) {
      $0.storing = { old, new in
        var merged = new
        merged.policyID = new.policyID ?? old?.policyID
        return merged
      }
    },
    Fault("lists a key twice", .listing, also: [.distinctKeys, .concurrentUse]) { $0.listing = { $0 + $0.prefix(1) } },
    Fault("forgets a key in the list", .listing, also: [.distinctKeys, .concurrentUse]) {
      $0.listing = { Array($0.dropFirst()) }
    },
    .changingKeys("does not look at the client") {
      TokenCacheKey(authority: $0.authority, clientID: "", userID: $0.userID)
    },
    .changingKeys("joins the parts without a mark") {
      TokenCacheKey(authority: $0.authority, clientID: $0.clientID + $0.userID, userID: "")
    },
    .changingUsers("ignores case") { $0.lowercased() },
    .changingUsers("normalises code points") { $0.precomposedStringWithCanonicalMapping },
    .changingUsers("makes paths of users") { [".", ".."].contains($0) ? "" : $0 },
    .changingUsers("cuts long keys") { String($0.prefix(255)) },
    .changingRecords("cuts large values") {
      $0.refreshToken = $0.refreshToken.map { Secret(String($0.value.prefix(65_535))) }
    },
    .changingRecords("rounds dates to seconds") { record in
      for index in record.accessTokens.indices {
        let end = record.accessTokens[index].expiresAt.timeIntervalSince1970
        record.accessTokens[index].expiresAt = Date(timeIntervalSince1970: end.rounded(.down))
      }
    },
    .changingRecords("drops the claims' nested values") { $0.claims = $0.claims.filter { $0.value.object == nil } },
    .changingRecords("drops the scopes that were asked for") { record in
      for index in record.accessTokens.indices {
        record.accessTokens[index].requestedScopes = record.accessTokens[index].scopes
      }
    },
    .changingRecords("forgets that a session has ended") { $0.isEnded = false },
    .changingRecords("gives each record a stamp of its own", also: [.replacing, .useInside]) { $0.stamp = UUID() },
    Fault("mixes two writes", .concurrentUse) { $0.writesInTwoSteps = true },
  ]

  private static let sharingFaults: [Fault] = [
    Fault("replaces without comparing", .replacing, also: [.atomicReplacing]) {
      $0.comparing = { record, _ in record != nil }
    },
    Fault("compares the sign-in and not the stamp", .replacing, also: [.atomicReplacing, .useInside]) {
      $0.comparing = { $0?.signIn == $1 }
    },
    Fault("brings a removed record back", .replacing, revival),
    Fault("replaces nothing", .replacing, also: [.atomicReplacing, .useInside]) { $0.writesReplacements = false },
    Fault("refuses each replacement", .replacing, also: [.atomicReplacing, .useInside]) {
      $0.comparing = { _, _ in false }
    },
    Fault("compares and writes in two steps", .atomicReplacing) { $0.replacesInTwoSteps = true },
    Fault("lets every caller in", .refreshLock, also: [.cancellation]) { $0.locking = { _, _, work in await work() } },
    Fault("runs the work twice", .refreshLock, also: [.useInside, .cancellation]) {
      $0.locking = { cache, key, work in
        let twice = RefreshWork {
          await work()
          await work()
        }
        try await cache.turns.withRefreshLock(for: key, twice)
      }
    },
    Fault("forgets the work", .refreshLock, also: [.useInside, .cancellation]) {
      $0.locking = { cache, key, _ in try await cache.turns.withRefreshLock(for: key, RefreshWork {}) }
    },
    Fault("shows what it was before the work", .useInside, also: [.refreshLock]) {
      $0.locking = { cache, key, work in
        let restoring = RefreshWork {
          let before = cache.records.withLock { $0[key] }
          await work()
          cache.records.withLock { $0[key] = before }
        }
        try await cache.turns.withRefreshLock(for: key, restoring)
      }
    },
    Fault("does not heed a cancellation", .cancellation) {
      $0.locking = { cache, key, work in
        try await Task { try await cache.turns.withRefreshLock(for: key, work) }.value
      }
    },
    Fault("ends a cancelled wait with an error of its own", .cancellation) {
      $0.locking = { cache, key, work in
        do { try await cache.turns.withRefreshLock(for: key, work) } catch is CancellationError { throw Refused() }
      }
    },
    Fault("keeps the lock of a caller that was cancelled during its work", .refreshLock, also: [.cancellation]) {
      let held = Locked<Set<TokenCacheKey>>([])
      $0.locking = { _, key, work in
        while !held.withLock({ $0.insert(key).inserted }) { try await Task.sleep(for: .milliseconds(1)) }
        await work()
        // A driver that refuses the calls of a cancelled task does not run the release.
        try Task.checkCancellation()
        held.withLock { _ = $0.remove(key) }
      }
    },
  ]

  private static let revival: @Sendable (inout FaultyTokenCache.Behaviour) -> Void = {
    $0.comparing = { $0 == nil || $0?.stamp == $1 }
  }

  static let readingBack: [TokenCacheRule] = [
    .overwriting, .removing, .listing, .distinctKeys, .everyField, .concurrentUse, .replacing, .atomicReplacing,
    .useInside, .refreshLock,
  ]

  @Test("A broken cache fails on its rule", arguments: faults)
  func brokenCache(_ fault: Fault) async throws {
    // One object twice stands for two processes over one store, so a fault of its records breaks the rule on sharing too.
    let broken = try await TokenCacheConformance.brokenRules(
      makeSecondInstance: { $0 }, makeCache: { FaultyTokenCache(fault.change) })
    let rules = Set(TokenCacheRule.named(in: broken))
    #expect(rules.contains(fault.rule), "\(broken)")
    #expect(rules.isSubset(of: fault.alsoBroken.union([fault.rule, .sharing])), "\(broken)")
  }

  @Test("Each rule has a cache that breaks it")
  func everyRule() {
    // The other rules need a second instance or a store that cannot be reached, and have tests of their own.
    let rules = Set(Self.faults.map(\.rule)).union([.sharing, .failing, .failingLock])
    #expect(rules == Set(TokenCacheRule.allCases))
  }

  @Test("A broken rule is reported by its name and by what was seen")
  func words() async throws {
    let broken = try await TokenCacheConformance.brokenRules { FaultyTokenCache(Self.revival) }
    #expect(broken == ["Broken: \(TokenCacheRule.replacing.rawValue). Seen: a record that is not there is replaced"])
  }

  @Test("A number in a record that no arithmetic holds breaks a rule, and ends nothing")
  func farNumber() async throws {
    let broken = try await TokenCacheConformance.brokenRules {
      FaultyTokenCache {
        $0.reading = { record in
          var record = record
          record?.claims["number"] = .integer(.max)
          return record
        }
      }
    }
    #expect(TokenCacheRule.named(in: broken).contains(.overwriting), "\(broken)")
  }

  @Test("A cache that keeps the rules breaks none")
  func noFault() async throws {
    let memory = try await TokenCacheConformance.brokenRules { InMemoryTokenCache.memory() }
    let fourMethods = try await TokenCacheConformance.brokenRules { FourMethodCache() }
    let shared = try await TokenCacheConformance.brokenRules(
      makeSecondInstance: { $0 }, makeCache: { FaultyTokenCache { _ in } })
    #expect(memory + fourMethods + shared == [])
  }

  @Test("A second instance that answers from memory is found", arguments: RememberingTokenCache.Fault.allCases)
  func memory(_ fault: RememberingTokenCache.Fault) async throws {
    let broken = try await TokenCacheConformance.brokenRules(
      makeSecondInstance: { RememberingTokenCache(over: $0.inner, fault) },
      makeCache: { RememberingTokenCache(over: FourMethodCache(), fault) })
    #expect(TokenCacheRule.named(in: broken) == [.sharing], "\(broken)")
    let seen = fault == .always ? "a change by the other instance is not seen" : "a removal is not seen"
    #expect(broken.first?.hasSuffix(seen) == true)
  }

  @Test("Two instances that share records and no locks are found")
  func separateLocks() async throws {
    let broken = try await TokenCacheConformance.brokenRules(
      makeSecondInstance: { SharedMemoryCache(sharingOnlyRecordsOf: $0) }, makeCache: { SharedMemoryCache() })
    // A caller that need not wait for the lock is not cancelled in time, either.
    let rules = Set(TokenCacheRule.named(in: broken))
    #expect(rules.contains(.refreshLock) && rules.isSubset(of: [.refreshLock, .cancellation]), "\(broken)")
  }

  @Test("A store that cannot be reached must not look empty; a factory that throws has reported it")
  func unreachable() async throws {
    let empty = try await TokenCacheConformance.brokenRules(
      makeUnreachableCache: { InMemoryTokenCache.memory() }, makeCache: { InMemoryTokenCache.memory() })
    #expect(TokenCacheRule.named(in: empty) == [.failing])
    let refused = try await TokenCacheConformance.brokenRules(
      makeUnreachableCache: { throw Refused() }, makeCache: { InMemoryTokenCache.memory() })
    #expect(refused == [])
  }

  struct LockWithoutStore: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let seen: String?
    let lock: @Sendable (RefreshWork) async throws -> Void
  }

  static let locksWithoutStore = [
    LockWithoutStore(testDescription: "throws", seen: nil) { _ in throw Refused() },
    LockWithoutStore(testDescription: "runs the work", seen: "the work has run") { await $0() },
    LockWithoutStore(testDescription: "runs the work and throws", seen: "the work has run") {
      await $0()
      throw Refused()
    },
    LockWithoutStore(testDescription: "does nothing", seen: "no error was thrown") { _ in },
  ]

  @Test(
    "A refresh lock throws and does not run its work without the store, unless only one process has the cache",
    arguments: locksWithoutStore)
  func unreachableLock(_ behaviour: LockWithoutStore) async throws {
    let makeUnreachable = { @Sendable in
      FaultyTokenCache {
        $0.isReachable = false
        $0.locking = { _, _, work in try await behaviour.lock(work) }
      }
    }
    let shared = try await TokenCacheConformance.brokenRules(
      makeSecondInstance: { $0 }, makeUnreachableCache: makeUnreachable, makeCache: { FaultyTokenCache { _ in } })
    #expect(shared == (behaviour.seen.map { ["Broken: \(TokenCacheRule.failingLock.rawValue). Seen: \($0)"] } ?? []))
    let alone = try await TokenCacheConformance.brokenRules(
      makeUnreachableCache: makeUnreachable, makeCache: { FaultyTokenCache { _ in } })
    #expect(alone == [])
  }

  @Test("An error of the factory is thrown: it is not a broken rule")
  func factory() async throws {
    await #expect(throws: Refused.self) {
      try await TokenCacheConformance.brokenRules { () throws -> InMemoryTokenCache in throw Refused() }
    }
  }
}
