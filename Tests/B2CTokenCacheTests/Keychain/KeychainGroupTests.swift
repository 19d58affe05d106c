import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// Which of an app's keychain groups records are in.
@Suite("Keychain groups", .timeLimit(.minutes(10)))
struct KeychainGroupTests {
  private static let own = DictionaryKeychain.ownGroup
  private static let shared = "TEAM.com.example.shared"
  private static let account = Samples.key.canonicalText

  private func cache(
    _ keychain: DictionaryKeychain, group: String? = nil, process: KeychainProcess = DictionaryKeychain.app
  ) -> KeychainRecords { KeychainRecords(keychain, group: group, process: process) }

  /// What a version without groups has stored: the system has chosen the group.
  private func plant(_ keychain: DictionaryKeychain, in group: String, _ name: String = "old") async throws {
    let writer = DictionaryKeychain(groups: [group])
    try await cache(writer, group: group).store(Samples.record(name), for: Samples.key)
    keychain.plant(try #require(writer.contents[Self.account]), account: Self.account, in: group)
  }

  @Test("Without a group, records are in the app's own, although the system would add them to the first")
  func ownGroup() async throws {
    let keychain = DictionaryKeychain(groups: [Self.shared, Self.own])
    try await cache(keychain).store(Samples.record(), for: Samples.key)
    #expect(keychain.groups(of: Self.account) == [Self.own])
    // The next launch finds the group without adding anything.
    let next = keychain.otherProcess()
    _ = keychain.takeCalls()
    #expect(try await cache(next).record(for: Samples.key) == Samples.record())
    #expect(keychain.takeCalls() == [.list, .item])
  }

  static let fallbacks: [([String], KeychainProcess, String)] = [
    ([shared, "TEAM.com.example.other"], DictionaryKeychain.app, shared),
    ([shared, own], KeychainProcess(bundleID: nil), shared),
    ([shared, own], KeychainProcess(bundleID: "com.example.app", isExtension: true), shared),
    (["group.com.example", own], DictionaryKeychain.app, "group.com.example"),
  ]

  @Test("Where the app has no group of its own, and in an extension, the first is used", arguments: fallbacks)
  func firstGroup(_ groups: [String], _ process: KeychainProcess, _ group: String) async throws {
    let keychain = DictionaryKeychain(groups: groups)
    try await cache(keychain, process: process).store(Samples.record(), for: Samples.key)
    #expect(keychain.groups(of: Self.account) == [group])
    #expect(try await cache(keychain, process: process).keys() == [Samples.key])
  }

  @Test("An old record is found after the capability was added, and moves once", arguments: [own, shared])
  func capabilityAdded(_ oldGroup: String) async throws {
    let keychain = DictionaryKeychain(groups: [Self.shared, Self.own])
    try await plant(keychain, in: oldGroup)
    let cache = cache(keychain)
    #expect(try await cache.keys() == [Samples.key])
    #expect(try await cache.record(for: Samples.key) == Samples.record("old"))
    #expect(keychain.groups(of: Self.account) == [Self.own])
    #expect(try await cache.keys() == [Samples.key])
    try await cache.removeRecord(for: Samples.key)
    #expect(keychain.groups(of: Self.account).isEmpty)
  }

  @Test(
    "An old record in another group can be replaced and removed without being read first", arguments: [true, false])
  func unreadOldRecord(_ isReplaced: Bool) async throws {
    let keychain = DictionaryKeychain(groups: [Self.shared, Self.own])
    try await plant(keychain, in: Self.shared)
    if isReplaced {
      try await cache(keychain).store(Samples.record("new"), for: Samples.key)
      #expect(keychain.groups(of: Self.account) == [Self.own])
      #expect(try await cache(keychain).record(for: Samples.key) == Samples.record("new"))
    } else {
      try await cache(keychain).removeRecord(for: Samples.key)
      #expect(keychain.groups(of: Self.account).isEmpty)
      #expect(try await cache(keychain).keys().isEmpty)
    }
  }

  @Test("A record of another client in a shared group stays where it is")
  func otherClient() async throws {
    let keychain = DictionaryKeychain(groups: [Self.shared, Self.own])
    try await plant(keychain, in: Self.shared)
    let cache = cache(keychain)
    _ = try await cache.keys()
    #expect(try await cache.record(for: Samples.otherKey) == nil)
    #expect(keychain.groups(of: Self.account) == [Self.shared])
  }

  @Test("A cache with a named group searches that group alone")
  func namedGroup() async throws {
    let keychain = DictionaryKeychain(groups: [Self.shared, Self.own])
    try await plant(keychain, in: Self.own)
    let named = cache(keychain, group: Self.shared)
    #expect(try await named.keys().isEmpty)
    #expect(try await named.record(for: Samples.key) == nil)
    try await named.removeRecord(for: Samples.key)
    #expect(keychain.groups(of: Self.account) == [Self.own])
  }

  @Test("An extension leaves its app's records alone")
  func extensionMovesNothing() async throws {
    let keychain = DictionaryKeychain(groups: [Self.shared, Self.own])
    try await plant(keychain, in: Self.own)
    let process = KeychainProcess(bundleID: "com.example.app.widget", isExtension: true)
    #expect(try await cache(keychain, process: process).record(for: Samples.key) == nil)
    #expect(keychain.groups(of: Self.account) == [Self.own])
  }

  @Test("What an extension has stored stays where the extension finds it")
  func extensionKeepsItsRecord() async throws {
    let keychain = DictionaryKeychain(groups: [Self.shared, Self.own])
    let process = KeychainProcess(bundleID: "com.example.app.widget", isExtension: true)
    try await cache(keychain, process: process).store(Samples.record(), for: Samples.key)
    let app = cache(keychain.otherProcess())
    #expect(try await app.keys().isEmpty)
    #expect(try await app.record(for: Samples.key) == nil)
    #expect(try await cache(keychain, process: process).record(for: Samples.key) == Samples.record())
  }

  @Test("The sign-out of one cache leaves the other's record", arguments: [true, false])
  func twoCaches(_ namedGoesFirst: Bool) async throws {
    let keychain = DictionaryKeychain(groups: [Self.shared, Self.own])
    let (one, two) = (cache(keychain), cache(keychain, group: Self.shared))
    try await one.store(Samples.record("own"), for: Samples.key)
    try await two.store(Samples.record("shared"), for: Samples.key)
    #expect(keychain.groups(of: Self.account) == [Self.own, Self.shared])
    #expect(try await one.record(for: Samples.key) == Samples.record("own"))
    #expect(try await two.record(for: Samples.key) == Samples.record("shared"))
    try await (namedGoesFirst ? two : one).removeRecord(for: Samples.key)
    #expect(keychain.groups(of: Self.account) == [namedGoesFirst ? Self.own : Self.shared])
    // The next launch takes nothing from the other either.
    let next = keychain.otherProcess()
    #expect(try await cache(next).keys().isEmpty == !namedGoesFirst)
    #expect(try await cache(next, group: Self.shared).keys().isEmpty == namedGoesFirst)
  }

  @Test("A record of an earlier version's named cache does not take the place of one that was signed out")
  func oldNamedRecord() async throws {
    let keychain = DictionaryKeychain(groups: [Self.shared, Self.own])
    try await plant(keychain, in: Self.shared)
    try await plant(keychain, in: Self.own, "own")
    try await cache(keychain).removeRecord(for: Samples.key)
    let next = keychain.otherProcess()
    #expect(try await cache(next).keys().isEmpty)
    #expect(keychain.groups(of: Self.account) == [Self.shared])
  }

  @Test("Two caches over one group, one of which names it, see each other's changes at once")
  func oneGroupTwoWays() async throws {
    let keychain = DictionaryKeychain(groups: [Self.shared, Self.own])
    let (one, two) = (cache(keychain), cache(keychain, group: Self.own))
    try await one.store(Samples.record("one"), for: Samples.key)
    #expect(try await two.record(for: Samples.key) == Samples.record("one"))
    try await two.store(Samples.record("two"), for: Samples.key)
    #expect(try await one.record(for: Samples.key) == Samples.record("two"))
    try await one.removeRecord(for: Samples.key)
    #expect(try await two.record(for: Samples.key) == nil)
  }

  static let sharing: [(String, KeychainProcess, Bool)] = [
    (own, DictionaryKeychain.app, true), (shared, DictionaryKeychain.app, false),
    (own, KeychainProcess(bundleID: "com.example.app", isExtension: true), false),
    (own, KeychainProcess(bundleID: nil), false), ("group.com.example.app", DictionaryKeychain.app, false),
  ]

  @Test("What waits for a cache without a group waits for one that names the app's own too", arguments: sharing)
  func waitingChanges(_ group: String, _ process: KeychainProcess, _ isOne: Bool) {
    let keychain = DictionaryKeychain(groups: [group, Self.own])
    let (one, two) = (cache(keychain, process: process), cache(keychain, group: group, process: process))
    #expect((CacheRegistry.state(of: one) === CacheRegistry.state(of: two)) == isOne)
  }

  @Test("An app group that is named after the app is shared all the same")
  func appGroup() async throws {
    let group = "group.com.example.app"
    let keychain = DictionaryKeychain(groups: [Self.own, group])
    let cache = cache(keychain, group: group)
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
    let widget = KeychainProcess(bundleID: "com.example.app.widget", isExtension: true)
    try await self.cache(keychain.otherProcess(), group: group, process: widget)
      .store(Samples.record("two"), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record("two"))
  }

  @Test("An old encryption key in another group is used, copied to the app's own, and left there")
  func oldEncryptionKey() async throws {
    let keychain = DictionaryKeychain(groups: [Self.shared])
    let old = try await StoredKeychainKey(keychain, process: DictionaryKeychain.app).encryptionKey()
    let next = keychain.otherProcess(groups: [Self.shared, Self.own])
    #expect(try await StoredKeychainKey(next, process: DictionaryKeychain.app).encryptionKey() == old)
    #expect(keychain.groups(of: "encryption-key") == [Self.shared, Self.own])
    let alone = keychain.otherProcess(groups: [Self.own])
    #expect(try await StoredKeychainKey(alone, process: DictionaryKeychain.app).encryptionKey() == old)
  }
}
