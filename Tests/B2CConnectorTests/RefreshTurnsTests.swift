import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// What several refreshes of one user have in common: a server's wait, a lock, and the end of a process.
@Suite("Refreshes of one user", .hangLimit)
struct RefreshTurnsTests {
  /// Other scopes than those of the settings: the app itself.
  private static let otherScopes = [LocalTenant.standardClientID]
  private static let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1767225600"}}}"#

  /// Alice, whose tokens for two sets of scopes have a few minutes left.
  private func expiring() async throws -> (Scene, Connector) {
    let scene = Scene(limits: .standard)
    let connector = try await scene.signedIn()
    _ = try await connector.accessToken(scopes: Self.otherScopes)
    await scene.clock.advance(by: .seconds(3_600 - 280))
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

  /// The clock moves by itself, so a call may time out while the refresh before it ends.
  private func token(of connector: Connector) async throws {
    do {
      _ = try await connector.accessToken()
    } catch let error as ConnectorError where error.code == .timedOut {
      try await token(of: connector)
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
    try await token(of: connector)
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

  @Test("Closing takes at most twice the limit of a request, also while a refresh waits for a hung one")
  func closing() async throws {
    let scene = Scene(limits: .standard)
    let connector = try await scene.signedIn()
    _ = try await connector.accessToken(scopes: Self.otherScopes)
    await scene.clock.advance(by: .seconds(4_000))
    let never = scene.transport.hang(at: .token)
    let calls = [nil, Self.otherScopes].map { scopes in Task { try await connector.accessToken(scopes: scopes) } }
    await never.waitForArrivals(1)
    let start = scene.clock.now
    await connector.close()
    #expect(start.duration(to: scene.clock.now) <= .seconds(60))
    for call in calls { await expectError(ConnectorError.self, .timedOut) { _ = try await call.value } }
  }
}
