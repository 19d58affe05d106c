import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The rules for a disk that refuses what the SDK stores, while the clock stands still.
@Suite("A full disk", .hangLimit)
struct FullDiskTests {
  private let cache = FailingCache()
  private let stage: SignedInScene
  private var scene: Scene { stage.scene }
  private var connector: Connector { stage.connector }
  private var alice: UserInfo { stage.alice.user }

  init() async throws { stage = try await SignedInScene(Scene(cache: cache, holdsTime: true)) }

  private func fillDisk(_ isFull: Bool = true) { cache.failsToStore.withLock { $0 = isFull } }

  private func failRemovals(_ fails: Bool = true) {
    cache.removeFailure.withLock { $0 = { _ in fails ? ConnectorError(.tokenCache, "The disk is full.") : nil } }
  }

  /// Refreshes and returns the access token, which the disk refuses together with the refresh token.
  private func refreshOnFullDisk() async throws -> Secret {
    fillDisk()
    return try await connector.accessToken().token
  }

  static let accesses: [@Sendable (Connector) async throws -> Void] = [
    { _ = try await $0.accessToken() }, { _ = try await $0.session }, { _ = try await $0.users() },
    { await $0.close() },
  ]

  @Test(
    "Tokens and claims that the disk refused are written by the next call, by session, by users() and by close()",
    arguments: accesses.indices)
  func writtenByNextAccess(_ access: Int) async throws {
    let old = try await scene.record().refreshToken
    scene.tenant.behavior.changeIDTokenClaims = { $0["name"] = "Renamed" }
    let token = try await refreshOnFullDisk()
    #expect(try await connector.accessToken().token == token)
    #expect(try await connector.session.user?.name == "Renamed")
    #expect(scene.count(.storingFailed) == 1)
    fillDisk(false)
    await scene.clock.advance(by: .seconds(600))
    await yieldOften()
    #expect(try await scene.record().refreshToken == old, "Nothing is written without a call.")
    try await Self.accesses[access](connector)
    #expect(try await ![old, nil].contains(scene.record().refreshToken))
    // The process is killed, and the next one goes on from the disk.
    let relaunched = try stage.other()
    #expect(try await relaunched.session.user?.name == "Renamed")
    #expect(try await relaunched.accessToken().token == token)
    await scene.expire()
    _ = try await relaunched.accessToken()
    scene.expectRefreshes(2)
  }

  @Test("Tokens in memory outlive their connector, the next one writes them, and then the cache is released")
  func connectorGone() async throws {
    weak var goneCache: FailingCache?
    // The connector's parts hold its presenter.
    weak var gonePresenter: ScriptedPresenter?
    do {
      let cache = FailingCache()
      let scene = Scene(cache: cache, holdsTime: true)
      goneCache = cache
      let token: Secret
      do {
        let presenter = scene.script(.signIn(.alice))
        gonePresenter = presenter
        let connector = try await scene.signedIn(after: 4_000, presenter: presenter)
        cache.failsToStore.withLock { $0 = true }
        token = try await connector.accessToken().token
      }
      try await yielding { gonePresenter == nil }
      let (old, next) = (try await scene.record().refreshToken, try scene.connector())
      #expect(try await next.accessToken().token == token)
      cache.failsToStore.withLock { $0 = false }
      #expect(try await next.accessToken().token == token)
      #expect(try await scene.record().refreshToken != old)
      scene.expectRefreshes(1)
    }
    try await yielding { goneCache == nil }
  }

  @Test("A sign-in that the disk refuses changes neither the user nor the tokens in memory")
  func signInRefused() async throws {
    let token = try await refreshOnFullDisk()
    for user in [LocalUser.bob, .alice] {
      await expectError(ConnectorError.self, .tokenCache) { try await stage.signIn(user) }
      #expect(try await connector.session.user?.id == alice.id)
      #expect(try await connector.accessToken().token == token)
    }
    fillDisk(false)
    #expect(try await connector.accessToken().token == token)
    await scene.clock.advance(by: .seconds(8_000))
    _ = try await connector.accessToken()
    #expect(try await cache.keys().count == 1)
    scene.expectRefreshes(2)
  }

