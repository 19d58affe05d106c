import B2CAuthority
import B2CCore
import B2CHTTP
import B2COAuth
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// A full disk at each store of the engine: what the call says, what goes on, and what is on the disk when it is well again.
@Suite("A full disk at each store", .timeLimit(.minutes(10)))
struct RecordCacheFullDiskTests {
  /// Alice, signed in over a disk that can fill up, with an expired access token; time stands still.
  private struct Stage {
    let cache = FailingCache()
    let fixture: Fixture
    let presenter: ScriptedPresenter
    let client: OAuthClient
    let alice: SignInResult

    init() async throws {
      fixture = Fixture(cache: cache, holdsTime: true)
      presenter = fixture.script(.signIn(.alice))
      client = try fixture.client(presenter: presenter)
      alice = try await client.signIn()
      await fixture.clock.advance(by: .seconds(4_000))
    }

    func fillDisk(_ isFull: Bool) { cache.failsToStore.withLock { $0 = isFull } }

    func failRemovals(_ fails: Bool) {
      cache.removeFailure.withLock { $0 = { _ in fails ? TokenCacheError(.unwritable, "The disk is full.") : nil } }
    }

    /// A refresh whose tokens the disk refuses.
    func refreshOnFullDisk() async throws -> AccessToken {
      fillDisk(true)
      return try await client.accessToken()
    }

    /// What a new launch would find on the disk.
    func storedRefreshToken() async throws -> Secret? {
      guard let key = try await cache.keys().first else { return nil }
      return try await cache.record(for: key)?.refreshToken
    }
  }

  @Test("Another client of the cache uses the token that waits, and never the one that was sent")
  func otherClient() async throws {
    let stage = try await Stage()
    let other = try stage.fixture.client()
    let token = try await stage.refreshOnFullDisk().token
    #expect(try await other.accessToken().token == token)
    stage.fillDisk(false)
    await stage.fixture.clock.advance(by: .seconds(4_000))
    _ = try await other.accessToken()
    await stage.fixture.clock.advance(by: .seconds(4_000))
    _ = try await stage.client.accessToken()
    #expect(stage.fixture.tenant.counters.reusedRefreshTokens == 0)
    #expect(stage.fixture.tenant.counters.refreshes == 3)
  }

