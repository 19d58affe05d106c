import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The lock of other processes, requests that hang, and the end of a process.
@Suite("Refreshes of one user", .hangLimit)
struct RefreshTurnsTests {
  // MARK: The lock of other processes

  /// Alice, whose access token has expired, over a shared cache with this lock.
  private func expired(
    limit: Duration = .seconds(30), lock: @escaping @Sendable (RefreshWork) async throws -> Void
  ) async throws -> SignedInScene {
    try await SignedInScene(Scene(cache: SharedMemoryCache(lock: lock), limits: .standard)) {
      $0.limits.deadline = limit
    }
  }

  @Test("A lock that is released within twice the limit of a request is waited for", arguments: [40, 150])
  func patientLock(seconds: Int) async throws {
    let (tries, clock) = (Locked(0), Locked<TestClock?>(nil))
    let stage = try await expired(limit: .seconds(200)) { work in
      tries.withLock { $0 += 1 }
      try await clock.withLock { $0 }?.sleep(for: .seconds(seconds))
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
    let (release, inside, most) = (TestGate(), Locked(0), Locked(0))
    let stage = try await expired { work in
      let count = inside.withLock { inside in
        inside += 1
        return inside
      }
      most.withLock { $0 = max($0, count) }
      await work()
      try? await release.wait()
      inside.withLock { $0 -= 1 }
    }
    // From now on the clock does not move by itself.
    await stage.scene.clock.waitForSleepers(0)
    let calls = [nil, SignedInScene.otherScopes].map { scopes in
      Task { try await stage.connector.accessToken(scopes: scopes) }
    }
    await release.waitForArrivals(1)
    await yieldOften()
    #expect(release.arrivals == 1)
    release.open()
    for call in calls { _ = try await call.value }
    #expect(most.withLock { $0 } == 1)
    stage.scene.expectRefreshes(2)
  }

  private struct DriverError: Error {}

  static let oddLocks: [(name: String, lock: @Sendable (RefreshWork) async throws -> Void, code: ErrorCode?)] = [
    (
      "runs the work twice",
      {
        await $0()
        await $0()
      }, nil
    ),
    (
      "fails after the work",
      {
        await $0()
        throw DriverError()
      }, nil
    ),
    ("never runs the work", { _ in }, .tokenCache),
    ("fails before the work", { _ in throw DriverError() }, .tokenCache),
  ]

  @Test("A lock runs a refresh once at most, and what it does afterwards loses no token", arguments: oddLocks.indices)
  func oddLock(_ index: Int) async throws {
    let (name, lock, code) = Self.oddLocks[index]
    let stage = try await expired(lock: lock)
    if let code {
      await expectError(ConnectorError.self, code) { try await stage.connector.accessToken() }
    } else {
      let token = try await stage.connector.accessToken().token
      #expect(token != stage.alice.accessToken?.token, "\(name)")
      #expect(try await stage.connector.accessToken().token == token, "\(name)")
    }
    stage.scene.expectRefreshes(code == nil ? 1 : 0)
  }

  // MARK: Requests that hang

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
    let calls = [nil, SignedInScene.otherScopes].map { scopes in
      Task { try await stage.connector.accessToken(scopes: scopes) }
    }
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
}
