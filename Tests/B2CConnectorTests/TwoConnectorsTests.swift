import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Two connectors over one token cache of every kind: what one of them does, the other knows.
// One after the other: copies of a struct share the locks of their type, also with those of another test.
@Suite("Two connectors over one token cache", .serialized, .timeLimit(.minutes(10)))
struct TwoConnectorsTests {
  /// Two connectors, and the page that their users see.
  private final class Pair: Sendable {
    let world = World()
    let presenter: ScriptedPresenter
    let one: Connector
    let two: Connector
    let caches: (one: any TokenCache, two: any TokenCache)
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("b2c-\(UUID().uuidString)")

    init(_ kind: CacheKind) throws {
      presenter = world.script(.signIn(.alice))
      caches = try kind.make(in: directory)
      // A wait for a lock ends by the test alone, however slow the machine is.
      let waits = TestClock(advancesItself: false)
      one = try world.connector(presenter: presenter, cache: caches.one, waitingOn: waits)
      two = try world.connector(presenter: presenter, cache: caches.two, waitingOn: waits)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func signIn(_ user: LocalUser, _ connector: Connector, policy: String = "B2C_1_SignIn") async throws -> UserInfo {
      presenter.clearCookies()
      presenter.follow(.signIn(user))
      return try await connector.doPolicy(Policy(policy))
    }
  }