  @Test("The token is written without another call, after 1, 5, 30, 60 seconds and then each minute", arguments: 0..<6)
  func writtenByItself(failures: Int) async throws {
    let stage = try await Stage()
    let old = try await stage.storedRefreshToken()
    _ = try await stage.refreshOnFullDisk()
    // The id_token is looked at beside the caller, and its claims are refused as well.
    _ = try await stage.client.currentUser()
    let pauses = [1, 5, 30, 60, 60, 60]
    for pause in pauses.prefix(failures) {
      await stage.fixture.clock.waitForSleepers()
      await stage.fixture.clock.advance(by: .seconds(pause))
    }
    await stage.fixture.clock.waitForSleepers()
    #expect(try await stage.storedRefreshToken() == old)
    stage.fillDisk(false)
    await stage.fixture.clock.advance(by: .milliseconds(pauses[failures] * 1_000 - 1))
    #expect(try await stage.storedRefreshToken() == old)
    await stage.fixture.clock.advance(by: .milliseconds(1))
    try await yielding { try await stage.storedRefreshToken() != old }
    // The process is killed; the next one goes on from the disk.
    await stage.fixture.clock.advance(by: .seconds(4_000))
    _ = try await stage.fixture.client(cache: ForwardingCache(stage.cache)).accessToken()
    #expect(stage.fixture.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("It is written though the client has gone")
  func clientGone() async throws {
    let cache = FailingCache()
    let fixture = Fixture(cache: cache, holdsTime: true)
    weak var gone: OAuthClient?
    do {
      let client = try fixture.client()
      gone = client
      try await client.signIn()
      await fixture.clock.advance(by: .seconds(4_000))
      cache.failsToStore.withLock { $0 = true }
      _ = try await client.accessToken()
      // The id_token is looked at beside the caller.
      _ = try await client.currentUser()
    }
    await fixture.clock.waitForSleepers()
    try await yielding { gone == nil }
    let key = try #require(try await cache.keys().first)
    let old = try await cache.record(for: key)?.refreshToken
    cache.failsToStore.withLock { $0 = false }
    await fixture.clock.advance(by: .seconds(1))
    try await yielding { try await cache.record(for: key)?.refreshToken != old }
  }

  @Test("Closing writes what waits once more")
  func closing() async throws {
    let stage = try await Stage()
    let old = try await stage.storedRefreshToken()
    _ = try await stage.refreshOnFullDisk()
    await stage.client.close()
    #expect(try await stage.storedRefreshToken() == old)
    stage.fillDisk(false)
    await stage.client.close()
    #expect(try await stage.storedRefreshToken() != old)
  }

  @Test("A sign-in that the disk refuses changes nothing: the user, the session, what waits")
  func signInRefused() async throws {
    let stage = try await Stage()
    let token = try await stage.refreshOnFullDisk().token
    for user in [LocalUser.bob, .alice] {
      stage.presenter.clearCookies()
      stage.presenter.follow(.signIn(user))
      await expectError(ConnectorError.self, .tokenCache) { try await stage.client.signIn() }
      #expect(try await stage.client.currentUser()?.id == stage.alice.user.id)
      #expect(try await stage.client.accessToken().token == token)
    }
    stage.fillDisk(false)
    #expect(try await stage.client.accessToken().token == token)
    await stage.fixture.clock.advance(by: .seconds(8_000))
    _ = try await stage.client.accessToken()
    #expect(try await stage.cache.keys().count == 1)
    #expect(stage.fixture.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("A sign-in lists nothing, so a list that cannot be read does not make it fail")
  func signInWithoutList() async throws {
    let stage = try await Stage()
    stage.cache.failsToList.withLock { $0 = true }
    stage.presenter.clearCookies()
    stage.presenter.follow(.signIn(.bob))
    let bob = try await stage.client.signIn()
    #expect(try await stage.client.accessToken().token == bob.accessToken?.token)
  }

  @Test("A sign-out that the disk refuses names what stayed, is one all the same, and is made up for")
  func signOutRefused() async throws {
    let stage = try await Stage()
    _ = try await stage.refreshOnFullDisk()
    stage.failRemovals(true)
    let requests = stage.fixture.transport.requests.count
    let error = try await #require(throws: ConnectorError.self) { try await stage.client.signOut() }
    #expect(error.code == .tokenCache && error.message.contains(stage.alice.user.id))
    #expect(stage.fixture.events.values.last?.kind == .signedOut)
    for client in [stage.client, try stage.fixture.client()] {
      #expect(try await client.session() == .signedOut)
      await expectError(ConnectorError.self, .interactionRequired) { try await client.accessToken() }
      await expectError(ConnectorError.self, .interactionRequired) {
        try await client.accessToken(user: stage.alice.user)
      }
    }
    #expect(stage.fixture.transport.requests.count == requests)
    #expect(try await stage.cache.keys().count == 1)
    stage.fillDisk(false)
    stage.failRemovals(false)
    await stage.fixture.clock.waitForSleepers()
    await stage.fixture.clock.advance(by: .seconds(60))
    try await yielding { try await stage.cache.keys().isEmpty }
  }

  @Test("A sign-out that the disk refuses names those alone whose tokens may be there")
  func signOutNames() async throws {
    let stage = try await Stage()
    try await stage.fixture.client(cache: ForwardingCache(stage.cache)).signOut()
    stage.failRemovals(true)
    let none = try await #require(throws: ConnectorError.self) { try await stage.client.signOut(stage.alice.user) }
    #expect(none.code == .tokenCache && !none.message.contains(stage.alice.user.id), "\(none.message)")
    stage.cache.readFailure.withLock { $0 = { _ in TokenCacheError(.unreadable, "The disk is gone.") } }
    let unknown = try await #require(throws: ConnectorError.self) {
      try await stage.client.signOut(stage.alice.user)
    }
    #expect(unknown.message.contains(stage.alice.user.id), "\(unknown.message)")
  }

  @Test(
    "A removal that waits spares the record of a later sign-in, here and in another process", arguments: [true, false])
  func laterSignIn(isElsewhere: Bool) async throws {
    let stage = try await Stage()
    stage.failRemovals(true)
    await expectError(ConnectorError.self, .tokenCache) { try await stage.client.signOut() }
    await stage.fixture.clock.advance(by: .milliseconds(500))
    let client =
      isElsewhere ? try stage.fixture.client(cache: ForwardingCache(stage.cache)) : try stage.fixture.client()
    let again = try await client.signIn()
    stage.failRemovals(false)
    await stage.client.close()
    #expect(try await stage.client.accessToken(user: again.user).token == again.accessToken?.token)
    #expect(try await stage.cache.keys().count == 1)
  }

  @Test("A definite end that waits is not forgotten by a sign-in that the disk refuses")
  func definiteEnd() async throws {
    let stage = try await Stage()
    stage.fixture.tenant.revokeGrants()
    stage.fillDisk(true)
    await expectError(ConnectorError.self, .interactionRequired) { try await stage.client.accessToken() }
    await expectError(ConnectorError.self, .tokenCache) { try await stage.client.signIn() }
    await expectError(ConnectorError.self, .interactionRequired) { try await stage.client.accessToken() }
    guard case .expired = try await stage.client.session() else {
      Issue.record("The session counts as good again.")
      return
    }
    #expect(stage.fixture.tenant.counters.refreshRequests == 1)
  }

  @Test("What waits for a record that another process has replaced gives way to a newer token")
  func deadChange() async throws {
    let stage = try await Stage()
    _ = try await stage.refreshOnFullDisk()
    // The id_token is looked at beside the caller, and its claims are refused as well.
    _ = try await stage.client.currentUser()
    stage.fillDisk(false)
    try await stage.fixture.client(cache: ForwardingCache(stage.cache)).signIn()
    stage.fillDisk(true)
    let token = try await stage.client.accessToken(options: TokenOptions(forceRefresh: true)).token
    #expect(try await stage.client.accessToken().token == token)
    _ = try await stage.client.accessToken(options: TokenOptions(forceRefresh: true))
    stage.fillDisk(false)
    await stage.client.close()
    _ = try await stage.fixture.client(cache: ForwardingCache(stage.cache)).accessToken(
      options: TokenOptions(forceRefresh: true))
    #expect(stage.fixture.tenant.counters.reusedRefreshTokens == 0)
    #expect(stage.fixture.tenant.counters.refreshes == 4)
  }

  @Test("A sign-out of all that finds no record makes the removals of other processes last, or says that it cannot")
  func signOutOfNothing() async throws {
    let stage = try await Stage()
    let other = try stage.fixture.client(cache: ForwardingCache(stage.cache))
    try await stage.client.signOut()
    stage.failRemovals(true)
    let error = try await #require(throws: ConnectorError.self) { try await other.signOut() }
    #expect(error.code == .tokenCache && error.message.hasSuffix("The disk is full."))
    stage.failRemovals(false)
    try await other.signOut()
  }

  @Test("A sign-out with nothing stored needs no space, and leaves no file")
  func signOutOfEmptyDirectory() async throws {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("b2c-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: place) }
    let files = WatchedFileSystem()
    let cache = try FileTokenCache(directory: place, now: { Date() }, files: files)
    let fixture = Fixture(cache: cache)
    files.fillDisk()
    try await fixture.client().signOut()
    try await fixture.client().signOut(UserInfo(id: "unknown"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).isEmpty)
  }

  @Test("Claims of a refresh wait with its tokens, and are written with them")
  func claims() async throws {
    let stage = try await Stage()
    stage.fixture.tenant.behavior.changeIDTokenClaims = { $0["name"] = "Renamed" }
    let token = try await stage.refreshOnFullDisk().token
    #expect(try await stage.client.currentUser()?.name == "Renamed")
    #expect(stage.fixture.events.values.allSatisfy { $0.kind != .claimsNotUpdated })
    stage.fillDisk(false)
    await stage.client.close()
    let relaunched = try stage.fixture.client(cache: ForwardingCache(stage.cache))
    #expect(try await relaunched.currentUser()?.name == "Renamed")
    #expect(try await relaunched.accessToken().token == token)
  }

  @Test("A profile edit that the disk refuses throws, and the session goes on")
  func profileEdit() async throws {
    let stage = try await Stage()
    stage.fillDisk(true)
    stage.presenter.follow(.editProfile(displayName: "Renamed"))
    await expectError(ConnectorError.self, .tokenCache) {
      try await stage.client.signIn(policy: Policy(id: "B2C_1_EditProfile", kind: .profileEdit))
    }
    stage.fillDisk(false)
    #expect(try await stage.client.currentUser()?.name == LocalUser.alice.displayName)
    _ = try await stage.client.accessToken()
  }
}
