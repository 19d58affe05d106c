import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What several refreshes of one user have in common: a server's wait, a user's answer, a lock, and the end of a process.
@Suite("Refreshes of one user", .hangLimit)
struct RefreshTurnsTests {
  /// Other scopes than those of the settings: the app itself.
  private static let otherScopes = [LocalTenant.standardClientID]
  private static let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1767225600"}}}"#

  /// How many calls have found no token that serves them.
  private let misses = Locked(0)

  /// Waits until so many calls wait for a refresh.
  private func waitForMisses(_ count: Int) async {
    while misses.withLock({ $0 }) < count, !Task.isCancelled { await Task.yield() }
    // The event comes just before the call joins the refresh.
    for _ in 0..<100 { await Task.yield() }
  }

  /// A connector whose tokens for two sets of scopes have a few minutes left.
  private func expiring(
    left seconds: Int = 280, cache: any TokenCache = .memory(), configure: (inout Connector.Options) -> Void = { _ in }
  ) async throws -> (World, Connector) {
    let world = World()
    var environment = world.environment(cache: cache)
    environment.onEvent = { event in if event.step == .cacheMiss { misses.withLock { $0 += 1 } } }
    let connector = try Connector(settings: world.settings(), environment: environment, configure: configure)
    try await connector.doPolicy(.signIn)
    _ = try await connector.accessToken(scopes: Self.otherScopes)
    await world.clock.advance(by: .seconds(3_600 - seconds))
    misses.withLock { $0 = 0 }
    return (world, connector)
  }

