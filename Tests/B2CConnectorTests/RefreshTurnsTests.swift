import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The lock of other processes, requests that hang, and the end of a process.
@Suite("Refreshes that wait", .hangLimit)
struct RefreshTurnsTests {
  private let scopes = [nil, SignedInScene.otherScopes]

  // MARK: The lock of other processes

  /// Alice, whose access token has expired, over a shared cache with this lock.
  private func expired(
    limit: Duration = .seconds(30), lock: @escaping @Sendable (RefreshWork) async throws -> Void
  ) async throws -> SignedInScene {
    try await SignedInScene(Scene(cache: SharedMemoryCache(lock: lock), limits: .standard)) {
      $0.limits.deadline = limit
    }
  }

  @Test("A lock that is released within the limit of a request is waited for, and taken once")
  func patientLock() async throws {
    let (tries, clock) = (Locked(0), Locked<TestClock?>(nil))
    let stage = try await expired(limit: .seconds(200)) { work in
      tries.withLock { $0 += 1 }
      try await clock.withLock { $0 }?.sleep(for: .seconds(150))
      await work()
    }
    clock.withLock { $0 = stage.scene.clock }
    _ = try await stage.connector.accessToken()
    #expect(tries.withLock { $0 } == 1)
  }

  @Test(
    "A lock that is never released times out, nothing is sent, and the next call tries again", arguments: [true, false])
  func hungLock(obeysCancellation: Bool) async throws {
    let clock = Locked<TestClock?>(nil)
    let wait = { @Sendable () async throws -> Void in
      if let clock = clock.withLock({ $0 }) { try await clock.sleep(for: .seconds(100_000)) }
    }
    let stage = try await expired(limit: .seconds(10)) { work in
      if obeysCancellation { try await wait() } else { await Task { try? await wait() }.value }
      await work()
    }
    clock.withLock { $0 = stage.scene.clock }
    await expectError(ConnectorError.self, .timedOut) { _ = try await stage.connector.accessToken() }
    await stage.connector.close()
    stage.scene.expectRefreshes(0)
    clock.withLock { $0 = nil }
    _ = try await stage.connector.accessToken()
    // The work of the wait that was given up runs late, and does nothing.
    await stage.scene.clock.advance(by: .seconds(200_000))
    stage.scene.expectRefreshes(1)
  }

  @Test("The refresh for other scopes begins after the cache has released the lock of the last one")
  func slowRelease() async throws {
    let (release, inside) = (TestGate(), Locked(0))
    let stage = try await expired { work in
      let count = inside.withLock { inside in
        inside += 1
        return inside
      }
      #expect(count == 1)
      await work()
      try? await release.wait()
      inside.withLock { $0 -= 1 }
    }
    // From now on the clock does not move by itself.
    await stage.scene.clock.waitForSleepers(0)
    let calls = scopes.map { scopes in Task { try await stage.connector.accessToken(scopes: scopes) } }
    await release.waitForArrivals(1)
    await yieldOften()
    #expect(release.arrivals == 1)
    release.open()
    for call in calls { _ = try await call.value }
    stage.scene.expectRefreshes(2)
  }

  enum OddLock: CaseIterable { case runsTwice, failsAfterwards, neverRuns, failsBefore }

  @Test("A lock runs a refresh once at most, and what it does afterwards loses no token", arguments: OddLock.allCases)
  func oddLock(_ odd: OddLock) async throws {
    struct DriverError: Error {}
    let stage = try await expired { work in
      if odd == .failsBefore { throw DriverError() }
      if odd != .neverRuns { await work() }
      if odd == .runsTwice { await work() }
      if odd == .failsAfterwards { throw DriverError() }
    }
    if odd == .neverRuns || odd == .failsBefore {
      await expectError(ConnectorError.self, .tokenCache) { try await stage.connector.accessToken() }
      stage.scene.expectRefreshes(0)
    } else {
      let token = try await stage.connector.accessToken().token
      #expect(token != stage.alice.accessToken?.token)
      #expect(try await stage.connector.accessToken().token == token)
      stage.scene.expectRefreshes(1)
    }
  }

  // MARK: Refreshes that hang

