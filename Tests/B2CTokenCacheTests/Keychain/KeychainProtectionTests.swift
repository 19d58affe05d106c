import B2CCore
import B2CTokenCache
import Foundation
import TestSupport
import Testing

@Suite("Keychain, a protected refresh token", .timeLimit(.minutes(10)))
struct KeychainProtectionTests {
  private static let account = Samples.key.canonicalText

  private let items = ProtectedKeychain()
  private let keychain: DictionaryKeychain
  private let cache: KeychainRecords

  init() {
    keychain = DictionaryKeychain(protected: items)
    cache = KeychainRecords(keychain, process: DictionaryKeychain.app)
  }

  /// The next launch: nothing is in memory.
  private func relaunched(protects: Bool = true) -> KeychainRecords {
    KeychainRecords(keychain.otherProcess(protects: protects), process: DictionaryKeychain.app)
  }

  @Test("The refresh token is in an item of its own alone: neither the record's item nor its copy holds it")
  func split() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    for cache in [cache, relaunched()] {
      let record = try #require(try await cache.record(for: Samples.key))
      #expect(record.refreshToken == nil && record.hasRefreshToken && record.hasRefreshToken(of: Samples.record()))
      #expect(!String(decoding: try JSONEncoder().encode(record), as: UTF8.self).contains("canary-refresh"))
      #expect(record.accessTokens == Samples.record().accessTokens && record.idToken == Samples.record().idToken)
      #expect(record.refreshTokenExpiresAt == Samples.record().refreshTokenExpiresAt)
    }
    #expect(!keychain.contents.values.contains { String(decoding: $0, as: UTF8.self).contains("canary-refresh") })
    #expect(items.contents == ["\(Self.account)#1": Data("canary-refresh-one".utf8)])
    #expect(items.questions == 0)
  }

  @Test("Reading, listing, storing and removing never ask")
  func silent() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    items.answer(.cancelled)
    let next = relaunched()
    #expect(try await next.keys() == [Samples.key])
    #expect(try await next.inspect() == [Samples.key])
    try await next.proveWritable()
    var record = try #require(try await next.record(for: Samples.key))
    record.accessTokens = []
    try await next.store(record, for: Samples.key)
    #expect(items.tokens == ["canary-refresh-one"])
    try await next.store(Samples.record("two"), for: Samples.key)
    #expect(items.tokens == ["canary-refresh-two"])
    try await next.removeRecord(for: Samples.key)
    #expect(items.contents.isEmpty && keychain.contents.isEmpty)
    #expect(try await relaunched().keys().isEmpty)
    #expect(items.questions == 0)
  }

  @Test("One question is good for reading the token and storing the next; another refresh asks anew")
  func oneQuestion() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    for (asked, mark) in ["two", "three"].enumerated() {
      let refresh = RefreshAuthentication()
      try await RefreshAuthentication.$current.withValue(refresh) {
        let record = try #require(try await cache.record(for: Samples.key))
        for _ in 0..<2 { #expect(try await record.refreshTokenAskingUser() != nil) }
        #expect(items.questions == asked + 1)
        try await cache.store(Samples.record(mark), for: Samples.key)
      }
      refresh.end()
      #expect(items.added == (asked + 2, asked + 1))
      #expect(items.tokens == ["canary-refresh-\(mark)"])
    }
  }

  static let failures: [(ProtectedItemFailure, TokenCacheError.Code, Bool)] = [
    (.cancelled, .authenticationCancelled, false), (.lockedOut, .authenticationLockedOut, false),
    (.notSetUp, .authenticationNotSetUp, false), (.notAllowed, .authenticationNotPossible, true),
    (.refused(.missingEntitlement), .missingEntitlement, false), (.refused(.notAvailable), .unreadable, false),
  ]

  @Test("What the user or the device refuses has a code of its own, and changes nothing", arguments: failures)
  func refused(_ answer: ProtectedItemFailure, _ code: TokenCacheError.Code, _ isRetryable: Bool) async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    let before = keychain.contents
    let record = try #require(try await cache.record(for: Samples.key))
    items.answer(answer)
    let error = await failure { _ = try await record.refreshTokenAskingUser() }
    #expect(error?.code == code && error?.isRetryable == isRetryable)
    items.answer(nil)
    #expect(try await record.refreshTokenAskingUser() == Samples.record().refreshToken)
    #expect(keychain.contents == before)
  }

  @Test("A token that no item gives out any more is gone; on a locked device that is not believed")
  func gone() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    let record = try #require(try await cache.record(for: Samples.key))
    keychain.lock()
    #expect(await failure { _ = try await record.refreshTokenAskingUser() }?.isRetryable == true)
    keychain.lock(false)
    items.invalidateAll()
    #expect(try await record.refreshTokenAskingUser() == nil)
    #expect(items.questions == 0)
  }

  @Test("An item that says it is invalid is gone as well")
  func invalid() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    let record = try #require(try await cache.record(for: Samples.key))
    items.answer(.gone)
    #expect(try await record.refreshTokenAskingUser() == nil)
  }

  @Test("Killed between adding a token and naming it, the newest is read, and the older one if that is gone")
  func killedBetween() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    for number in 2...10 { items.plant("canary-refresh-\(number)", account: "\(Self.account)#\(number)") }
    items.plant("canary-refresh-other", account: "\(Samples.otherKey.canonicalText)#99")
    let record = try #require(try await relaunched().record(for: Samples.key))
    #expect(try await record.refreshTokenAskingUser()?.value == "canary-refresh-10")
    for number in 2...10 { items.remove("\(Self.account)#\(number)") }
    #expect(try await record.refreshTokenAskingUser()?.value == "canary-refresh-one")

    items.plant("canary-refresh-2", account: "\(Self.account)#2")
    // A change of the claims alone leaves both; the next token leaves itself.
    try await relaunched().store(record, for: Samples.key)
    #expect(items.contents.count == 3)
    try await relaunched().store(Samples.record("three"), for: Samples.key)
    #expect(items.contents.keys.sorted().first == "\(Self.account)#3" && items.contents.count == 2)
    try await relaunched().removeRecord(for: Samples.key)
    #expect(items.tokens == ["canary-refresh-other"])
  }

  @Test("Where items cannot be listed without a question, the one that the record names is read all the same")
  func unlisted() async throws {
    items.forbidListing()
    try await cache.store(Samples.record(), for: Samples.key)
    try await cache.store(Samples.record("two"), for: Samples.key)
    let record = try #require(try await relaunched().record(for: Samples.key))
    #expect(try await record.refreshTokenAskingUser()?.value == "canary-refresh-two")
  }

  @Test("Where items cannot be listed, a token goes all the same: with its record, and when the next is stored")
  func unlistedRemoval() async throws {
    items.forbidListing()
    try await cache.store(Samples.record(), for: Samples.key)
    try await cache.store(Samples.record("two"), for: Samples.key)
    #expect(items.tokens == ["canary-refresh-two"])
    // Killed before the older one was removed, and before the next one was named.
    items.plant("canary-refresh-one", account: "\(Self.account)#1")
    items.plant("canary-refresh-three", account: "\(Self.account)#3")
    try await relaunched().removeRecord(for: Samples.key)
    #expect(items.contents.isEmpty && keychain.contents.isEmpty)
  }

  @Test(
    "A sign-in whose record cannot be written leaves no token there; that of a refresh stays", arguments: [true, false])
  func failedStore(_ isRefresh: Bool) async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    var next = Samples.record("two")
    if !isRefresh { next.signedInAt = Samples.date(60) }
    keychain.afterCalls { [keychain] call in if call == .item { keychain.fail(with: .notAvailable) } }
    #expect(await failure { try await cache.store(next, for: Samples.key) }?.code == .unwritable)
    #expect(items.tokens == ["canary-refresh-one"] + (isRefresh ? ["canary-refresh-two"] : []))
  }

  @Test("Where neither the items can be listed nor the record be read, both stay, and the sign-out says so")
  func unlistedUnread() async throws {
    items.forbidListing()
    try await cache.store(Samples.record(), for: Samples.key)
    keychain.plant(Data("damaged".utf8), account: Self.account)
    let next = relaunched()
    #expect(await failure { try await next.removeRecord(for: Samples.key) }?.code == .unwritable)
    #expect(items.tokens == ["canary-refresh-one"])
    #expect(try await next.keys() == [Samples.key])
  }

  @Test("What cannot be protected is not stored: the record stays as it was", arguments: [true, false])
  func notProtected(_ isNotSetUp: Bool) async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    let before = keychain.contents
    if isNotSetUp { items.answer(.notSetUp) } else { items.refuse(.notAvailable) }
    let error = await failure { try await cache.store(Samples.record("two"), for: Samples.key) }
    #expect(error?.code == (isNotSetUp ? .authenticationNotSetUp : .unwritable))
    #expect(keychain.contents == before && items.tokens == ["canary-refresh-one"])
  }

  @Test("A sign-out that cannot remove the token leaves the record, so that it is tried again")
  func refusedRemoval() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    items.refuse(.notAvailable)
    #expect(await failure { try await cache.removeRecord(for: Samples.key) }?.code == .unwritable)
    items.refuse(nil)
    #expect(try await cache.keys() == [Samples.key])
    try await cache.removeRecord(for: Samples.key)
    #expect(items.contents.isEmpty && keychain.contents.isEmpty)
  }

  @Test("An update of the app that turns protection on splits a record at its next store")
  func turnedOn() async throws {
    let before = relaunched(protects: false)
    try await before.store(Samples.record(), for: Samples.key)
    #expect(items.contents.isEmpty)
    let record = try #require(try await relaunched().record(for: Samples.key))
    #expect(try await record.refreshTokenAskingUser() == Samples.record().refreshToken && items.questions == 0)
    try await relaunched().store(record, for: Samples.key)
    #expect(items.tokens == ["canary-refresh-one"])
    #expect(!keychain.contents.values.contains { String(decoding: $0, as: UTF8.self).contains("canary-refresh") })
  }

  @Test("One that turns it off asks once more, and stores the next token with the record")
  func turnedOff() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    let after = relaunched(protects: false)
    let record = try #require(try await after.record(for: Samples.key))
    #expect(try await record.refreshTokenAskingUser() == Samples.record().refreshToken && items.questions == 1)
    try await after.store(Samples.record("two"), for: Samples.key)
    #expect(items.contents.isEmpty)
    #expect(try await relaunched(protects: false).record(for: Samples.key) == Samples.record("two"))
  }

  @Test("Calls go on while the user is asked, and a caller that leaves ends the question")
  func openQuestion() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    let record = try #require(try await cache.record(for: Samples.key))
    let isOpen = Locked(false)
    items.onQuestion { [items] in
      isOpen.withLock { $0 = true }
      items.waitForInvalidation()
    }
    let question = Task { try await record.refreshTokenAskingUser() }
    try await yielding { isOpen.withLock { $0 } }
    let other = relaunched()
    #expect(try await other.record(for: Samples.key) == record)
    try await other.store(record, for: Samples.key)
    #expect(try await other.keys() == [Samples.key])
    question.cancel()
    await #expect(throws: CancellationError.self) { try await question.value }
    #expect(items.questions == 1 && items.tokens == ["canary-refresh-one"])
  }

  @Test("An encrypted cache around it is refused, for it would hide the token from its protection")
  func encrypted() async throws {
    let key = StoredKeychainKey(keychain, process: DictionaryKeychain.app)
    let encrypted = EncryptedTokenCache(wrapping: cache, key: key)
    let error = await failure { try await encrypted.store(Samples.record(), for: Samples.key) }
    #expect(error?.code == .unwritable)
    #expect(error?.recoverySuggestion?.contains("KeychainTokenCache(protection:)") == true)
    #expect(try await cache.keys().isEmpty)
  }

  @Test("A record that another cache has stored says that its token is elsewhere")
  func elsewhere() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    let record = try #require(try await cache.record(for: Samples.key))
    let copy = try JSONDecoder().decode(TokenRecord.self, from: try JSONEncoder().encode(record))
    #expect(copy == record && copy.hasRefreshToken)
    #expect(await failure { _ = try await copy.refreshTokenAskingUser() }?.code == .unreadable)
  }
}
