import B2CCore
import B2CTestKit
import B2CTokenCache
import TestSupport
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct KeychainRecordsTests {
  private let keychain = DictionaryKeychain()

  private var cache: KeychainRecords { KeychainRecords(keychain, process: DictionaryKeychain.app) }

  @Test("The conformance suite finds nothing")
  func conformance() async throws {
    let made = Locked<DictionaryKeychain?>(nil)
    var suite = TokenCacheConformance(timeLimit: .patience) {
      let keychain = DictionaryKeychain()
      made.withLock { $0 = keychain }
      return KeychainRecords(keychain)
    }
    suite.makeSecondInstance = { first in made.withLock { $0 }.map { KeychainRecords($0) } ?? first }
    suite.makeUnreachableCache = {
      let keychain = DictionaryKeychain()
      keychain.fail(with: .notAvailable)
      return KeychainRecords(keychain)
    }
    let broken = try await suite.brokenRules()
    #expect(broken.isEmpty, "\(broken)")
  }

  static let refusals: [(KeychainStatus, TokenCacheError.Code, String)] = [
    (.missingEntitlement, .missingEntitlement, "Sign the app"),
    (.interactionNotAllowed, .unreadable, "unlocked"), (.notAvailable, .unreadable, "FileTokenCache"),
    (.undecodable, .unreadable, "sign in again"), (.userCanceled, .unreadable, "allow the app"),
    (KeychainStatus(rawValue: -50), .unreadable, "(OSStatus -50)"),
  ]

  @Test("Refusals are explained", arguments: refusals)
  func refusal(_ status: KeychainStatus, _ code: TokenCacheError.Code, _ words: String) async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    // Another process, which has no copy in memory.
    let refusing = keychain.otherProcess()
    refusing.fail(with: status)
    let cache = KeychainRecords(refusing, process: DictionaryKeychain.app)
    let error = await failure { _ = try await cache.record(for: Samples.key) }
    #expect(error?.code == code)
    #expect(error?.description.contains(words) == true)
    #expect(error?.description.contains("\(status.rawValue)") == true)
    #expect(error?.underlying as? KeychainStatus == status)
    let writing = await failure { try await cache.store(Samples.record("two"), for: Samples.key) }
    #expect(writing?.code == code)
    let removing = await failure { try await cache.removeRecord(for: Samples.key) }
    #expect(removing?.code == (code == .unreadable ? .unwritable : code))
    refusing.fail(with: nil)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  @Test("A damaged item is an error and can be replaced")
  func damagedItem() async throws {
    keychain.plant(Data("canary".utf8), account: Samples.key.canonicalText)
    let error = await failure { _ = try await cache.record(for: Samples.key) }
    #expect(error?.code == .damaged)
    #expect(error?.description.contains("canary") == false)
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  @Test("An item that was replaced by another record's is noticed")
  func swapping() async throws {
    try await cache.store(Samples.record(), for: Samples.otherKey)
    keychain.plant(
      try #require(keychain.contents[Samples.otherKey.canonicalText]), account: Samples.key.canonicalText)
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .damaged)
  }

  @Test("A newer item is not replaced")
  func newerItem() async throws {
    let newer = Data(#"{"b2cTokenRecord":9}"#.utf8)
    keychain.plant(newer, account: Samples.key.canonicalText)
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .newerVersion)
    #expect(await failure { try await cache.store(Samples.record(), for: Samples.key) }?.code == .newerVersion)
    #expect(keychain.contents[Samples.key.canonicalText] == newer)
  }

  @Test("Other items of the service are not listed")
  func otherItems() async throws {
    keychain.plant(Data(), account: "someone else's")
    #expect(try await cache.keys().isEmpty)
  }

  @Test("An encryption key in the keychain is created once")
  func encryptionKey() async throws {
    let source = StoredKeychainKey(keychain)
    let key = try await source.encryptionKey()
    #expect(try await StoredKeychainKey(keychain).encryptionKey() == key)
    keychain.fail(with: .missingEntitlement)
    #expect(await failure { _ = try await source.encryptionKey() }?.code == .missingEntitlement)
    let encrypted = EncryptedTokenCache(wrapping: InMemoryTokenCache(), key: source)
    #expect(
      await failure { try await encrypted.store(Samples.record(), for: Samples.key) }?.code == .missingEntitlement)
    #expect(try await encrypted.keys().isEmpty)
  }

  @Test("When two processes create the key at once, both use the one that was first")
  func encryptionKeyRace() async throws {
    let first = try await StoredKeychainKey(keychain).encryptionKey()
    let second = StoredKeychainKey(LateKeychain(keychain, missedLooks: 1))
    #expect(try await second.encryptionKey() == first)
  }

  @Test("When two processes add a record at once, both writes succeed and the later one is kept")
  func recordRace() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    // Neither reading, before and after the proof, nor updating finds the item: adding it finds that another process was
    // first.
    let second = KeychainRecords(LateKeychain(keychain, missedLooks: 3), process: DictionaryKeychain.app)
    try await second.store(Samples.record("two"), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record("two"))
  }

  @Test("A damaged key is an error and is not replaced")
  func damagedKey() async throws {
    keychain.plant(Data("canary".utf8), account: "encryption-key")
    let error = await failure { _ = try await StoredKeychainKey(keychain).encryptionKey() }
    #expect(error?.code == .encryptionUnavailable)
    #expect(error?.description.contains("canary") == false)
    #expect(keychain.contents["encryption-key"] == Data("canary".utf8))
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

  var staysOpen: Bool { keychain.staysOpen }

  func item(_ account: String, in group: String) throws(KeychainStatus) -> KeychainItem {
    try look()
    return try keychain.item(account, in: group)
  }

  func update(_ account: String, in group: String, to change: KeychainChange) throws(KeychainStatus) {
    try look()
    try keychain.update(account, in: group, to: change)
  }

  func add(_ data: Data, account: String, mark: String, in group: String?) throws(KeychainStatus) -> String {
    try keychain.add(data, account: account, mark: mark, in: group)
  }
  func attributes(_ account: String, in group: String?) throws(KeychainStatus) -> KeychainAttributes {
    try keychain.attributes(account, in: group)
  }
  func remove(_ account: String, in group: String?) throws(KeychainStatus) { try keychain.remove(account, in: group) }
  func list(in group: String?) throws(KeychainStatus) -> [KeychainAttributes] { try keychain.list(in: group) }

  private func look() throws(KeychainStatus) {
    let isMissed = missedLooks.withLock { left in
      left -= 1
      return left >= 0
    }
    if isMissed { throw .itemNotFound }
  }
}