  @Test("While a token has not expired, a token endpoint that hangs delays one call, and the others use the token")
  func hangingEndpoint() async throws {
    let stage = try await SignedInScene(Scene(holdsTime: true), after: 3_310) { $0.limits = .standard }
    let (connector, clock, first) = (stage.connector, stage.scene.clock, stage.alice.accessToken?.token)
    stage.scene.tenant.faults = [LocalFault(on: .tokenRefresh, .wait(stage.gate))]
    let waits = Task { try await connector.accessToken().token }
    await stage.gate.waitForArrivals(1)
    // Time stands still, so a call that waited would wait for ever.
    for _ in 0..<10 { #expect(try await connector.accessToken().token == first) }
    await clock.waitForSleepers(2)
    await clock.advance(by: .seconds(31))
    #expect(try await waits.value == first)
    for _ in 0..<10 { #expect(try await connector.accessToken().token == first) }
    #expect(stage.scene.transport.tokenForms.count == 2)
    stage.gate.open()
    await connector.close()
  }

  @Test(
    "A request that hangs ends with timedOut, also for a refresh that waits for it, and close() waits a minute at most")
  func closing() async throws {
    let stage = try await SignedInScene(Scene(limits: .standard), after: 0)
    _ = try await stage.connector.accessToken(scopes: SignedInScene.otherScopes)
    await stage.scene.expire()
    let never = stage.scene.transport.hang(at: .token)
    let calls = scopes.map { scopes in Task { try await stage.connector.accessToken(scopes: scopes) } }
    await never.waitForArrivals(1)
    let start = stage.scene.clock.now
    await stage.connector.close()
    #expect(start.duration(to: stage.scene.clock.now) <= .seconds(60))
    for call in calls {
      let error = try await #require(throws: ConnectorError.self) { try await call.value }
      #expect(error.code == .timedOut && error.isRetryable)
    }
    stage.scene.transport.letEverythingPass()
    try await token(of: stage.connector)
  }

  @Test("A new refresh token is stored, however long another change of the record takes")
  func stuckChange() async throws {
    let removal = TestGate()
    // A removal neither ends in time nor is cancelled, and then fails.
    let cache = HookedCache { call in
      guard call == "remove" else { return }
      await Task { try? await removal.wait() }.value
      throw ConnectorError(.tokenCache, "The disk is gone.", isRetryable: true)
    }
    let stage = try await SignedInScene(Scene(cache: cache, limits: .standard))
    let (scene, connector) = (stage.scene, stage.connector)
    let sent = try await scene.record().refreshToken
    let signOut = Task { try await connector.signOut(stage.alice.user) }
    await removal.waitForArrivals(1)
    await expectError(ConnectorError.self, .timedOut) { _ = try await connector.accessToken() }
    await scene.clock.advance(by: .seconds(600))
    removal.open()
    await expectError(ConnectorError.self, .tokenCache) { _ = try await signOut.value }
    try await yielding { try await scene.record().refreshToken != sent }
    try await token(of: connector)
    scene.expectRefreshes(1)
    await scene.expire()
    _ = try await connector.accessToken()
    scene.expectRefreshes(2)
  }

  /// Repeats a call that times out, because the clock moves by itself while a refresh before it ends.
  private func token(of connector: Connector) async throws {
    do {
      _ = try await connector.accessToken()
    } catch let error as ConnectorError where error.code == .timedOut {
      try await token(of: connector)
    }
  }

  // MARK: Metadata and keys that hang

  static let targets: [(LocalTenant.Shape, LocalFaultTarget)] = [
    (.b2c, .metadata), (.b2c, .keys), (.openIDConnect, .metadata), (.openIDConnect, .keys), (.entra, .metadata),
  ]

  @Test(
    "A sign-in whose metadata or keys never arrive ends with timedOut for all who wait, and the next one succeeds",
    arguments: targets.indices)
  func hangingSignIn(_ index: Int) async throws {
    let (shape, target) = Self.targets[index]
    let scene = Scene(shape: shape, limits: .standard)
    scene.transport.hang(at: target)
    let connector = try scene.connector()
    try await simultaneously(3) { _ in
      let error = await #expect(throws: ConnectorError.self) { try await connector.signIn() }
      #expect(error?.code == .timedOut && error?.isRetryable == true && error?.url != nil)
    }
    scene.transport.letEverythingPass()
    _ = try await connector.signIn()
  }

  @Test("If an issuer's metadata never arrive, calls end with timedOut, and a sign-out and the next refresh succeed")
  func hangingMetadata() async throws {
    let scene = try await SignedInScene(Scene(shape: .openIDConnect, limits: .standard), after: 0).scene
    let connector = try scene.connector()
    scene.transport.hang(at: .metadata)
    for isForced in [true, false] {
      if !isForced { await scene.clock.advance(by: .seconds(7_200)) }
      let error = try await #require(throws: ConnectorError.self) {
        try await connector.accessToken(forceRefresh: isForced)
      }
      #expect(error.code == .timedOut && error.isRetryable)
    }
    await expectError(ConnectorError.self, .timedOut) { try await connector.fetchUserInfo() }
    scene.transport.letEverythingPass()
    _ = try await connector.accessToken(forceRefresh: true)
    scene.transport.hang(at: .metadata)
    try await scene.connector().signOut()
    #expect(try await connector.session == .signedOut)
  }
}
