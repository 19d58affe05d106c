import B2CConnector
import B2CCore
import B2CTestKit
import B2CTokenCache
import Dispatch
import Foundation
import TestSupport
import Testing

/// Tokens live for 3,600 seconds here and should be renewed in the last 300.
@Suite("A refresh token that the user has to agree to", .timeLimit(.minutes(10)))
struct ConnectorProtectedTokenTests {
  /// A user who has signed in, over a keychain with protected items.
  private final class Stage: Sendable {
    let world = World()
    let items = ProtectedKeychain()
    let keychain: DictionaryKeychain
    let presenter: ScriptedPresenter
    let connector: Connector
    let user: UserInfo
    let token: AccessToken

    /// A clock that stands still, so that a slow machine's lock is not late.
    let waits = TestClock(advancesItself: false)

    init(configure: (inout Connector.Options) -> Void = { _ in }) async throws {
      keychain = DictionaryKeychain(protected: items)
      presenter = ScriptedPresenter(transport: world.network, .signIn(.alice), .editProfile(displayName: "Alice B."))
      var settings = try world.settings()
      settings.policies.others = [try Policy(id: "B2C_1_EditProfile", kind: .profileEdit)]
      connector = try world.connector(
        settings, presenter: presenter, cache: KeychainRecords(keychain, process: DictionaryKeychain.app),
        waitingOn: waits, configure: configure)
      user = try await connector.doPolicy(.signIn)
      token = try await connector.accessToken()
    }

    /// The next launch of the app.
    func relaunched() throws -> Connector {
      try world.connector(cache: KeychainRecords(keychain.otherProcess(), process: DictionaryKeychain.app))
    }

    func expire() async { await world.clock.advance(by: .seconds(7_200)) }

    /// Whether the user is signed in at a connector; each id_token has its own dates.
    func isSignedIn(_ connector: Connector) async throws -> Bool {
      if case .signedIn(let user) = try await connector.session { user.accountID == self.user.accountID } else { false }
    }

    var sent: Int { world.tenant.counters.refreshRequests }

