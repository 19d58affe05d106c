import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Two connectors over one token cache of every kind: what one of them does, the other knows.
@Suite("Two connectors over one token cache", .hangLimit)
struct TwoConnectorsTests {
  /// Two connectors, and the page that their users see.
  private final class Pair: Sendable {
    let scene = Scene()
    let presenter: ScriptedPresenter
    let one: Connector
    let two: Connector
    let caches: (one: any TokenCache, two: any TokenCache)
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("b2c-\(UUID().uuidString)")

    init(_ kind: CacheKind) throws {
      presenter = scene.script(.signIn(.alice))
      caches = try kind.make(in: directory)
      // A wait for a lock ends by the test alone, however slow the machine is.
      let waits = TestClock(advancesItself: false)
      one = try scene.connector(presenter: presenter, cache: caches.one, waitingOn: waits)
      two = try scene.connector(presenter: presenter, cache: caches.two, waitingOn: waits)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func signIn(_ user: LocalUser, _ connector: Connector, policy: String = "B2C_1_SignIn") async throws -> UserInfo {
      presenter.clearCookies()
      presenter.follow(.signIn(user))
      return try await connector.doPolicy(Policy(policy))
    }
  }

  @Test(
    "While a sign-out removes one person after the other, no other than the last is the user",
    arguments: [[LocalUser.alice, .bob], [.bob, .alice]])
  func signOutOfSeveral(_ people: [LocalUser]) async throws {
    let scene = Scene()
    let store = FourMethodCache()
    // Each removal is looked at by another process.
    let seen = Locked<[SessionState]>([])
    let cache = LookedAtCache(store) {
      let other = try scene.connector(presenter: scene.script(.cancel), cache: ForwardingCache(store))
      let state = try await other.session
      seen.withLock { $0.append(state) }
    }
    var last: UserInfo?
    for person in people {
      await scene.clock.advance(by: .seconds(1))
      last = try await scene.connector(presenter: scene.script(.signIn(person)), cache: cache).doPolicy(.signIn)
    }
    try await scene.connector(presenter: scene.script(.cancel), cache: cache).signOut()
    let user = try #require(last)
    #expect(seen.withLock { $0 } == [.signedIn(user), .signedOut])
  }

  @Test("They use a refresh token once, and the session goes on", arguments: CacheKind.allCases)
  func oneRefresh(_ kind: CacheKind) async throws {
    let pair = try Pair(kind)
    _ = try await pair.signIn(.alice, pair.one)
    await pair.scene.clock.advance(by: .seconds(7_200))
    let gate = TestGate()
    pair.scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let first = Task { try await pair.one.accessToken().token }
    await gate.waitForArrivals(1)
    let second = Task { try await pair.two.accessToken().token }
    for _ in 0..<200 { await Task.yield() }
    gate.open()
    #expect(try await first.value == second.value)
    #expect(pair.scene.tenant.counters.refreshRequests == 1)
    await pair.scene.clock.advance(by: .seconds(7_200))
    _ = try await pair.two.accessToken()
    #expect(pair.scene.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("A sign-out by one is not undone by the refresh of the other", arguments: CacheKind.allCases)
  func signOutWins(_ kind: CacheKind) async throws {
    let pair = try Pair(kind)
    let alice = try await pair.signIn(.alice, pair.one)
    await pair.scene.clock.advance(by: .seconds(7_200))
    let gate = TestGate()
    pair.scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let refresh = Task { try await pair.two.accessToken() }
    await gate.waitForArrivals(1)
    try await pair.one.signOut()
    gate.open()
    await expectError(ConnectorError.self, .interactionRequired) { try await refresh.value }
    #expect(try await pair.caches.one.keys().isEmpty)
    #expect(try await pair.two.session == .signedOut)
    let user = UserInfo(id: alice.id)
    await expectError(ConnectorError.self, .interactionRequired) { try await pair.two.accessToken(user: user) }
  }

  @Test(
    "A user who signs in by one is the other's at once, and its updates say so",
    arguments: CacheKind.allCases.filter(\.isOneObject))
  func newUser(_ kind: CacheKind) async throws {
    let pair = try Pair(kind)
    let alice = try await pair.signIn(.alice, pair.one)
    _ = try await pair.two.getTaskList()
    var states = pair.two.sessionUpdates.makeAsyncIterator()
    #expect(await states.next() == .signedIn(alice))
    await pair.scene.clock.advance(by: .seconds(1))
    let bob = try await pair.signIn(.bob, pair.one)
    #expect(await states.next() == .signedIn(bob))
    #expect(try await pair.two.session == .signedIn(bob))
    try await pair.two.addTask(TaskItem(itemName: "Of Bob"))
    #expect(try await pair.one.getTaskList().map(\.itemName) == ["Of Bob"])
    try await pair.one.signOut()
    #expect(await states.next() == .signedOut)
  }

  @Test("Reading the session finds the user who is there, whatever the kind of cache", arguments: CacheKind.allCases)
  func sessionLooksAgain(_ kind: CacheKind) async throws {
    let pair = try Pair(kind)
    _ = try await pair.signIn(.alice, pair.one)
    _ = try await pair.two.getTaskList()
    await pair.scene.clock.advance(by: .seconds(1))
    let bob = try await pair.signIn(.bob, pair.one)
    #expect(try await pair.two.session == .signedIn(bob))
    #expect(try await pair.two.users().first == bob)
  }

  @Test("A session that ended in one is good again when the user signs in by the other", arguments: CacheKind.allCases)
  func endedAndSignedInAgain(_ kind: CacheKind) async throws {
    let pair = try Pair(kind)
    let bob = try await pair.signIn(.bob, pair.one, policy: "B2C_1_SignUpOrSignIn")
    let user = UserInfo(id: bob.id)
    _ = try await pair.one.accessToken(user: user)
    pair.scene.tenant.revokeGrants()
    await pair.scene.clock.advance(by: .seconds(7_200))
    await expectError(ConnectorError.self, .interactionRequired) { try await pair.one.getTaskList() }
    let again = try await pair.signIn(.bob, pair.two)
    _ = try await pair.one.accessToken(user: user)
    _ = try await pair.one.getTaskList()
    #expect(try await pair.one.session == .signedIn(again))
  }
}

/// A store that is looked at after each removal.
private final class LookedAtCache: TokenCache {
  let store: FourMethodCache
  let look: @Sendable () async throws -> Void

  init(_ store: FourMethodCache, look: @escaping @Sendable () async throws -> Void) {
    self.store = store
    self.look = look
  }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? { try await store.record(for: key) }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { try await store.store(record, for: key) }
  func keys() async throws -> [TokenCacheKey] { try await store.keys() }
  func removeRecord(for key: TokenCacheKey) async throws {
    try await store.removeRecord(for: key)
    try await look()
  }
}
