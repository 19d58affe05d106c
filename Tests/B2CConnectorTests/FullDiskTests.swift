import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// A full disk at each store of the engine: what the call says, what goes on, and what is on the disk when it is well again.
@Suite("A full disk at each store", .hangLimit)
struct FullDiskTests {
  /// Alice, over a disk that can fill up, with an expired access token; time stands still.
  private struct Stage {
    let cache = FailingCache()
    let scene: Scene
    let presenter: ScriptedPresenter
    let connector: Connector
    let alice: SignInResult

    init() async throws {
      scene = Scene(cache: cache, holdsTime: true)
      presenter = scene.script(.signIn(.alice))
      connector = try scene.connector(presenter: presenter)
      alice = try await connector.signIn()
      await scene.clock.advance(by: .seconds(4_000))
    }

    func otherProcess() throws -> Connector { try scene.connector(cache: ForwardingCache(cache)) }

    func fillDisk(_ isFull: Bool) { cache.failsToStore.withLock { $0 = isFull } }

    func failRemovals(_ fails: Bool) {
      cache.removeFailure.withLock { $0 = { _ in fails ? ConnectorError(.tokenCache, "The disk is full.") : nil } }
    }

    /// A refresh whose tokens the disk refuses.
    func refreshOnFullDisk() async throws -> AccessToken {
      fillDisk(true)
      return try await connector.accessToken()
    }

    /// What a new launch would find on the disk.
    func storedRefreshToken() async throws -> Secret? { try await scene.record().refreshToken }
  }

  @Test("Another client of the cache uses the token that waits, and never the one that was sent")
  func otherClient() async throws {
    let stage = try await Stage()
    let other = try stage.scene.connector()
    let token = try await stage.refreshOnFullDisk().token
    #expect(try await other.accessToken().token == token)
    stage.fillDisk(false)
    await stage.scene.clock.advance(by: .seconds(4_000))
    _ = try await other.accessToken()
    await stage.scene.clock.advance(by: .seconds(4_000))
    _ = try await stage.connector.accessToken()
    #expect(stage.scene.tenant.counters.reusedRefreshTokens == 0)
    #expect(stage.scene.tenant.counters.refreshes == 3)
  }