    /// The key of the record, which is in the keychain alone.
    var account: String { get throws { try #require(keychain.contents.keys.first) } }
  }

  @Test("What needs no renewal asks nothing, nor does an edit of the profile")
  func silent() async throws {
    let stage = try await Stage()
    stage.items.answer(.cancelled)
    let connector = stage.connector
    for _ in 0..<2 {
      #expect(try await connector.session == .signedIn(stage.user))
      #expect(try await connector.claims() == stage.user)
      #expect(try await connector.accounts().count == 1)
      _ = try await connector.getTaskList()
      for await state in connector.sessionUpdates {
        #expect(state == .signedIn(stage.user))
        break
      }
      #expect(try await connector.accessToken() == stage.token)
      await stage.world.clock.advance(by: .seconds(1_000))
    }
    _ = try await connector.diagnose()
    _ = try await connector.doPolicy(.profileEdit)
    #expect(try await connector.claims()?.name == "Alice B.")
    await connector.close()
    #expect(stage.items.questions == 0 && stage.sent == 0)
  }

  @Test("Each renewal asks once, and its answer is good for storing the next token; the claims are taken over")
  func renewals() async throws {
    let stage = try await Stage()
    let cache = KeychainRecords(stage.keychain, process: DictionaryKeychain.app)
    let key = try #require(try await cache.keys().first)
    var idToken = try await cache.record(for: key)?.idToken
    for count in 1...3 {
      await stage.expire()
      _ = try await stage.connector.accessToken()
      #expect(try await stage.isSignedIn(stage.connector))
      _ = try await stage.connector.claims()
      #expect(stage.items.questions == count && stage.items.added == (count + 1, count))
      #expect(stage.items.contents.count == 1)
      let record = try #require(try await cache.record(for: key))
      #expect(record.idToken != idToken)
      idToken = record.idToken
    }
    #expect(stage.world.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("A refresh token is in the protected items alone: in no other item, copy or event")
  func secrecy() async throws {
    let stage = try await Stage()
    await stage.expire()
    _ = try await stage.connector.accessToken()
    _ = try await stage.connector.claims()
    let sent = stage.world.network.requests.compactMap { $0.form["refresh_token"] }
    let tokens = sent + stage.items.tokens
    #expect(tokens.count == 2)
    var texts = stage.keychain.contents.values.map { String(decoding: $0, as: UTF8.self) }
    // What the cache keeps in memory.
    let cache = KeychainRecords(stage.keychain, process: DictionaryKeychain.app)
    for key in try await cache.keys() {
      texts.append(String(decoding: try JSONEncoder().encode(try await cache.record(for: key)), as: UTF8.self))
    }
    #expect(texts.count == 2)
    for text in texts { #expect(!tokens.contains { text.contains($0) }) }
  }

  @Test("A thousand callers of two connectors ask once")
  func manyCallers() async throws {
    let stage = try await Stage()
    await stage.expire()
    let other = try stage.world.connector(
      cache: KeychainRecords(stage.keychain, process: DictionaryKeychain.app), waitingOn: stage.waits)
    let tokens = try await withThrowingTaskGroup(of: AccessToken.self) { group in
      for number in 0..<1_000 {
        group.addTask { try await (number.isMultiple(of: 2) ? stage.connector : other).accessToken() }
      }
      return try await group.reduce(into: Set<Secret>()) { $0.insert($1.token) }
    }
    #expect(tokens.count == 1 && stage.items.questions == 1 && stage.sent == 1)
  }

  static let refusals: [(ProtectedItemFailure, TokenCacheError.Code)] = [
    (.cancelled, .authenticationCancelled), (.lockedOut, .authenticationLockedOut),
    (.notSetUp, .authenticationNotSetUp), (.notAllowed, .authenticationNotPossible),
  ]

  @Test("A refusal by user or device ends nothing, and the next call asks again", arguments: refusals)
  func refused(_ answer: ProtectedItemFailure, _ code: TokenCacheError.Code) async throws {
    let stage = try await Stage()
    await stage.expire()
    stage.items.answer(answer)
    for _ in 0..<2 {
      let error = try await #require(throws: ConnectorError.self) { try await stage.connector.getTaskList() }
      #expect(error.code == .tokenCache && !error.needsInteraction)
      #expect((error.underlying as? TokenCacheError)?.code == code)
      #expect(error.isRetryable == (answer == .notAllowed))
    }
    #expect(stage.items.questions == (answer == .notAllowed ? 0 : 2) && stage.sent == 0)
    #expect(try await stage.connector.session == .signedIn(stage.user))
    stage.items.answer(nil)
    _ = try await stage.connector.getTaskList()
    #expect(stage.sent == 1)
  }

  @Test("In the last minute a refusal serves the token that has not expired")
  func lastMinute() async throws {
    let stage = try await Stage()
    await stage.world.clock.advance(by: .seconds(3_570))
    stage.items.answer(.cancelled)
    #expect(try await stage.connector.accessToken() == stage.token)
    #expect(stage.items.questions == 1)
  }

  @Test("After a new enrolment only a sign-in helps: the session has expired, and no user has signed out")
  func invalidated() async throws {
    let stage = try await Stage()
    stage.items.invalidateAll()
    #expect(try await stage.connector.accessToken() == stage.token)
    await expectError(ConnectorError.self, .interactionRequired) {
      try await stage.connector.accessToken(forceRefresh: true)
    }
    // The access token is good until its end.
    #expect(try await stage.connector.session == .signedIn(stage.user))
    #expect(try await stage.connector.accessToken() == stage.token)
    await stage.expire()
    for connector in [stage.connector, try stage.relaunched()] {
      let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken() }
      #expect(error.needsInteraction && error.message.contains("protected refresh token is gone"))
      #expect(try await connector.session == .expired(stage.user))
      #expect(try await connector.accounts().map(\.hasSession) == [false])
    }
    #expect(stage.items.questions == 0 && stage.sent == 0)
    stage.presenter.follow(.signIn(.alice))
    try await stage.connector.doPolicy(.signIn)
    await stage.expire()
    _ = try await stage.connector.accessToken()
    #expect(stage.items.questions == 1 && stage.sent == 1)
  }

  @Test("A locked device invalidates nothing")
  func locked() async throws {
    let stage = try await Stage()
    await stage.expire()
    let next = try stage.relaunched()
    stage.keychain.lock()
    await expectError(ConnectorError.self, .tokenCache) { try await next.accessToken() }
    stage.keychain.lock(false)
    _ = try await next.accessToken()
    #expect(try await stage.isSignedIn(next))
    #expect(stage.sent == 1)
  }

  @Test("Killed between adding the rotated token and naming it, the next launch goes on with the new one")
  func killed() async throws {
    let stage = try await Stage()
    let account = try stage.account
    let before = try #require(stage.keychain.contents[account])
    let old = stage.items.tokens
    await stage.expire()
    _ = try await stage.connector.accessToken()
    _ = try await stage.connector.claims()
    // As if the process had ended before the record was written and the old item removed.
    stage.keychain.plant(before, account: account)
    stage.items.plant(try #require(old.first), account: "\(account)#1")
    #expect(stage.items.contents.count == 2)
    await stage.expire()
    let next = try stage.relaunched()
    _ = try await next.accessToken()
    #expect(stage.world.tenant.counters.reusedRefreshTokens == 0 && stage.items.contents.count == 1)
    #expect(try await stage.isSignedIn(next))
  }

  @Test("A sign-out removes the token without asking")
  func signOut() async throws {
    let stage = try await Stage()
    await stage.expire()
    _ = try await stage.connector.accessToken()
    stage.items.answer(.cancelled)
    try await stage.connector.signOut()
    #expect(stage.items.contents.isEmpty && stage.keychain.contents.isEmpty)
    #expect(try await stage.connector.session == .signedOut)
    #expect(stage.items.questions == 1)
  }

  @Test("A sign-out while the user is asked ends the renewal: nothing is sent or stored")
  func signOutMeanwhile() async throws {
    let stage = try await Stage()
    await stage.expire()
    let isOpen = Locked(false)
    stage.items.onQuestion { [items = stage.items] in
      isOpen.withLock { $0 = true }
      items.waitForInvalidation()
    }
    let renewal = Task { try await stage.connector.accessToken() }
    try await yielding { isOpen.withLock { $0 } }
    #expect(try await stage.connector.session == .signedIn(stage.user))
    try await stage.connector.signOut()
    renewal.cancel()
    await #expect(throws: CancellationError.self) { try await renewal.value }
    #expect(try await stage.connector.session == .signedOut)
    #expect(stage.items.contents.isEmpty && stage.keychain.contents.isEmpty && stage.sent == 0)
  }

  @Test("A sign-in or a sign-out while the user is asked is no new enrolment", arguments: [true, false])
  func replacedMeanwhile(bySignIn: Bool) async throws {
    let stage = try await Stage()
    await stage.expire()
    let isOpen = Locked(false)
    let answer = DispatchSemaphore(value: 0)
    stage.items.onQuestion {
      isOpen.withLock { $0 = true }
      answer.wait()
    }
    let renewal = Task { try await stage.connector.accessToken(forceRefresh: true) }
    try await yielding { isOpen.withLock { $0 } }
    if bySignIn {
      stage.presenter.follow(.signIn(.alice))
      try await stage.connector.doPolicy(.signIn)
    } else {
      try await stage.connector.signOut()
    }
    answer.signal()
    if bySignIn {
      #expect(try await renewal.value == stage.connector.accessToken())
    } else {
      let error = try await #require(throws: ConnectorError.self) { try await renewal.value }
      #expect(error.needsInteraction && error.message == "The user has signed out.")
    }
    #expect(stage.items.questions == 1 && stage.sent == 0)
  }

  @Test("A process that must not refresh asks nothing")
  func never() async throws {
    let stage = try await Stage()
    await stage.expire()
    let widget = try stage.world.connector(
      cache: KeychainRecords(stage.keychain, process: DictionaryKeychain.app)
    ) { $0.refreshesTokens = false }
    await expectError(ConnectorError.self, .refreshNotAllowed) { try await widget.accessToken() }
    #expect(stage.items.questions == 0)
  }

  @Test("A token that the keychain does not take waits in memory, and the session goes on")
  func waiting() async throws {
    let stage = try await Stage()
    await stage.expire()
    stage.items.refuse(.notAvailable)
    let token = try await stage.connector.accessToken()
    #expect(try await stage.connector.accessToken() == token)
    stage.items.refuse(nil)
    await stage.connector.close()
    await stage.expire()
    let next = try stage.relaunched()
    _ = try await next.accessToken()
    #expect(stage.world.tenant.counters.reusedRefreshTokens == 0)
    #expect(try await stage.isSignedIn(next))
  }

  @Test("A second sign-in asks nothing, and leaves its token alone")
  func signInAgain() async throws {
    let stage = try await Stage()
    stage.items.answer(.lockedOut)
    stage.presenter.follow(.signIn(.alice))
    try await stage.connector.doPolicy(.signIn)
    #expect(stage.items.contents.count == 1 && stage.items.questions == 0)
  }
}
