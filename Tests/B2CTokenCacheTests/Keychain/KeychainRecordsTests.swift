import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct KeychainRecordsTests {
  private let keychain = DictionaryKeychain()

  private var cache: KeychainRecords { KeychainRecords(keychain) }

  @Test("The conformance suite finds nothing")
  func conformance() async throws {
    let made = Locked<DictionaryKeychain?>(nil)
    var suite = TokenCacheConformance {
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
    let cache = KeychainRecords(refusing)
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

  @Test("When two processes add a record at once, both writes succeed and the later one is kept")
  func recordRace() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    // Neither reading, before and after the proof, nor updating finds the item: adding it finds that another process was
    // first.
    let second = KeychainRecords(LateKeychain(keychain, missedLooks: 3))
    try await second.store(Samples.record("two"), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record("two"))
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