  @Test("A sign-out that the disk refuses leaves the user signed in, and the error names the user")
  func signOutRefused() async throws {
    let token = try await refreshOnFullDisk()
    failRemovals()
    await expectError(ConnectorError.self, .tokenCache, saying: alice.id) { try await connector.signOut() }
    #expect(scene.count(.signedOut) == 0)
    for connector in [connector, try stage.other(isElsewhere: false)] {
      let user = try await connector.session.user
      #expect(user?.id == alice.id && user?.hasSession == true)
      for user in [nil, alice] { #expect(try await connector.accessToken(user: user).token == token) }
    }
    fillDisk(false)
    failRemovals(false)
    await connector.close()
    await scene.clock.advance(by: .seconds(60))
    #expect(try await cache.keys().count == 1)
    try await connector.signOut()
    #expect(try await cache.keys().isEmpty)
    #expect(try await connector.session == .signedOut)
    #expect(scene.events.values.last?.step == .signedOut)
  }

  @Test("The error of a sign-out names only users whose tokens may still be there")
  func signOutNames() async throws {
    try await stage.other().signOut()
    failRemovals()
    let none = try await #require(throws: ConnectorError.self) { try await connector.signOut(alice) }
    #expect(none.code == .tokenCache && !none.message.contains(alice.id), "\(none.message)")
    cache.readFailure.withLock { $0 = { _ in ConnectorError(.tokenCache, "The disk is gone.") } }
    await expectError(ConnectorError.self, .tokenCache, saying: alice.id) { try await connector.signOut(alice) }
  }

  @Test("An end of the session that the disk refuses is the error of each call, and is written by a later one")
  func definiteEnd() async throws {
    scene.tenant.revokeGrants()
    fillDisk()
    for _ in 0..<2 {
      await expectError(ConnectorError.self, .interactionRequired) { try await connector.accessToken() }
      await expectError(ConnectorError.self, .tokenCache) { try await connector.signIn() }
    }
    await expectError(ConnectorError.self, .interactionRequired) { try await connector.accessToken() }
    fillDisk(false)
    await expectError(ConnectorError.self, .interactionRequired) { try await connector.accessToken() }
    #expect(try await connector.session == .expired(alice.expired))
    #expect(try await scene.record().refreshToken == nil)
  }

  @Test("Tokens in memory are forgotten when a later refresh is written, although they were refused until then")
  func spaceForAMoment() async throws {
    _ = try await refreshOnFullDisk()
    let (waiting, next) = (TestGate(), TestGate())
    let refresh = await stage.heldRefresh { try await $0.accessToken(forceRefresh: true) }
    cache.readGate.withLock { $0 = waiting }
    stage.gate.open()
    // The tokens in memory are tried once more, and after them the new ones, for which there is space.
    await waiting.waitForArrivals(1)
    cache.readGate.withLock { $0 = next }
    waiting.open()
    await next.waitForArrivals(1)
    fillDisk(false)
    next.open()
    _ = try await refresh.value
    fillDisk()
    _ = try await connector.accessToken(forceRefresh: true)
    scene.expectRefreshes(3)
  }

  @Test("Claims of an edit that the disk refuses come with the next refresh, and the session goes on")
  func profileEdit() async throws {
    fillDisk()
    stage.presenter.follow(.editProfile(displayName: "Renamed"))
    let edited = try await connector.signIn(policy: Policy(id: "B2C_1_EditProfile", kind: .profileEdit))
    #expect(edited.user.name == "Renamed" && edited.user.hasSession)
    #expect(try await connector.session.user?.name == LocalUser.alice.displayName)
    fillDisk(false)
    _ = try await connector.accessToken()
    #expect(try await connector.session.user?.name == "Renamed")
  }

  @Test("A newer sign-in of the user drops the tokens in memory", arguments: [true, false])
  func droppedBySignIn(isElsewhere: Bool) async throws {
    _ = try await refreshOnFullDisk()
    fillDisk(false)
    let again = try await stage.signIn(at: isElsewhere ? stage.other() : connector)
    let stored = try await scene.record().refreshToken
    #expect(try await connector.accessToken().token == again.accessToken?.token)
    await connector.close()
    #expect(try await scene.record().refreshToken == stored)
    fillDisk()
    #expect(try await connector.accessToken().token == again.accessToken?.token)
  }

  @Test("A sign-out drops the tokens in memory, also for the next session", arguments: [true, false])
  func droppedBySignOut(isElsewhere: Bool) async throws {
    _ = try await refreshOnFullDisk()
    try await (isElsewhere ? stage.other() : connector).signOut()
    await expectError(ConnectorError.self, .interactionRequired) { try await connector.accessToken() }
    fillDisk(false)
    await connector.close()
    #expect(try await cache.keys().isEmpty)
    let again = try await stage.signIn()
    #expect(try await connector.accessToken().token == again.accessToken?.token)
  }
}
