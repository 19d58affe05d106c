import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

extension TokenCacheRule {
  /// The rules that are named in the suite's sentences.
  static func named(in broken: [String]) -> [TokenCacheRule] {
    broken.compactMap { text in allCases.first { text.hasPrefix("Broken: \($0.rawValue). Seen: ") } }
  }
}

/// Caches that are broken on purpose: each has to fail, and on its own rule.
@Suite(.hangLimit) struct TokenCacheConformanceTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    let rule: TokenCacheRule
    /// Rules that cannot hold either when this one is broken.
    var alsoBroken: Set<TokenCacheRule> = []
    let change: @Sendable (inout FaultyTokenCache.Behaviour) -> Void

    var testDescription: String { name }
  }

  struct Refused: Error {}

  static let faults: [Fault] = [
    Fault(name: "throws for what is absent", rule: .removing, alsoBroken: [.everyField, .replacing]) {
      $0.reading = { _, record in
        guard let record else { throw Refused() }
        return record
      }
    },
    Fault(name: "throws when removing what is absent", rule: .removing) {
      $0.removing = { _, isThere in if !isThere { throw Refused() } }
    },
    Fault(name: "drops the record", rule: .everyField, alsoBroken: Set(readingBack)) {
      $0.storing = { _, _, _ in nil }
    },
    Fault(
      name: "keeps the first record", rule: .overwriting, alsoBroken: [.concurrentUse, .useInside, .refreshLock]
    ) { $0.storing = { _, old, new in old ?? new } },
    Fault(name: "merges records", rule: .overwriting) {
      $0.storing = { _, old, new in
        var merged = new
        merged.policyID = new.policyID ?? old?.policyID
        return merged
      }
    },
    Fault(name: "removes nothing", rule: .removing, alsoBroken: [.listing, .distinctKeys, .replacing]) {
      $0.removes = false
    },
    Fault(name: "lists a key twice", rule: .listing, alsoBroken: [.distinctKeys, .concurrentUse]) {
      $0.listing = { $0 + $0.prefix(1) }
    },
    Fault(name: "forgets a key in the list", rule: .listing, alsoBroken: [.distinctKeys, .concurrentUse]) {
      $0.listing = { Array($0.dropFirst()) }
    },
    Fault(name: "does not look at the client", rule: .distinctKeys) {
      $0.listsStoredKeys = true
      $0.naming = { TokenCacheKey(authority: $0.authority, clientID: "", userID: $0.userID) }
    },
    Fault(name: "joins the parts without a mark", rule: .distinctKeys) {
      $0.naming = { TokenCacheKey(authority: $0.authority, clientID: $0.clientID + $0.userID, userID: "") }
      $0.listsStoredKeys = true
    },
    Fault(name: "ignores case", rule: .distinctKeys) {
      $0.listsStoredKeys = true
      $0.naming = { TokenCacheKey(authority: $0.authority, clientID: $0.clientID, userID: $0.userID.lowercased()) }
    },
    Fault(name: "normalises code points", rule: .distinctKeys) {
      $0.listsStoredKeys = true
      $0.naming = {
        TokenCacheKey(
          authority: $0.authority, clientID: $0.clientID, userID: $0.userID.precomposedStringWithCanonicalMapping)
      }
    },
    Fault(name: "makes paths of users", rule: .distinctKeys) {
      $0.naming = { key in
        key.userID == ".." || key.userID == "."
          ? TokenCacheKey(authority: key.authority, clientID: key.clientID, userID: "") : key
      }
    },
    Fault(name: "cuts long keys", rule: .distinctKeys) {
      $0.naming = {
        TokenCacheKey(authority: $0.authority, clientID: $0.clientID, userID: String($0.userID.prefix(255)))
      }
    },
    Fault(name: "cuts large values", rule: .everyField) {
      $0.storing = { _, _, new in
        var cut = new
        cut.refreshToken = new.refreshToken.map { Secret(String($0.value.prefix(65_535))) }
        return cut
      }
    },
    Fault(name: "rounds dates to seconds", rule: .everyField) {
      $0.storing = { _, _, new in
        var rounded = new
        for index in rounded.accessTokens.indices {
          let end = rounded.accessTokens[index].expiresAt.timeIntervalSince1970
          rounded.accessTokens[index].expiresAt = Date(timeIntervalSince1970: end.rounded(.down))
        }
        return rounded
      }
    },
    Fault(name: "drops the claims' nested values", rule: .everyField) {
      $0.storing = { _, _, new in
        var flat = new
        flat.claims = new.claims.filter { $0.value.object == nil }
        return flat
      }
    },
    Fault(name: "drops the scopes that were asked for", rule: .everyField) {
      $0.storing = { _, _, new in
        var granted = new
        for index in granted.accessTokens.indices {
          granted.accessTokens[index].requestedScopes = granted.accessTokens[index].scopes
        }
        return granted
      }
    },
    Fault(name: "forgets that a session has ended", rule: .everyField) {
      $0.storing = { _, _, new in
        var good = new
        good.isEnded = false
        return good
      }
    },
    Fault(
      name: "gives each record a stamp of its own", rule: .everyField, alsoBroken: [.replacing, .useInside]
    ) {
      $0.storing = { _, _, new in
        var stamped = new
        stamped.stamp = UUID()
        return stamped
      }
    },
    Fault(name: "mixes two writes", rule: .concurrentUse) { $0.writesInTwoSteps = true },
    Fault(name: "replaces without comparing", rule: .replacing, alsoBroken: [.atomicReplacing]) {
      $0.comparing = { record, _ in record != nil }
    },
    Fault(name: "compares the sign-in and not the stamp", rule: .replacing, alsoBroken: [.atomicReplacing, .useInside])
    {
      $0.comparing = { $0?.signIn == $1 }
    },
    Fault(name: "brings a removed record back", rule: .replacing) {
      $0.comparing = { $0 == nil || $0?.stamp == $1 }
    },
    Fault(name: "replaces nothing", rule: .replacing, alsoBroken: [.atomicReplacing, .useInside]) {
      $0.writesReplacements = false
    },
    Fault(name: "refuses each replacement", rule: .replacing, alsoBroken: [.atomicReplacing, .useInside]) {
      $0.comparing = { _, _ in false }
    },
    Fault(name: "compares and writes in two steps", rule: .atomicReplacing) { $0.replacesInTwoSteps = true },
    Fault(name: "lets every caller in", rule: .refreshLock, alsoBroken: [.cancellation]) { $0.excludes = false },
    Fault(name: "runs the work twice", rule: .refreshLock, alsoBroken: [.useInside, .cancellation]) {
      $0.working = { work in
        await work()
        await work()
      }
    },
    Fault(name: "forgets the work", rule: .refreshLock, alsoBroken: [.useInside, .cancellation]) {
      $0.working = { _ in }
    },
    Fault(name: "shows what it was before the work", rule: .useInside, alsoBroken: [.refreshLock]) {
      $0.restoresAfterWork = true
    },
    Fault(name: "does not heed a cancellation", rule: .cancellation) { $0.heedsCancellation = false },
  ]

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
    // Those two take a second instance, and a store that is away.
    let rules = Set(Self.faults.map(\.rule)).union([.sharing, .failing])
    #expect(rules == Set(TokenCacheRule.allCases))
  }

  @Test("What is returned names the rule and what was seen")
  func words() async throws {
    let broken = try await TokenCacheConformance.brokenRules {
      FaultyTokenCache { $0.comparing = { $0 == nil || $0?.stamp == $1 } }
    }
    #expect(
      broken == [
        "Broken: \(TokenCacheRule.replacing.rawValue). Seen: a record that is not there is replaced"
      ])
  }

  @Test("A number in a record that no arithmetic holds breaks a rule, and ends nothing")
  func farNumber() async throws {
    let broken = try await TokenCacheConformance.brokenRules {
      FaultyTokenCache {
        $0.reading = { _, record in
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
    let broken = try await TokenCacheConformance.brokenRules(
      makeSecondInstance: { $0 }, makeCache: { FaultyTokenCache { _ in } })
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test("A cache of four methods alone breaks none")
  func plain() async throws {
    let broken = try await TokenCacheConformance.brokenRules { PlainTokenCache() }
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test("A second instance that answers from memory is found", arguments: RememberingTokenCache.Fault.allCases)
  func memory(_ fault: RememberingTokenCache.Fault) async throws {
    let store = Locked<[TokenCacheKey: TokenRecord]>([:])
    let broken = try await TokenCacheConformance.brokenRules(
      makeSecondInstance: { _ in RememberingTokenCache(store: store, fault) },
      makeCache: {
        store.withLock { $0 = [:] }
        return RememberingTokenCache(store: store, fault)
      })
    #expect(TokenCacheRule.named(in: broken) == [.sharing], "\(broken)")
    let seen = fault == .always ? "a change by the other instance is not seen" : "a removal is not seen"
    #expect(broken.first?.hasSuffix(seen) == true)
  }

  @Test("Two instances that share records and no locks are found")
  func separateLocks() async throws {
    let store = SharedMemoryCache()
    let broken = try await TokenCacheConformance.brokenRules(
      makeSecondInstance: { _ in SeparateLocksCache(store) },
      makeCache: {
        for key in await store.keys() { await store.removeRecord(for: key) }
        return SeparateLocksCache(store)
      })
    // A caller that need not wait for the lock is not cancelled in time, either.
    let rules = Set(TokenCacheRule.named(in: broken))
    #expect(rules.contains(.refreshLock) && rules.isSubset(of: [.refreshLock, .cancellation]), "\(broken)")
  }

  @Test("An unreachable store that looks empty is found")
  func unreachable() async throws {
    let broken = try await TokenCacheConformance.brokenRules(
      makeUnreachableCache: { InMemoryTokenCache.memory() }, makeCache: { InMemoryTokenCache.memory() })
    #expect(TokenCacheRule.named(in: broken) == [.failing])
  }

  @Test("A factory that cannot even create the unreachable cache has reported the failure")
  func unreachableFactory() async throws {
    let broken = try await TokenCacheConformance.brokenRules(
      makeUnreachableCache: { throw Refused() }, makeCache: { InMemoryTokenCache.memory() })
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test("An error of the factory is thrown: it is not a broken rule")
  func factory() async throws {
    await #expect(throws: Refused.self) {
      try await TokenCacheConformance.brokenRules { () throws -> InMemoryTokenCache in throw Refused() }
    }
  }
}