  @Test(
    "Who signed in last is told by the server's time, however the device's clock is set", arguments: [3_600, -3_600])
  func clockThatWasSet(_ ahead: Double) async throws {
    let world = World()
    let clock = world.clock
    let presenter = world.script(.signIn(.alice))
    let store = FourMethodCache()
    // In a process of its own, on a device whose clock is so many seconds ahead.
    func connector(ahead: Double) throws -> Connector {
      try Connector(
        settings: world.settings(),
        environment: OAuthEnvironment(
          presenter: presenter, cache: ForwardingCache(store), transport: world.network, clock: clock,
          now: { clock.date.addingTimeInterval(ahead) }))
    }
    try await connector(ahead: ahead).signIn()
    await clock.advance(by: .seconds(60))
    presenter.clearCookies()
    presenter.follow(.signIn(.bob))
    let second = try connector(ahead: 0)
    let bob = try await second.doPolicy(.signIn)
    #expect(try await second.session == .signedIn(bob))
    await clock.advance(by: .seconds(7_200))
    for ahead in [0, ahead] { #expect(try await connector(ahead: ahead).session == .signedIn(bob)) }
  }

  @Test(
    "Within a second, where the server's time cannot tell, the device's clock tells who signed in last",
    arguments: [[LocalUser.alice, .bob], [.bob, .alice]])
  func sameSecond(_ people: [LocalUser]) async throws {
    let world = World()
    let clock = world.clock
    let store = FourMethodCache()
    // In a process of its own, on a device whose clock is an hour ahead.
    func connector(_ presenter: ScriptedPresenter) throws -> Connector {
      try Connector(
        settings: world.settings(),
        environment: OAuthEnvironment(
          presenter: presenter, cache: ForwardingCache(store), transport: world.network, clock: clock,
          now: { clock.date.addingTimeInterval(3_600) }))
    }
    var last: UserInfo?
    for person in people {
      await clock.advance(by: .milliseconds(300))
      last = try await connector(world.script(.signIn(person))).doPolicy(.signIn)
    }
    let user = try #require(last)
    let next = try connector(world.script(.cancel))
    #expect(try await next.session == .signedIn(user))
    #expect(try await next.accounts().first?.id == user.accountID)
  }

  @Test(
    "A sign-out that waits for a full disk ends no session that another process began since, however the clock was set",
    arguments: [3_600, -3_600])
  func waitingSignOut(_ ahead: Double) async throws {
    let world = World()
    let clock = world.clock
    let presenter = world.script(.signIn(.alice))
    let disk = FullDisk()
    let deviceAhead = Locked(0.0)
    func connector(_ cache: any TokenCache) throws -> Connector {
      try Connector(
        settings: world.settings(),
        environment: OAuthEnvironment(
          presenter: presenter, cache: cache, transport: world.network, clock: clock,
          now: { clock.date.addingTimeInterval(deviceAhead.withLock { $0 }) }))
    }
    let one = try connector(disk)
    let two = try connector(ForwardingCache(disk.store))
    try await one.doPolicy(.signIn)
    disk.isFull.withLock { $0 = true }
    await expectError(ConnectorError.self, .tokenCache) { try await one.signOut() }
    #expect(try await one.session == .signedOut)
    deviceAhead.withLock { $0 = ahead }
    await clock.advance(by: .seconds(60))
    presenter.clearCookies()
    presenter.follow(.signIn(.alice))
    let alice = try await two.doPolicy(.signIn)
    for connector in [one, two] { #expect(try await connector.session == .signedIn(alice)) }
    // What waits is written at the latest with the next change of the record.
    disk.isFull.withLock { $0 = false }
    await clock.advance(by: .seconds(7_200))
    for connector in [one, two] { _ = try await connector.accessToken() }
  }

  @Test(
    "While a sign-out removes one person after the other, no other than the last is the user",
    arguments: [[LocalUser.alice, .bob], [.bob, .alice]])
  func signOutOfSeveral(_ people: [LocalUser]) async throws {
    let world = World()
    let store = FourMethodCache()
    // Each removal is looked at by another process.
    let seen = Locked<[SessionState]>([])
    let cache = LookedAtCache(store) {
      let other = try world.connector(presenter: world.script(.cancel), cache: ForwardingCache(store))
      let state = try await other.session
      seen.withLock { $0.append(state) }
    }
    var last: UserInfo?
    for person in people {
      await world.clock.advance(by: .seconds(1))
      last = try await world.connector(presenter: world.script(.signIn(person)), cache: cache).doPolicy(.signIn)
    }
    try await world.connector(presenter: world.script(.cancel), cache: cache).signOut()
    let user = try #require(last)
    #expect(seen.withLock { $0 } == [.signedIn(user), .signedOut])
  }

  @Test("They use a refresh token once, and the session goes on", arguments: CacheKind.allCases)
  func oneRefresh(_ kind: CacheKind) async throws {
    let pair = try Pair(kind)
    _ = try await pair.signIn(.alice, pair.one)
    await pair.world.clock.advance(by: .seconds(7_200))
    let gate = TestGate()
    pair.world.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let first = Task { try await pair.one.accessToken().token }
    await gate.waitForArrivals(1)
    let second = Task { try await pair.two.accessToken().token }
    for _ in 0..<200 { await Task.yield() }
    gate.open()
    #expect(try await first.value == second.value)
    #expect(pair.world.tenant.counters.refreshRequests == 1)
    await pair.world.clock.advance(by: .seconds(7_200))
    _ = try await pair.two.accessToken()
    #expect(pair.world.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("A sign-out by one is not undone by the refresh of the other", arguments: CacheKind.allCases)
  func signOutWins(_ kind: CacheKind) async throws {
    let pair = try Pair(kind)
    let alice = try await pair.signIn(.alice, pair.one)
    await pair.world.clock.advance(by: .seconds(7_200))
    let gate = TestGate()
    pair.world.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let refresh = Task { try await pair.two.accessToken() }
    await gate.waitForArrivals(1)
    try await pair.one.signOut()
    gate.open()
    await expectError(ConnectorError.self, .interactionRequired) { try await refresh.value }
    #expect(try await pair.caches.one.keys().isEmpty)
    #expect(try await pair.two.session == .signedOut)
    let account = Account(id: alice.accountID)
    await expectError(ConnectorError.self, .interactionRequired) { try await pair.two.accessToken(account: account) }
  }

  @Test("A user who signs in by one is the other's at once, and its updates say so", arguments: CacheKind.inProcess)
  func newUser(_ kind: CacheKind) async throws {
    let pair = try Pair(kind)
    let alice = try await pair.signIn(.alice, pair.one)
    _ = try await pair.two.getTaskList()
    var states = pair.two.sessionUpdates.makeAsyncIterator()
    #expect(await states.next() == .signedIn(alice))
    await pair.world.clock.advance(by: .seconds(1))
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
    await pair.world.clock.advance(by: .seconds(1))
    let bob = try await pair.signIn(.bob, pair.one)
    #expect(try await pair.two.session == .signedIn(bob))
    #expect(try await pair.two.claims() == bob)
  }

  @Test("A call that names the current user uses the session that one for the current user does")
  func namedAndCurrent() async throws {
    let world = World()
    let store = StampedStore()
    let presenter = world.script(.signIn(.bob))
    func connector() throws -> Connector {
      try world.connector(presenter: presenter, cache: StampedProcess(store, hasStamp: true))
    }
    let (one, two) = (try connector(), try connector())
    let bob = try await one.doPolicy(.signIn)
    await world.clock.advance(by: .seconds(60))
    // By another policy, in another process.
    let latest = try await two.doPolicy(Policy("B2C_1_SignUpOrSignIn"))
    #expect(latest.accountID == bob.accountID)
    let token = try await one.accessToken().token
    #expect(try await one.accessToken(account: Account(id: bob.accountID)).token == token)
    #expect(try await one.claims(account: Account(id: bob.accountID)) == latest)
  }

  @Test("A session that ended in one is good again when the user signs in by the other", arguments: CacheKind.allCases)
  func endedAndSignedInAgain(_ kind: CacheKind) async throws {
    let pair = try Pair(kind)
    let bob = try await pair.signIn(.bob, pair.one, policy: "B2C_1_SignUpOrSignIn")
    let account = Account(id: bob.accountID)
    _ = try await pair.one.accessToken(account: account)
    pair.world.tenant.revokeGrants()
    await pair.world.clock.advance(by: .seconds(7_200))
    await expectError(ConnectorError.self, .interactionRequired) { try await pair.one.getTaskList() }
    let again = try await pair.signIn(.bob, pair.two)
    _ = try await pair.one.accessToken(account: account)
    _ = try await pair.one.getTaskList()
    #expect(try await pair.one.session == .signedIn(again))
  }
}

extension CacheKind {
  /// The kinds of which the SDK knows that two values are one cache; two copies of a struct are told apart by nothing.
  fileprivate static var inProcess: [CacheKind] { allCases.filter { $0 != .structOverClass } }
}

/// A store that is looked at after each removal.
private struct LookedAtCache: TokenCache {
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

/// A process's view of a store on a disk that can be full.
private final class FullDisk: TokenCache {
  let store = FourMethodCache()
  let isFull = Locked(false)

  func record(for key: TokenCacheKey) async throws -> TokenRecord? { try await store.record(for: key) }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try check()
    try await store.store(record, for: key)
  }
  func removeRecord(for key: TokenCacheKey) async throws {
    try check()
    try await store.removeRecord(for: key)
  }
  func keys() async throws -> [TokenCacheKey] { try await store.keys() }

  private func check() throws {
    if isFull.withLock({ $0 }) { throw TokenCacheError(.unwritable, "The disk is full.") }
  }
}