  @Test("What waits is written by the next call, by session, by users() and by close()", arguments: 0..<4)
  func writtenByNextAccess(_ access: Int) async throws {
    let stage = try await Stage()
    let old = try await stage.storedRefreshToken()
    let token = try await stage.refreshOnFullDisk().token
    #expect(try await stage.connector.accessToken().token == token)
    #expect(try await stage.storedRefreshToken() == old)
    #expect(stage.scene.events.values.contains { $0.step == .storingFailed })
    stage.fillDisk(false)
    // Not by itself, however long it takes.
    await stage.scene.clock.advance(by: .seconds(600))
    for _ in 0..<200 { await Task.yield() }
    #expect(try await stage.storedRefreshToken() == old)
    switch access {
    case 0: #expect(try await stage.connector.accessToken().token == token)
    case 1: _ = try await stage.connector.session
    case 2: _ = try await stage.connector.users()
    default: await stage.connector.close()
    }
    #expect(try await ![old, nil].contains(stage.storedRefreshToken()))
    // The process is killed; the next one goes on from the disk.
    await stage.scene.clock.advance(by: .seconds(4_000))
    _ = try await stage.otherProcess().accessToken()
    #expect(stage.scene.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("What waits outlives its connector: the next one over the cache has it, and writes it")
  func connectorGone() async throws {
    let cache = FailingCache()
    let scene = Scene(cache: cache, holdsTime: true)
    // It is held by the connector's parts.
    weak var gone: ScriptedPresenter?
    let token: Secret
    do {
      let presenter = scene.script(.signIn(.alice))
      gone = presenter
      let connector = try await scene.signedIn(after: 4_000, presenter: presenter)
      cache.failsToStore.withLock { $0 = true }
      token = try await connector.accessToken().token
    }
    try await yielding { gone == nil }
    let old = try await scene.record().refreshToken
    #expect(try await scene.connector().accessToken().token == token)
    cache.failsToStore.withLock { $0 = false }
    #expect(try await scene.connector().accessToken().token == token)
    #expect(try await scene.record().refreshToken != old)
    #expect(scene.tenant.counters.refreshes == 1)
  }

  @Test("A cache is let go with its last connector once nothing waits for it")
  func cacheGone() async throws {
    weak var gone: FailingCache?
    do {
      let cache = FailingCache()
      gone = cache
      let connector = try await Scene(cache: cache, holdsTime: true).signedIn(after: 4_000)
      cache.failsToStore.withLock { $0 = true }
      _ = try await connector.accessToken()
      cache.failsToStore.withLock { $0 = false }
      await connector.close()
    }
    try await yielding { gone == nil }
  }

  @Test("A sign-in that the disk refuses changes nothing: the user, the session, what waits")
  func signInRefused() async throws {
    let stage = try await Stage()
    let token = try await stage.refreshOnFullDisk().token
    for user in [LocalUser.bob, .alice] {
      stage.presenter.clearCookies()
      stage.presenter.follow(.signIn(user))
      await expectError(ConnectorError.self, .tokenCache) { try await stage.connector.signIn() }
      #expect(try await stage.connector.session.user?.id == stage.alice.user.id)
      #expect(try await stage.connector.accessToken().token == token)
    }
    stage.fillDisk(false)
    #expect(try await stage.connector.accessToken().token == token)
    await stage.scene.clock.advance(by: .seconds(8_000))
    _ = try await stage.connector.accessToken()
    #expect(try await stage.cache.keys().count == 1)
    #expect(stage.scene.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("A sign-out that the disk refuses leaves the user signed in, and the error names the user")
  func signOutRefused() async throws {
    let stage = try await Stage()
    let token = try await stage.refreshOnFullDisk().token
    stage.failRemovals(true)
    let error = try await #require(throws: ConnectorError.self) { try await stage.connector.signOut() }
    #expect(error.code == .tokenCache && error.message.contains(stage.alice.user.id))
    #expect(!stage.scene.events.values.contains { $0.step == .signedOut })
    for connector in [stage.connector, try stage.scene.connector()] {
      let user = try await connector.session.user
      #expect(user?.id == stage.alice.user.id && user?.hasSession == true)
      #expect(try await connector.accessToken().token == token)
      #expect(try await connector.accessToken(user: stage.alice.user).token == token)
    }
    stage.fillDisk(false)
    stage.failRemovals(false)
    await stage.connector.close()
    await stage.scene.clock.advance(by: .seconds(60))
    #expect(try await stage.cache.keys().count == 1)
    try await stage.connector.signOut()
    #expect(try await stage.cache.keys().isEmpty)
    #expect(try await stage.connector.session == .signedOut)
    #expect(stage.scene.events.values.last?.step == .signedOut)
  }

  @Test("A sign-out that the disk refuses names those alone whose tokens may be there")
  func signOutNames() async throws {
    let stage = try await Stage()
    try await stage.otherProcess().signOut()
    stage.failRemovals(true)
    let none = try await #require(throws: ConnectorError.self) { try await stage.connector.signOut(stage.alice.user) }
    #expect(none.code == .tokenCache && !none.message.contains(stage.alice.user.id), "\(none.message)")
    stage.cache.readFailure.withLock { $0 = { _ in ConnectorError(.tokenCache, "The disk is gone.") } }
    await expectError(ConnectorError.self, .tokenCache, saying: stage.alice.user.id) {
      try await stage.connector.signOut(stage.alice.user)
    }
  }

  @Test(
    "A sign-out that was refused takes no later sign-in away, here and in another process", arguments: [true, false])
  func laterSignIn(isElsewhere: Bool) async throws {
    let stage = try await Stage()
    stage.failRemovals(true)
    await expectError(ConnectorError.self, .tokenCache) { try await stage.connector.signOut() }
    await stage.scene.clock.advance(by: .milliseconds(500))
    let connector =
      isElsewhere ? try stage.otherProcess() : try stage.scene.connector()
    let again = try await connector.signIn()
    stage.failRemovals(false)
    await stage.connector.close()
    #expect(try await stage.connector.accessToken(user: again.user).token == again.accessToken?.token)
    #expect(try await stage.cache.keys().count == 1)
  }

  @Test("A definite end that the disk refuses is the same for the next call, and is written by a later one")
  func definiteEnd() async throws {
    let stage = try await Stage()
    stage.scene.tenant.revokeGrants()
    stage.fillDisk(true)
    for _ in 0..<2 {
      await expectError(ConnectorError.self, .interactionRequired) { try await stage.connector.accessToken() }
      await expectError(ConnectorError.self, .tokenCache) { try await stage.connector.signIn() }
    }
    await expectError(ConnectorError.self, .interactionRequired) { try await stage.connector.accessToken() }
    stage.fillDisk(false)
    await expectError(ConnectorError.self, .interactionRequired) { try await stage.connector.accessToken() }
    let user = try await stage.connector.session.user
    #expect(user?.id == stage.alice.user.id && user?.hasSession == false)
    #expect(try await stage.storedRefreshToken() == nil)
  }

  @Test("What waits for a record that another process has replaced gives way to a newer token")
  func deadChange() async throws {
    let stage = try await Stage()
    _ = try await stage.refreshOnFullDisk()
    stage.fillDisk(false)
    try await stage.otherProcess().signIn()
    stage.fillDisk(true)
    let token = try await stage.connector.accessToken(forceRefresh: true).token
    #expect(try await stage.connector.accessToken().token == token)
    _ = try await stage.connector.accessToken(forceRefresh: true)
    stage.fillDisk(false)
    await stage.connector.close()
    _ = try await stage.otherProcess().accessToken(
      forceRefresh: true)
    #expect(stage.scene.tenant.counters.reusedRefreshTokens == 0)
    #expect(stage.scene.tenant.counters.refreshes == 4)
  }

  @Test("What waits is forgotten when a later refresh is written, though it was refused itself until then")
  func spaceForAMoment() async throws {
    let stage = try await Stage()
    _ = try await stage.refreshOnFullDisk()
    let (answer, waiting, next) = (TestGate(), TestGate(), TestGate())
    stage.scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(answer))]
    let refresh = Task { try await stage.connector.accessToken(forceRefresh: true) }
    await answer.waitForArrivals(1)
    stage.cache.readGate.withLock { $0 = waiting }
    answer.open()
    // What waits is tried once more, and after it the new record, for which there is space.
    await waiting.waitForArrivals(1)
    stage.cache.readGate.withLock { $0 = next }
    waiting.open()
    await next.waitForArrivals(1)
    stage.fillDisk(false)
    next.open()
    _ = try await refresh.value
    stage.fillDisk(true)
    _ = try await stage.connector.accessToken(forceRefresh: true)
    #expect(stage.scene.tenant.counters.refreshes == 3)
    #expect(stage.scene.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("Claims of a refresh wait with its tokens, and are written with them")
  func claims() async throws {
    let stage = try await Stage()
    stage.scene.tenant.behavior.changeIDTokenClaims = { $0["name"] = "Renamed" }
    let token = try await stage.refreshOnFullDisk().token
    #expect(try await stage.connector.session.user?.name == "Renamed")
    stage.fillDisk(false)
    await stage.connector.close()
    let relaunched = try stage.otherProcess()
    #expect(try await relaunched.session.user?.name == "Renamed")
    #expect(try await relaunched.accessToken().token == token)
  }

  @Test("Claims of an edit that the disk refuses come with the next refresh, and the session goes on")
  func profileEdit() async throws {
    let stage = try await Stage()
    stage.fillDisk(true)
    stage.presenter.follow(.editProfile(displayName: "Renamed"))
    let edited = try await stage.connector.signIn(policy: Policy(id: "B2C_1_EditProfile", kind: .profileEdit))
    #expect(edited.user.name == "Renamed" && edited.user.hasSession)
    #expect(try await stage.connector.session.user?.name == LocalUser.alice.displayName)
    stage.fillDisk(false)
    _ = try await stage.connector.accessToken()
    #expect(try await stage.connector.session.user?.name == "Renamed")
  }

  @Test("What waits is dropped by a newer sign-in of the user, here and in another process", arguments: [true, false])
  func droppedBySignIn(isElsewhere: Bool) async throws {
    let stage = try await Stage()
    _ = try await stage.refreshOnFullDisk()
    stage.fillDisk(false)
    let other = isElsewhere ? try stage.otherProcess() : stage.connector
    let again = try await other.signIn()
    let stored = try await stage.storedRefreshToken()
    #expect(try await stage.connector.accessToken().token == again.accessToken?.token)
    await stage.connector.close()
    #expect(try await stage.storedRefreshToken() == stored)
    stage.fillDisk(true)
    #expect(try await stage.connector.accessToken().token == again.accessToken?.token)
  }

  @Test("What waits for a user who has signed out in another process is dropped")
  func droppedBySignOut() async throws {
    let stage = try await Stage()
    _ = try await stage.refreshOnFullDisk()
    try await stage.otherProcess().signOut()
    await expectError(ConnectorError.self, .interactionRequired) { try await stage.connector.accessToken() }
    stage.fillDisk(false)
    await stage.connector.close()
    #expect(try await stage.cache.keys().isEmpty)
  }

  @Test("What waits does not come back after a sign-out, nor into a new session")
  func notAfterSignOut() async throws {
    let stage = try await Stage()
    _ = try await stage.refreshOnFullDisk()
    stage.fillDisk(false)
    try await stage.connector.signOut()
    await expectError(ConnectorError.self, .interactionRequired) { try await stage.connector.accessToken() }
    #expect(try await stage.cache.keys().isEmpty)
    let again = try await stage.connector.signIn()
    #expect(try await stage.connector.accessToken().token == again.accessToken?.token)
  }
}