  @Test(
    "A server that asks to wait is not asked again for that user, whatever a call wants; other users are",
    arguments: ["claims", "force", "other scopes", "plain"])
  func wait(_ first: String) async throws {
    let (world, connector) = try await expiring()
    let busy = LocalResponse(status: 429, headers: ["Retry-After": "200"])
    world.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .respond(busy))]
    let before = world.tenant.counters.refreshes
    let scopes = first == "other scopes" ? Self.otherScopes : nil
    _ = try? await connector.accessToken(
      scopes: scopes, forceRefresh: first == "force", claims: first == "claims" ? Self.claims : nil)
    for scopes in [nil, Self.otherScopes] { _ = try await connector.accessToken(scopes: scopes) }
    await world.clock.advance(by: .seconds(150))
    for scopes in [nil, Self.otherScopes] { _ = try await connector.accessToken(scopes: scopes) }
    #expect(world.tenant.counters.refreshes == before)
    await world.clock.advance(by: .seconds(60))
    for scopes in [nil, Self.otherScopes] { _ = try await connector.accessToken(scopes: scopes) }
    #expect(world.tenant.counters.refreshes == before + 2)
  }

  @Test("A user's no does not end the longer wait that a server has asked for")
  func refusalAndWait() async throws {
    let (asked, refuses) = (Locked(0), Locked(false))
    let (world, connector) = try await expiring {
      $0.beforeRefresh = { _ in
        guard refuses.withLock({ $0 }) else { return }
        asked.withLock { $0 += 1 }
        throw URLError(.userCancelledAuthentication)
      }
    }
    let busy = LocalResponse(status: 429, headers: ["Retry-After": "270"])
    world.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .respond(busy))]
    await expectError(ConnectorError.self, .throttled) { _ = try await connector.accessToken(forceRefresh: true) }
    await world.clock.advance(by: .seconds(10))
    refuses.withLock { $0 = true }
    await expectError(ConnectorError.self, .userCancelled) { _ = try await connector.accessToken(forceRefresh: true) }
    // In its last minute the token would be renewed.
    await world.clock.advance(by: .seconds(220))
    _ = try await connector.accessToken()
    #expect(asked.withLock { $0 } == 1)
  }

  @Test("A refresh with claims counts as the try of a minute for its scopes", arguments: [500, 503])
  func claimsAreATry(status: Int) async throws {
    let (world, connector) = try await expiring()
    world.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .respond(LocalResponse(status: status)))]
    await #expect(throws: ConnectorError.self) { try await connector.accessToken(claims: Self.claims) }
    let before = world.tenant.counters.refreshes
    _ = try await connector.accessToken()
    #expect(world.tenant.counters.refreshes == before)
    // Other scopes have had no try yet.
    _ = try await connector.accessToken(scopes: Self.otherScopes)
    #expect(world.tenant.counters.refreshes == before + 1)
  }

  @Test("A user is asked once, however many sets of scopes and claims wait for the answer")
  func oneQuestion() async throws {
    let (asked, gate, isReady) = (Locked(0), TestGate(), Locked(false))
    let (world, connector) = try await expiring(left: -1) {
      $0.beforeRefresh = { _ in
        guard isReady.withLock({ $0 }) else { return }
        asked.withLock { $0 += 1 }
        try await gate.wait()
      }
    }
    isReady.withLock { $0 = true }
    let before = world.tenant.counters.refreshes
    let calls: [Task<AccessToken, any Error>] = (0..<12).map { number in
      Task {
        switch number % 3 {
        case 0: try await connector.accessToken()
        case 1: try await connector.accessToken(scopes: Self.otherScopes)
        default: try await connector.accessToken(claims: Self.claims)
        }
      }
    }
    await waitForMisses(12)
    #expect(asked.withLock { $0 } == 1 && world.tenant.counters.refreshes == before)
    gate.open()
    for call in calls { _ = try await call.value }
    #expect(asked.withLock { $0 } == 1)
    #expect(world.tenant.counters.refreshes == before + 3)
  }

  @Test("Callers who wait for one answer share its refresh, also one who comes back to it late", arguments: 0..<4)
  func lateCaller(_ number: Int) async throws {
    let (gate, isReady) = (TestGate(), Locked(false))
    let (world, connector) = try await expiring(left: -1) {
      $0.beforeRefresh = { _ in if isReady.withLock({ $0 }) { try await gate.wait() } }
    }
    isReady.withLock { $0 = true }
    let before = world.tenant.counters.refreshes
    let calls = (0..<40).map { _ in Task { try await connector.accessToken(claims: Self.claims) } }
    await waitForMisses(40)
    gate.open()
    var tokens: Set<Secret> = []
    for call in calls { tokens.insert(try await call.value.token) }
    #expect(tokens.count == 1 && world.tenant.counters.refreshes == before + 1)
  }

  @Test("A user's no ends every call that waits for the answer, and sends nothing; the next call asks again")
  func refusal() async throws {
    let (asked, gate, isReady) = (Locked(0), TestGate(), Locked(false))
    let (world, connector) = try await expiring(left: -1) {
      $0.beforeRefresh = { _ in
        guard isReady.withLock({ $0 }) else { return }
        asked.withLock { $0 += 1 }
        try await gate.wait()
        throw URLError(.userCancelledAuthentication)
      }
    }
    isReady.withLock { $0 = true }
    let before = world.tenant.counters.refreshes
    let calls = (0..<12).map { number in
      Task {
        try await connector.accessToken(
          scopes: number % 3 == 1 ? Self.otherScopes : nil, claims: number % 3 == 2 ? Self.claims : nil)
      }
    }
    await waitForMisses(12)
    gate.open()
    for call in calls { await expectError(ConnectorError.self, .userCancelled) { _ = try await call.value } }
    #expect(asked.withLock { $0 } == 1 && world.tenant.counters.refreshes == before)
    await expectError(ConnectorError.self, .userCancelled) { _ = try await connector.accessToken() }
    #expect(asked.withLock { $0 } == 2)
  }

  @Test("Two users are asked separately")
  func twoUsers() async throws {
    let (asked, gate, isReady) = (Locked<Set<String>>([]), TestGate(), Locked(false))
    let world = World()
    let presenter = world.script(.signIn(.alice))
    let connector = try world.connector(presenter: presenter) {
      $0.beforeRefresh = { user in
        guard isReady.withLock({ $0 }) else { return }
        asked.withLock { _ = $0.insert(user.id) }
        try await gate.wait()
      }
    }
    let alice = try await connector.doPolicy(.signIn)
    presenter.follow(.signIn(.bob))
    let bob = try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login))
    await world.clock.advance(by: .seconds(4_000))
    isReady.withLock { $0 = true }
    let calls = [alice, bob, alice, bob].map { user in Task { try await connector.accessToken(user: user) } }
    await gate.waitForArrivals(2)
    #expect(asked.withLock { $0 } == [alice.id, bob.id])
    gate.open()
    #expect(try await calls[0].value.userID == alice.id)
    #expect(try await calls[1].value.userID == bob.id)
    for call in calls { _ = try await call.value }
    #expect(gate.arrivals == 2)
  }

  @Test("The callers' time limit begins when the user has answered")
  func limitAfterTheAnswer() async throws {
    let (gate, isReady) = (TestGate(), Locked(false))
    let world = World()
    let transport = HungTransport(base: world.network)
    let connector = try world.connector(transport: transport) {
      $0.beforeRefresh = { _ in if isReady.withLock({ $0 }) { try await gate.wait() } }
    }
    try await connector.doPolicy(.signIn)
    await world.clock.advance(by: .seconds(4_000))
    isReady.withLock { $0 = true }
    transport.isHung.withLock { $0 = true }
    let call = Task { try await connector.accessToken() }
    await gate.waitForArrivals(1)
    await world.clock.advance(by: .seconds(7_200))
    #expect(transport.never.arrivals == 0)
    let start = world.clock.now
    gate.open()
    await expectError(ConnectorError.self, .timedOut) { _ = try await call.value }
    // The refresh itself is given up after 60 seconds.
    #expect((Duration.seconds(31)..<Duration.seconds(60)).contains(start.duration(to: world.clock.now)))
  }

  // MARK: The lock of other processes

  /// A shared cache whose refresh lock another process holds for a while.
  private final class HeldCache: SharedTokenCache {
    enum Obedience: CaseIterable { case obeys, ignoresCancellation }

    let tries = Locked(0)
    let held: Locked<Duration>
    private let clock: TestClock
    private let obedience: Obedience
    private let inner = SharedMemoryCache()

    init(for duration: Duration, on clock: TestClock, _ obedience: Obedience = .obeys) {
      held = Locked(duration)
      self.clock = clock
      self.obedience = obedience
    }

    func record(for key: TokenCacheKey) async throws -> TokenRecord? { await inner.record(for: key) }
    func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { await inner.store(record, for: key) }
    func removeRecord(for key: TokenCacheKey) async throws { await inner.removeRecord(for: key) }
    func keys() async throws -> [TokenCacheKey] { await inner.keys() }

    func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async throws -> Bool {
      await inner.replace(key, expecting: stamp, with: record)
    }

    func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws {
      tries.withLock { $0 += 1 }
      let duration = held.withLock { $0 }
      if obedience == .obeys {
        try await clock.sleep(for: duration)
      } else {
        await Task { [clock] in try? await clock.sleep(for: duration) }.value
      }
      await work()
    }
  }

  @Test("While a user is asked, the lock of other processes is not held")
  func unlockedQuestion() async throws {
    let (gate, isReady) = (TestGate(), Locked(false))
    let world = World()
    let cache = HeldCache(for: .zero, on: world.clock)
    let connector = try world.connector(cache: cache) {
      $0.beforeRefresh = { _ in if isReady.withLock({ $0 }) { try await gate.wait() } }
    }
    try await connector.doPolicy(.signIn)
    await world.clock.advance(by: .seconds(4_000))
    isReady.withLock { $0 = true }
    let call = Task { try await connector.accessToken() }
    await gate.waitForArrivals(1)
    for _ in 0..<200 { await Task.yield() }
    #expect(cache.tries.withLock { $0 } == 0)
    gate.open()
    _ = try await call.value
    #expect(cache.tries.withLock { $0 } == 1)
  }

  /// A shared cache that gives its refresh lock back slowly: it counts the calls that have not returned.
  private final class SlowReleaseCache: SharedTokenCache {
    let (inside, most) = (Locked(0), Locked(0))
    let release = TestGate()
    private let inner = SharedMemoryCache()

    func record(for key: TokenCacheKey) async throws -> TokenRecord? { await inner.record(for: key) }
    func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { await inner.store(record, for: key) }
    func removeRecord(for key: TokenCacheKey) async throws { await inner.removeRecord(for: key) }
    func keys() async throws -> [TokenCacheKey] { await inner.keys() }

    func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async throws -> Bool {
      await inner.replace(key, expecting: stamp, with: record)
    }

    func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws {
      let count = inside.withLock { inside in
        inside += 1
        return inside
      }
      most.withLock { $0 = max($0, count) }
      await work()
      try? await release.wait()
      inside.withLock { $0 -= 1 }
    }
  }

  @Test("The refresh of other scopes begins when the cache has given the lock of the last one back")
  func slowRelease() async throws {
    let world = World()
    let cache = SlowReleaseCache()
    let connector = try world.connector(cache: cache)
    try await connector.doPolicy(.signIn)
    await world.clock.advance(by: .seconds(4_000))
    // From now on the clock does not move by itself.
    await world.clock.waitForSleepers(0)
    let calls = [nil, Self.otherScopes].map { scopes in Task { try await connector.accessToken(scopes: scopes) } }
    await cache.release.waitForArrivals(1)
    for _ in 0..<200 { await Task.yield() }
    #expect(cache.release.arrivals == 1)
    cache.release.open()
    for call in calls { _ = try await call.value }
    #expect(cache.most.withLock { $0 } == 1)
    #expect(world.tenant.counters.refreshes == 2 && world.tenant.counters.reusedRefreshTokens == 0)
  }

  /// A cache whose removal neither ends in time nor is cancelled, and fails then.
  private final class StuckCache: TokenCache {
    let removal = TestGate()
    private let inner = InMemoryTokenCache.memory()

    func record(for key: TokenCacheKey) async throws -> TokenRecord? { await inner.record(for: key) }
    func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { await inner.store(record, for: key) }
    func keys() async throws -> [TokenCacheKey] { await inner.keys() }

    func removeRecord(for key: TokenCacheKey) async throws {
      await Task { [removal] in try? await removal.wait() }.value
      throw ConnectorError(.tokenCache, "The disk is gone.", isRetryable: true)
    }

    func refreshToken() async throws -> Secret? {
      let key = try #require(await inner.keys().first)
      return await inner.record(for: key)?.refreshToken
    }
  }

  @Test("A new refresh token is stored, however long another change of the record takes")
  func stuckChange() async throws {
    let world = World()
    let cache = StuckCache()
    let connector = try world.connector(cache: cache)
    let alice = try await connector.doPolicy(.signIn)
    await world.clock.advance(by: .seconds(4_000))
    let sent = try await cache.refreshToken()
    let signOut = Task { try await connector.signOut(alice) }
    await cache.removal.waitForArrivals(1)
    await expectError(ConnectorError.self, .timedOut) { _ = try await connector.accessToken() }
    await world.clock.advance(by: .seconds(600))
    cache.removal.open()
    await expectError(ConnectorError.self, .tokenCache) { _ = try await signOut.value }
    while try await cache.refreshToken() == sent, !Task.isCancelled { await Task.yield() }
    _ = try await connector.accessToken()
    #expect(world.tenant.counters.refreshes == 1)
    await world.clock.advance(by: .seconds(4_000))
    _ = try await connector.accessToken()
    #expect(world.tenant.counters.refreshes == 2 && world.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("A lock that is free within twice the limit of a request is waited for", arguments: [40, 150])
  func patientLock(seconds: Int) async throws {
    let world = World()
    let cache = HeldCache(for: .zero, on: world.clock)
    let connector = try world.connector(cache: cache) { $0.limits.deadline = .seconds(200) }
    try await connector.doPolicy(.signIn)
    await world.clock.advance(by: .seconds(4_000))
    cache.held.withLock { $0 = .seconds(seconds) }
    _ = try await connector.accessToken()
    #expect(cache.tries.withLock { $0 } == 1)
  }

  @Test(
    "A lock that is never free times out, sends nothing, and the next call tries again",
    arguments: HeldCache.Obedience.allCases)
  private func hungLock(_ obedience: HeldCache.Obedience) async throws {
    let world = World()
    let cache = HeldCache(for: .zero, on: world.clock, obedience)
    let connector = try world.connector(cache: cache) { $0.limits.deadline = .seconds(10) }
    try await connector.doPolicy(.signIn)
    await world.clock.advance(by: .seconds(4_000))
    cache.held.withLock { $0 = .seconds(100_000) }
    await expectError(ConnectorError.self, .timedOut) { _ = try await connector.accessToken() }
    await connector.close()
    #expect(world.tenant.counters.refreshes == 0)
    cache.held.withLock { $0 = .zero }
    _ = try await connector.accessToken()
    // What the abandoned wait runs late does nothing.
    await world.clock.advance(by: .seconds(200_000))
    #expect(world.tenant.counters.refreshes == 1 && world.tenant.counters.reusedRefreshTokens == 0)
  }

  // MARK: The end of a process

  /// A transport that never returns from a token request.
  private struct HungTransport: HTTPTransport {
    let base: any HTTPTransport
    let isHung = Locked(false)
    let never = TestGate()

    func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
      if isHung.withLock({ $0 }), request.httpMethod == "POST" {
        await Task { [never] in try? await never.wait() }.value
      }
      return try await base.send(request, limits: limits)
    }
  }

  @Test("Closing takes at most twice the limit of a request, also while a refresh waits for a hung one")
  func closing() async throws {
    let world = World()
    let transport = HungTransport(base: world.network)
    let connector = try world.connector(transport: transport)
    try await connector.doPolicy(.signIn)
    _ = try await connector.accessToken(scopes: Self.otherScopes)
    await world.clock.advance(by: .seconds(4_000))
    transport.isHung.withLock { $0 = true }
    let calls = [nil, Self.otherScopes].map { scopes in Task { try await connector.accessToken(scopes: scopes) } }
    await transport.never.waitForArrivals(1)
    let start = world.clock.now
    await connector.close()
    #expect(start.duration(to: world.clock.now) <= .seconds(60))
    for call in calls { await expectError(ConnectorError.self, .timedOut) { _ = try await call.value } }
  }

  // MARK: Events of a sign-out

  /// A cache that refuses to remove one user's record.
  private final class ResistingCache: TokenCache {
    let resists = Locked<String?>(nil)
    private let inner = InMemoryTokenCache.memory()

    func record(for key: TokenCacheKey) async throws -> TokenRecord? { await inner.record(for: key) }
    func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { await inner.store(record, for: key) }
    func keys() async throws -> [TokenCacheKey] { await inner.keys() }

    func removeRecord(for key: TokenCacheKey) async throws {
      if resists.withLock({ $0 }) == key.userID { throw ConnectorError(.tokenCache, "No.", isRetryable: true) }
      await inner.removeRecord(for: key)
    }
  }

  @Test(
    "A sign-out has one event for each user who was removed, and none for others",
    arguments: ["all", "one resists", "stranger", "named"])
  func signOutEvents(_ which: String) async throws {
    let world = World()
    let cache = ResistingCache()
    let presenter = world.script(.signIn(.alice))
    let steps = Locked<[Connector.Event.Step]>([])
    var environment = world.environment(presenter: presenter, cache: cache)
    environment.onEvent = { event in steps.withLock { $0.append(event.step) } }
    let connector = try Connector(settings: world.settings(), environment: environment)
    let alice = try await connector.doPolicy(.signIn)
    presenter.follow(.signIn(.bob))
    try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login))
    switch which {
    case "all": try await connector.signOut()
    case "named": try await connector.signOut(alice)
    case "stranger": try await connector.signOut(UserInfo(id: "nobody.nowhere"))
    default:
      cache.resists.withLock { $0 = alice.id }
      await expectError(ConnectorError.self, .tokenCache) { try await connector.signOut() }
    }
    let expected = ["all": 2, "one resists": 1, "stranger": 0, "named": 1]
    #expect(steps.withLock { $0.count { $0 == .signedOut } } == expected[which])
  }
}
