import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What several refreshes of one user have in common: a server's wait, a lock, and the end of a process.
@Suite("Refreshes of one user", .hangLimit)
struct RefreshTurnsTests {
  /// Other scopes than those of the settings: the app itself.
  static let otherScopes = [LocalTenant.standardClientID]
  static let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1767225600"}}}"#

  /// How many calls have found no token that serves them.
  let misses = Locked(0)

  /// Waits until so many calls wait for a refresh.
  func waitForMisses(_ count: Int) async {
    while misses.withLock({ $0 }) < count, !Task.isCancelled { await Task.yield() }
    // The event comes just before the call joins the refresh.
    for _ in 0..<100 { await Task.yield() }
  }

  /// A connector whose tokens for two sets of scopes have a few minutes left.
  func expiring(
    left seconds: Int = 280, cache: any TokenCache = .memory(), configure: (inout Connector.Options) -> Void = { _ in }
  ) async throws -> (Scene, Connector) {
    let scene = Scene(limits: .standard)
    var environment = scene.environment(cache: cache)
    environment.onEvent = { event in if event.step == .cacheMiss { misses.withLock { $0 += 1 } } }
    let connector = try Connector(settings: scene.settings(), environment: environment, configure: configure)
    try await connector.doPolicy(.signIn)
    _ = try await connector.accessToken(scopes: Self.otherScopes)
    await scene.clock.advance(by: .seconds(3_600 - seconds))
    misses.withLock { $0 = 0 }
    return (scene, connector)
  }

