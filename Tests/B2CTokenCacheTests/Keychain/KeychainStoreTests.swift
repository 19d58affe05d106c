import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit) struct KeychainStoreTests {
  private let keychain = DictionaryKeychain()
  private let cache: StoredTokenCache

  init() {
    cache = StoredTokenCache(KeychainStore(keychain))
  }

  @Test("The conformance suite finds nothing")
  func conformance() async throws {
    let broken = try await TokenCacheConformance.brokenRules(
      makeUnreachableCache: {
        let keychain = DictionaryKeychain()
        keychain.fail(with: .notAvailable)
        return StoredTokenCache(KeychainStore(keychain))
      }, makeCache: { StoredTokenCache(KeychainStore(DictionaryKeychain())) })
    #expect(broken == [])
  }

  @Test("The conformance suite finds nothing in a group that two processes share, except the locks it does not have")
  func sharedGroup() async throws {
    let made = Locked(DictionaryKeychain(isShared: true))
    let broken = try await TokenCacheConformance.brokenRules(
      makeSecondInstance: { _ in StoredTokenCache(KeychainStore(made.withLock { $0 }.otherProcess())) },
      makeCache: {
        let keychain = DictionaryKeychain(isShared: true)
        made.withLock { $0 = keychain }
        return StoredTokenCache(KeychainStore(keychain))
      })
    // One app refreshes; the others read.
    let missing: Set<TokenCacheRule> = [.refreshLock, .atomicReplacing, .cancellation]
    #expect(Set(TokenCacheRule.named(in: broken)).isSubset(of: missing), "\(broken)")
  }

  static let refusals: [(KeychainStatus, isRetryable: Bool, words: [String])] = [
    (.missingEntitlement, false, ["Keychain Sharing with any group", ".files()", "Sign the app"]),
    (.interactionNotAllowed, true, ["unlocked"]),
    (.notAvailable, false, ["no passcode", "a service without a user session"]),
    (.authenticationFailed, false, ["no passcode"]), (.userCanceled, false, ["allow the app"]),
    (.undecodable, false, ["Sign in again"]), (KeychainStatus(rawValue: -50), false, ["the system's list"]),
  ]

  @Test("Each refusal names its fix, and only that of a locked device may pass", arguments: refusals)
  func refusal(_ status: KeychainStatus, _ isRetryable: Bool, _ words: [String]) async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    // Another process, which has no copy in memory.
    let refusing = keychain.otherProcess()
    refusing.fail(with: status)
    let cache = StoredTokenCache(KeychainStore(refusing))
    for call in Samples.calls(of: cache) {
      let error = await expectFailure("(OSStatus \(status.rawValue))", isRetryable: isRetryable, call)
      for word in words { #expect(error?.description.contains(word) == true, "\(word)") }
      #expect(error?.underlying as? KeychainStatus == status)
    }
    refusing.fail(with: nil)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  @Test(
    "A damaged item is listed and is an error each time, until it is replaced or removed", arguments: [true, false])
  func damagedItem(_ isRemoved: Bool) async throws {
    keychain.plant(Data("canary".utf8), account: Samples.key.canonicalText)
    for _ in 0..<2 {
      let error = await expectFailure("is not a usable token record", isRetryable: false) {
        _ = try await cache.record(for: Samples.key)
      }
      #expect(error?.description.contains("canary") == false)
    }
    #expect(try await cache.keys() == [Samples.key])
    if isRemoved {
      try await cache.removeRecord(for: Samples.key)
    } else {
      try await cache.store(Samples.record(), for: Samples.key)
    }
    #expect(try await cache.record(for: Samples.key) == (isRemoved ? nil : Samples.record()))
  }

  @Test("If two processes add a record at the same time, both writes succeed and the later one is kept")
  func recordRace() async throws {
    // The other process adds the item after this one's update has not found it.
    keychain.afterCalls { [keychain] call in
      if call == .update, keychain.contents.isEmpty { keychain.plant(Data(), account: Samples.key.canonicalText) }
    }
    try await cache.store(Samples.record("two"), for: Samples.key)
    #expect(keychain.takeCalls() == [.update, .add, .update])
    let other = StoredTokenCache(KeychainStore(keychain.otherProcess()))
    #expect(try await other.record(for: Samples.key) == Samples.record("two"))
  }

  @Test("Keychain calls hold none of the threads that tasks share")
  func ownQueue() async throws {
    let calls = Locked<[Bool: Int]>([:])
    keychain.afterCalls { _ in
      let isInTask = withUnsafeCurrentTask { $0 != nil }
      calls.withLock { $0[isInTask, default: 0] += 1 }
    }
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await cache.record(for: Samples.otherKey) == nil)
    #expect(try await cache.keys() == [Samples.key])
    try await cache.removeRecord(for: Samples.key)
    #expect(calls.withLock { $0[true] } == nil)
    #expect(calls.withLock { $0[false] ?? 0 } > 5)
  }
}
