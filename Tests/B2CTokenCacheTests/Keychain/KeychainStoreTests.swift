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
    #expect(broken.isEmpty, "\(broken)")
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

  static let refusals: [(KeychainStatus, isRetryable: Bool, String)] = [
    (.missingEntitlement, false, "Keychain Sharing with any group"), (.missingEntitlement, false, ".files()"),
    (.missingEntitlement, false, "Sign the app"), (.interactionNotAllowed, true, "unlocked"),
    (.notAvailable, false, "no passcode"), (.notAvailable, false, "a service without a user session"),
    (.authenticationFailed, false, "no passcode"), (.userCanceled, false, "allow the app"),
    (.undecodable, false, "sign in again"), (KeychainStatus(rawValue: -50), false, "the system's list"),
  ]

  @Test(
    "Each refusal has the sentence that fixes it, and only that of a locked device may pass", arguments: refusals)
  func refusal(_ status: KeychainStatus, _ isRetryable: Bool, _ words: String) async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    // Another process, which has no copy in memory.
    let refusing = keychain.otherProcess()
    refusing.fail(with: status)
    let cache = StoredTokenCache(KeychainStore(refusing))
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await cache.record(for: Samples.key) },
      { _ = try await cache.keys() },
      { try await cache.store(Samples.record("two"), for: Samples.key) },
      { _ = try await cache.replace(Samples.key, expecting: Samples.uuid, with: Samples.record("two")) },
      { try await cache.removeRecord(for: Samples.key) },
    ]
    for call in calls {
      let error = await expectFailure(words, isRetryable: isRetryable, call)
      #expect(error?.message.contains("(OSStatus \(status.rawValue))") == true)
      #expect(error?.underlying as? KeychainStatus == status)
    }
    refusing.fail(with: nil)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  @Test("A damaged item is an error each time, and can be replaced and removed")
  func damagedItem() async throws {
    for isRemoved in [true, false] {
      keychain.plant(Data("canary".utf8), account: Samples.key.canonicalText)
      let cache = StoredTokenCache(KeychainStore(keychain.otherProcess()))
      for _ in 0..<2 {
        let error = await expectFailure("is not a usable token record", isRetryable: false) {
          _ = try await cache.record(for: Samples.key)
        }
        #expect(error?.description.contains("canary") == false)
      }
      #expect(try await cache.keys() == [Samples.key])
      if isRemoved {
        try await cache.removeRecord(for: Samples.key)
        #expect(try await cache.record(for: Samples.key) == nil)
      } else {
        try await cache.store(Samples.record(), for: Samples.key)
        #expect(try await cache.record(for: Samples.key) == Samples.record())
      }
    }
  }

  @Test("An item that was replaced by another record's is noticed")
  func swapping() async throws {
    try await cache.store(Samples.record(), for: Samples.otherKey)
    keychain.plant(
      try #require(keychain.contents[Samples.otherKey.canonicalText]), account: Samples.key.canonicalText)
    await expectFailure("it contains the record of another key", isRetryable: false) {
      _ = try await cache.record(for: Samples.key)
    }
  }

  @Test("A newer item is refused and left as it is, until a sign-in replaces it")
  func newerItem() async throws {
    let key = String(decoding: try JSONEncoder().encode(Samples.key), as: UTF8.self)
    let newer = Data(#"{"b2cTokenRecord":9,"key":\#(key)}"#.utf8)
    keychain.plant(newer, account: Samples.key.canonicalText)
    await expectFailure("has version 9", isRetryable: false) { _ = try await cache.record(for: Samples.key) }
    #expect(keychain.contents[Samples.key.canonicalText] == newer)
    #expect(try await cache.keys() == [Samples.key])
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  @Test("Other items of the service are not listed")
  func otherItems() async throws {
    keychain.plant(Data(), account: "someone else's")
    #expect(try await cache.keys().isEmpty)
  }

  @Test("When two processes add a record at once, both writes succeed and the later one is kept")
  func recordRace() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    // Updating does not find the item: adding it finds that another process was first.
    let second = StoredTokenCache(KeychainStore(LateKeychain(keychain, missedLooks: 1)))
    try await second.store(Samples.record("two"), for: Samples.key)
    let third = StoredTokenCache(KeychainStore(keychain.otherProcess()))
    #expect(try await third.record(for: Samples.key) == Samples.record("two"))
  }

  @Test("Keychain calls run beside the tasks: one that waits holds no thread that tasks share")
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

/// Sees an item only after some looks, as if another process had just added it.
private final class LateKeychain: KeychainItems {
  private let keychain: DictionaryKeychain
  private let missedLooks: Locked<Int>

  init(_ keychain: DictionaryKeychain, missedLooks: Int) {
    self.keychain = keychain
    self.missedLooks = Locked(missedLooks)
  }

  var isShared: Bool { keychain.isShared }

  func data(_ account: String) throws(KeychainStatus) -> Data {
    try look()
    return try keychain.data(account)
  }

  func update(_ data: Data, account: String) throws(KeychainStatus) {
    try look()
    try keychain.update(data, account: account)
  }

  func add(_ data: Data, account: String) throws(KeychainStatus) { try keychain.add(data, account: account) }
  func remove(_ account: String) throws(KeychainStatus) { try keychain.remove(account) }
  func accounts() throws(KeychainStatus) -> [String] { try keychain.accounts() }

  private func look() throws(KeychainStatus) {
    let isMissed = missedLooks.withLock { left in
      left -= 1
      return left >= 0
    }
    if isMissed { throw .itemNotFound }
  }
}