  @Test(
    "A server that asks to wait is not asked again for that user, whatever a call wants; other users are",
    arguments: ["claims", "force", "other scopes", "plain"])
  func wait(_ first: String) async throws {
    let (scene, connector) = try await expiring()
    let busy = LocalResponse(status: 429, headers: ["Retry-After": "200"])
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .respond(busy))]
    let before = scene.tenant.counters.refreshes
    let scopes = first == "other scopes" ? Self.otherScopes : nil
    _ = try? await connector.accessToken(
      scopes: scopes, forceRefresh: first == "force", claims: first == "claims" ? Self.claims : nil)
    for scopes in [nil, Self.otherScopes] { _ = try await connector.accessToken(scopes: scopes) }
    await scene.clock.advance(by: .seconds(150))
    for scopes in [nil, Self.otherScopes] { _ = try await connector.accessToken(scopes: scopes) }
    #expect(scene.tenant.counters.refreshes == before)
    await scene.clock.advance(by: .seconds(60))
    for scopes in [nil, Self.otherScopes] { _ = try await connector.accessToken(scopes: scopes) }
    #expect(scene.tenant.counters.refreshes == before + 2)
  }

  @Test("A refresh with claims counts as the try of a minute for its scopes", arguments: [500, 503])
  func claimsAreATry(status: Int) async throws {
    let (scene, connector) = try await expiring()
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .respond(LocalResponse(status: status)))]
    await #expect(throws: ConnectorError.self) { try await connector.accessToken(claims: Self.claims) }
    let before = scene.tenant.counters.refreshes
    _ = try await connector.accessToken()
    #expect(scene.tenant.counters.refreshes == before)
    // Other scopes have had no try yet.
    _ = try await connector.accessToken(scopes: Self.otherScopes)
    #expect(scene.tenant.counters.refreshes == before + 1)
  }

  // MARK: The lock of other processes

  /// The refresh lock of a cache that another process holds for a while.
  final class HeldLock: Sendable {
    enum Obedience: CaseIterable { case obeys, ignoresCancellation }

    let tries = Locked(0)
    let held = Locked(Duration.zero)
    let clock: TestClock
    let obedience: Obedience

    init(on clock: TestClock, _ obedience: Obedience = .obeys) { (self.clock, self.obedience) = (clock, obedience) }

    var cache: SharedMemoryCache {
      SharedMemoryCache { [self] work in
        tries.withLock { $0 += 1 }
        let duration = held.withLock { $0 }
        if obedience == .obeys {
          try await clock.sleep(for: duration)
        } else {
          await Task { try? await self.clock.sleep(for: duration) }.value
        }
        await work()
      }
    }
  }

  @Test("The refresh of other scopes begins when the cache has given the lock of the last one back")
  func slowRelease() async throws {
    let scene = Scene(limits: .standard)
    let (release, inside, most) = (TestGate(), Locked(0), Locked(0))
    let cache = SharedMemoryCache { work in
      let count = inside.withLock { inside in
        inside += 1
        return inside
      }
      most.withLock { $0 = max($0, count) }
      await work()
      try? await release.wait()
      inside.withLock { $0 -= 1 }
    }
    let connector = try scene.connector(cache: cache)
    try await connector.doPolicy(.signIn)
    await scene.clock.advance(by: .seconds(4_000))
    // From now on the clock does not move by itself.
    await scene.clock.waitForSleepers(0)
    let calls = [nil, Self.otherScopes].map { scopes in Task { try await connector.accessToken(scopes: scopes) } }
    await release.waitForArrivals(1)
    for _ in 0..<200 { await Task.yield() }
    #expect(release.arrivals == 1)
    release.open()
    for call in calls { _ = try await call.value }
    #expect(most.withLock { $0 } == 1)
    #expect(scene.tenant.counters.refreshes == 2 && scene.tenant.counters.reusedRefreshTokens == 0)
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
    let scene = Scene(limits: .standard)
    let cache = StuckCache()
    let connector = try scene.connector(cache: cache)
    let alice = try await connector.doPolicy(.signIn)
    await scene.clock.advance(by: .seconds(4_000))
    let sent = try await cache.refreshToken()
    let signOut = Task { try await connector.signOut(alice) }
    await cache.removal.waitForArrivals(1)
    await expectError(ConnectorError.self, .timedOut) { _ = try await connector.accessToken() }
    await scene.clock.advance(by: .seconds(600))
    cache.removal.open()
    await expectError(ConnectorError.self, .tokenCache) { _ = try await signOut.value }
    while try await cache.refreshToken() == sent, !Task.isCancelled { await Task.yield() }
    _ = try await connector.accessToken()
    #expect(scene.tenant.counters.refreshes == 1)
    await scene.clock.advance(by: .seconds(4_000))
    _ = try await connector.accessToken()
    #expect(scene.tenant.counters.refreshes == 2 && scene.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("A lock that is free within twice the limit of a request is waited for", arguments: [40, 150])
  func patientLock(seconds: Int) async throws {
    let scene = Scene(limits: .standard)
    let lock = HeldLock(on: scene.clock)
    let connector = try scene.connector(cache: lock.cache) { $0.limits.deadline = .seconds(200) }
    try await connector.doPolicy(.signIn)
    await scene.clock.advance(by: .seconds(4_000))
    lock.held.withLock { $0 = .seconds(seconds) }
    _ = try await connector.accessToken()
    #expect(lock.tries.withLock { $0 } == 1)
  }

  @Test(
    "A lock that is never free times out, sends nothing, and the next call tries again",
    arguments: HeldLock.Obedience.allCases)
  private func hungLock(_ obedience: HeldLock.Obedience) async throws {
    let scene = Scene(limits: .standard)
    let lock = HeldLock(on: scene.clock, obedience)
    let connector = try scene.connector(cache: lock.cache) { $0.limits.deadline = .seconds(10) }
    try await connector.doPolicy(.signIn)
    await scene.clock.advance(by: .seconds(4_000))
    lock.held.withLock { $0 = .seconds(100_000) }
    await expectError(ConnectorError.self, .timedOut) { _ = try await connector.accessToken() }
    await connector.close()
    #expect(scene.tenant.counters.refreshes == 0)
    lock.held.withLock { $0 = .zero }
    _ = try await connector.accessToken()
    // What the abandoned wait runs late does nothing.
    await scene.clock.advance(by: .seconds(200_000))
    #expect(scene.tenant.counters.refreshes == 1 && scene.tenant.counters.reusedRefreshTokens == 0)
  }

  // MARK: The end of a process

  /// A transport that never returns from a token request.
  struct HungTransport: HTTPTransport {
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
    let scene = Scene(limits: .standard)
    let transport = HungTransport(base: scene.network)
    let connector = try scene.connector(transport: transport)
    try await connector.doPolicy(.signIn)
    _ = try await connector.accessToken(scopes: Self.otherScopes)
    await scene.clock.advance(by: .seconds(4_000))
    transport.isHung.withLock { $0 = true }
    let calls = [nil, Self.otherScopes].map { scopes in Task { try await connector.accessToken(scopes: scopes) } }
    await transport.never.waitForArrivals(1)
    let start = scene.clock.now
    await connector.close()
    #expect(start.duration(to: scene.clock.now) <= .seconds(60))
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
    let scene = Scene(limits: .standard)
    let cache = ResistingCache()
    let presenter = scene.script(.signIn(.alice))
    let steps = Locked<[Connector.Event.Step]>([])
    var environment = scene.environment(presenter: presenter, cache: cache)
    environment.onEvent = { event in steps.withLock { $0.append(event.step) } }
    let connector = try Connector(settings: scene.settings(), environment: environment)
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
