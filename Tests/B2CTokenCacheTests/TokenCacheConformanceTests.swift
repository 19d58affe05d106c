import B2CCore
import B2CTestKit
import B2CTokenCache
import TestSupport
import Foundation
import Testing

/// Caches that are broken on purpose: each has to fail, and on its own rule.
@Suite(.timeLimit(.minutes(10))) struct TokenCacheConformanceTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    let rule: TokenCacheRule
    /// Rules that cannot hold either when this one is broken.
    var alsoBroken: Set<TokenCacheRule> = []
    let make: @Sendable () -> any TokenCache

    var testDescription: String { name }
  }

  struct Refused: Error {}

  static let faults: [Fault] = [
    Fault(
      name: "throws for what is absent", rule: .removing, alsoBroken: [.everyField, .updating, .refreshLock]
    ) {
      FaultyTokenCache {
        $0.reading = { _, record in
          guard let record else { throw Refused() }
          return record
        }
      }
    },
    Fault(name: "throws when removing what is absent", rule: .removing) {
      FaultyTokenCache { $0.removing = { _, isThere in if !isThere { throw Refused() } } }
    },
    Fault(name: "drops the record", rule: .everyField, alsoBroken: Set(readingBack)) {
      FaultyTokenCache { $0.storing = { _, _, _ in nil } }
    },
    Fault(
      name: "keeps the first record", rule: .overwriting,
      alsoBroken: [.concurrentUse, .updating, .atomicUpdates, .useInside, .refreshLock]
    ) {
      FaultyTokenCache { $0.storing = { _, old, new in old ?? new } }
    },
    Fault(name: "merges records", rule: .overwriting) {
      FaultyTokenCache {
        $0.storing = { _, old, new in
          var merged = new
          merged.policyID = new.policyID ?? old?.policyID
          return merged
        }
      }
    },
    Fault(
      name: "removes nothing", rule: .removing,
      alsoBroken: [.listing, .distinctKeys, .updating]
    ) {
      FaultyTokenCache { $0.removes = false }
    },
    Fault(name: "lists a key twice", rule: .listing, alsoBroken: keepingApart.union([.concurrentUse])) {
      FaultyTokenCache { $0.listing = { $0 + $0.prefix(1) } }
    },
    Fault(
      name: "forgets a key in the list", rule: .listing, alsoBroken: keepingApart.union([.concurrentUse])
    ) {
      FaultyTokenCache { $0.listing = { Array($0.dropFirst()) } }
    },
    Fault(name: "does not look at the policy", rule: .distinctKeys) {
      FaultyTokenCache {
        $0.listsStoredKeys = true
        $0.naming = {
          TokenCacheKey(authority: $0.authority, policy: "", clientID: $0.clientID, userID: $0.userID)
        }
      }
    },
    Fault(name: "joins the parts without a mark", rule: .distinctKeys) {
      FaultyTokenCache {
        $0.naming = {
          TokenCacheKey(authority: $0.authority, policy: $0.policy + $0.clientID, clientID: "", userID: $0.userID)
        }
        $0.listsStoredKeys = true
      }
    },
    Fault(name: "ignores case", rule: .distinctKeys) {
      FaultyTokenCache {
        $0.listsStoredKeys = true
        $0.naming = {
          TokenCacheKey(
            authority: $0.authority, policy: $0.policy, clientID: $0.clientID, userID: $0.userID.lowercased())
        }
      }
    },
    Fault(name: "normalises code points", rule: .distinctKeys) {
      FaultyTokenCache {
        $0.listsStoredKeys = true
        $0.naming = {
          TokenCacheKey(
            authority: $0.authority, policy: $0.policy, clientID: $0.clientID,
            userID: $0.userID.precomposedStringWithCanonicalMapping)
        }
      }
    },
    Fault(name: "makes paths of users", rule: .distinctKeys) {
      FaultyTokenCache {
        $0.naming = { key in
          key.userID == ".." || key.userID == "."
            ? TokenCacheKey(authority: key.authority, policy: key.policy, clientID: key.clientID, userID: "")
            : key
        }
      }
    },
    Fault(name: "cuts long keys", rule: .distinctKeys) {
      FaultyTokenCache {
        $0.naming = {
          TokenCacheKey(
            authority: $0.authority, policy: $0.policy, clientID: $0.clientID,
            userID: String($0.userID.prefix(255)))
        }
      }
    },
    Fault(name: "cuts large values", rule: .everyField) {
      FaultyTokenCache {
        $0.storing = { _, _, new in
          var cut = new
          cut.refreshToken = new.refreshToken.map { Secret(String($0.value.prefix(65_535))) }
          return cut
        }
      }
    },
    Fault(name: "rounds dates to seconds", rule: .everyField) {
      FaultyTokenCache {
        $0.storing = { _, _, new in
          var rounded = new
          for index in rounded.accessTokens.indices {
            let ends = rounded.accessTokens[index].expiresAt.timeIntervalSince1970
            rounded.accessTokens[index].expiresAt = Date(timeIntervalSince1970: ends.rounded(.down))
          }
          return rounded
        }
      }
    },
    Fault(name: "drops the claims' nested values", rule: .everyField) {
      FaultyTokenCache {
        $0.storing = { _, _, new in
          var flat = new
          flat.claims = new.claims.filter { $0.value.object == nil }
          return flat
        }
      }
    },
    Fault(name: "mixes two writes", rule: .concurrentUse) { FaultyTokenCache { $0.writesInTwoSteps = true } },
    Fault(name: "reads and writes in two steps", rule: .atomicUpdates) {
      FaultyTokenCache { $0.updatesAtomically = false }
    },
    Fault(name: "ignores a change to nil", rule: .updating) { FaultyTokenCache { $0.updating = { $1 ?? $0 } } },
    Fault(name: "ignores a change of a record", rule: .updating, alsoBroken: [.atomicUpdates, .useInside]) {
      FaultyTokenCache { $0.updating = { old, new in new == nil ? nil : old ?? new } }
    },
    Fault(name: "lets every caller in", rule: .refreshLock, alsoBroken: [.cancellation]) {
      FaultyTokenCache { $0.excludes = false }
    },
    Fault(name: "drops the scopes that were asked for", rule: .everyField) {
      FaultyTokenCache {
        $0.storing = { _, _, new in
          var granted = new
          for index in granted.accessTokens.indices {
            granted.accessTokens[index].requestedScopes = granted.accessTokens[index].scopes
          }
          return granted
        }
      }
    },
    Fault(name: "swallows the body's error", rule: .release) { FaultyTokenCache { $0.passesErrorsOn = false } },
  ]

  static let keepingApart: Set<TokenCacheRule> = [.distinctKeys]
  static let readingBack: [TokenCacheRule] = [
    .overwriting, .removing, .listing, .distinctKeys, .everyField,
    .concurrentUse, .updating, .atomicUpdates, .useInside, .refreshLock,
  ]

  @Test("A broken cache fails on its rule", arguments: faults)
  func brokenCache(_ fault: Fault) async throws {
    let broken = try await TokenCacheConformance { fault.make() }.brokenRules()
    let rules = Set(broken.map(\.rule))
    #expect(rules.contains(fault.rule), "\(broken)")
    #expect(rules.isSubset(of: fault.alsoBroken.union([fault.rule])), "\(broken)")
    for observation in broken { #expect(observation.description.contains(observation.rule.rawValue)) }
  }

  @Test("A number in a record that no arithmetic holds breaks a rule, and ends nothing")
  func farNumber() async throws {
    let broken = try await TokenCacheConformance {
      FaultyTokenCache {
        $0.reading = { _, record in
          var record = record
          record?.claims["number"] = .integer(.max)
          return record
        }
      }
    }.brokenRules()
    #expect(broken.contains { $0.rule == .overwriting }, "\(broken)")
  }

  @Test("A cache that keeps the rules breaks none")
  func noFault() async throws {
    let broken = try await TokenCacheConformance { FaultyTokenCache { _ in } }.brokenRules()
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test("A cache of four methods alone breaks none")
  func plain() async throws {
    let broken = try await TokenCacheConformance { PlainTokenCache() }.brokenRules()
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test("A second instance that answers from memory is found", arguments: RememberingTokenCache.Fault.allCases)
  func memory(_ fault: RememberingTokenCache.Fault) async throws {
    let store = Locked<[TokenCacheKey: TokenRecord]>([:])
    var suite = TokenCacheConformance {
      store.withLock { $0 = [:] }
      return RememberingTokenCache(store: store, fault)
    }
    suite.makeSecondInstance = { _ in RememberingTokenCache(store: store, fault) }
    let broken = try await suite.brokenRules()
    #expect(broken.map(\.rule) == [.sharing], "\(broken)")
    #expect(
      broken.first?.observation
        == (fault == .always ? "a change by the other instance is not seen" : "a removal is not seen"))
  }

  @Test("Two instances that share records and no locks are found")
  func separateLocks() async throws {
    let plain = PlainTokenCache()
    var suite = TokenCacheConformance {
      for key in await plain.keys() { await plain.removeRecord(for: key) }
      return LocallySharedTokenCache(ForwardingCache(plain), lockTimeout: .patience)
    }
    suite.makeSecondInstance = { _ in LocallySharedTokenCache(ForwardingCache(plain), lockTimeout: .patience) }
    let broken = try await suite.brokenRules()
    #expect(broken.contains { $0.rule == .refreshLock }, "\(broken)")
    #expect(Set(broken.map(\.rule)).isSubset(of: [.refreshLock, .atomicUpdates]), "\(broken)")
  }

  @Test("An unreachable store that looks empty is found")
  func unreachable() async throws {
    var suite = TokenCacheConformance { InMemoryTokenCache(lockTimeout: .patience) }
    suite.makeUnreachableCache = { InMemoryTokenCache() }
    #expect(try await suite.brokenRules().map(\.rule) == [.failing])
  }

  @Test("A factory that cannot even create the unreachable cache has reported the failure")
  func unreachableFactory() async throws {
    var suite = TokenCacheConformance { InMemoryTokenCache(lockTimeout: .patience) }
    suite.makeUnreachableCache = { throw Refused() }
    let broken = try await suite.brokenRules()
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test("An error of the factory is thrown: it is not a broken rule")
  func factory() async throws {
    await #expect(throws: Refused.self) {
      try await TokenCacheConformance { throw Refused() }.brokenRules()
    }
  }
}
