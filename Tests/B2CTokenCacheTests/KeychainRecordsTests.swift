import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import Testing

@Suite struct KeychainRecordsTests {
  private let keychain = DictionaryKeychain()

  private var cache: KeychainRecords { KeychainRecords(keychain) }

  @Test func keepsTheRules() async {
    let made = Locked<DictionaryKeychain?>(nil)
    var suite = TokenCacheConformance {
      let keychain = DictionaryKeychain()
      made.withLock { $0 = keychain }
      return KeychainRecords(keychain)
    }
    suite.makeSecondInstance = { first in made.withLock { $0 }.map(KeychainRecords.init) ?? first }
    suite.makeUnreachableCache = {
      let keychain = DictionaryKeychain()
      keychain.fail(with: .notAvailable)
      return KeychainRecords(keychain)
    }
    let broken = await suite.brokenRules()
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test(arguments: [
    (KeychainStatus.missingEntitlement, TokenCacheError.Code.missingEntitlement, "Sign the app"),
    (.interactionNotAllowed, .unreadable, "unlocked"), (.notAvailable, .unreadable, "FileTokenCache"),
    (.undecodable, .unreadable, "sign in again"), (.userCanceled, .unreadable, "allow the app"),
    (KeychainStatus(rawValue: -50), .unreadable, "(OSStatus -50)"),
  ])
  func refusalsAreExplained(_ status: KeychainStatus, _ code: TokenCacheError.Code, _ words: String) async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    keychain.fail(with: status)
    let error = await failure { _ = try await cache.record(for: Samples.key) }
    #expect(error?.code == code)
    #expect(error?.description.contains(words) == true)
    #expect(error?.description.contains("\(status.rawValue)") == true)
    #expect(error?.underlying as? KeychainStatus == status)
    let writing = await failure { try await cache.store(Samples.record("two"), for: Samples.key) }
    #expect(writing?.code == code)
    let removing = await failure { try await cache.removeRecord(for: Samples.key) }
    #expect(removing?.code == (code == .unreadable ? .unwritable : code))
    keychain.fail(with: nil)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  @Test func aDamagedItemIsAnErrorAndCanBeReplaced() async throws {
    keychain.plant(Data("canary".utf8), account: Samples.key.canonicalText)
    let error = await failure { _ = try await cache.record(for: Samples.key) }
    #expect(error?.code == .damaged)
    #expect(error?.description.contains("canary") == false)
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  @Test func aSwappedItemIsNoticed() async throws {
    try await cache.store(Samples.record(), for: Samples.otherKey)
    keychain.plant(
      try keychain.data(account: Samples.otherKey.canonicalText), account: Samples.key.canonicalText)
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .damaged)
  }

  @Test func aNewerItemIsNotWrittenOver() async throws {
    let newer = Data(#"{"b2cTokenRecord":9}"#.utf8)
    keychain.plant(newer, account: Samples.key.canonicalText)
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .newerVersion)
    #expect(await failure { try await cache.store(Samples.record(), for: Samples.key) }?.code == .newerVersion)
    #expect(try keychain.data(account: Samples.key.canonicalText) == newer)
  }

  @Test func otherItemsOfTheServiceAreNoRecords() async throws {
    keychain.plant(Data(), account: "someone else's")
    #expect(try await cache.keys().isEmpty)
  }

  @Test func theSystemEncryptsItems() {
    #expect(cache.isEncrypted)
  }

  @Test func encryptionKeysInTheKeychain() async throws {
    let keys = KeychainKeys(keychain)
    let first = try await keys.currentKey()
    #expect(try await KeychainKeys(keychain).currentKey() == first)
    let second = try await keys.rotate()
    #expect(try await KeychainKeys(keychain).currentKey() == second)
    #expect(try await keys.key(withID: first.id) == first)
    keychain.fail(with: .missingEntitlement)
    #expect(await failure { _ = try await keys.currentKey() }?.code == .missingEntitlement)
    let sealed = EncryptedTokenCache(wrapping: InMemoryTokenCache(), keys: keys)
    #expect(await failure { try await sealed.store(Samples.record(), for: Samples.key) }?.code == .missingEntitlement)
    #expect(try await sealed.keys().isEmpty)
  }
}
