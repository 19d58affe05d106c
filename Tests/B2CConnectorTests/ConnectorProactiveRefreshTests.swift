import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Tokens live for 3,600 seconds here and should be renewed in the last 300.
@Suite("A renewal that is only early", .timeLimit(.minutes(10)))
struct ConnectorProactiveRefreshTests {
  /// A user whose token should be renewed and lasts another 200 seconds.
  private final class Stage: Sendable {
    let world = World()
    let presenter: ScriptedPresenter
    let connector: Connector
    let user: UserInfo
    let token: AccessToken
    /// Holds back the answers to refreshes, once a test asks for it.
    let gate = TestGate()
    private let kinds = Locked<[OAuthEvent]>([])

    init(
      cache: any TokenCache = InMemoryTokenCache(lockTimeout: .patience), system: SuspendingSystem? = nil,
      configure: (inout Connector.Options) -> Void = { $0.refresh = .proactive }
    ) async throws {
      presenter = world.script(.signIn(.alice))
      var environment = world.environment(presenter: presenter, cache: cache)
      environment.refreshActivity = RefreshActivity(system)
      environment.onEvent = { [kinds] event in kinds.withLock { $0.append(event) } }
      connector = try Connector(settings: try world.settings(), environment: environment, configure: configure)
      user = try await connector.doPolicy(.signIn)
      token = try await connector.accessToken()
      await world.clock.advance(by: .seconds(3_400))
    }

    /// What was reported, by kind.
    func events(_ kind: OAuthEvent.Kind) -> [OAuthEvent] { kinds.withLock { $0.filter { $0.kind == kind } } }

    var sent: Int { world.tenant.counters.refreshRequests }

    func holdAnswers() { world.tenant.faults = [LocalFault(on: .tokenRefresh, .holdAnswer(gate))] }

    /// Lets a renewal that is under way end, and returns the token after it.
    func tokenAfterRenewal() async throws -> AccessToken {
      gate.open()
      try await yielding { try await self.connector.accessToken() != self.token }
      return try await connector.accessToken()
    }
  }

  /// The refresh lock of a cache's only record, held as by another process.
  private struct HeldRefreshLock {
    private let gate = TestGate()
    private let holder: Task<Void, any Error>

    init(of cache: InMemoryTokenCache) async throws {
      let key = try #require(await cache.keys().first)
      holder = Task { [gate] in try await cache.withRefreshLock(for: key) { try await gate.wait() } }
      await gate.waitForArrivals(1)
    }

    func release() async throws {
      gate.open()
      try await holder.value
    }
  }

  @Test("A token that lasts another minute is returned at once, and the next call has the new one")
  func returned() async throws {
    let stage = try await Stage()
    stage.holdAnswers()
    for _ in 0..<3 { #expect(try await stage.connector.accessToken() == stage.token) }
    _ = try await stage.connector.getTaskList()
    await stage.gate.waitForArrivals(1)
    #expect(try await stage.tokenAfterRenewal().expiresAt > stage.token.expiresAt)
    #expect(stage.sent == 1)
    #expect(stage.events(.cacheMiss).isEmpty && stage.events(.refreshShared).isEmpty)
    let started = try #require(stage.events(.proactiveRefresh).first)
    #expect(started.policyID == "B2C_1_SignIn")
    #expect(stage.events(.proactiveRefresh).count == 1)
    #expect(stage.events(.refreshFinished).map(\.correlationID) == [started.correlationID])
  }

  @Test("Unless it was asked for, a call waits for the renewal")
  func off() async throws {
    let stage = try await Stage { _ in }
    #expect(try await stage.connector.accessToken() != stage.token)
    #expect(stage.events(.proactiveRefresh).isEmpty)
  }

  @Test("A token that lasts another minute or less is waited for, by a renewal that may be under way already")
  func late() async throws {
    let stage = try await Stage()
    stage.holdAnswers()
    #expect(try await stage.connector.accessToken() == stage.token)
    await stage.gate.waitForArrivals(1)
    await stage.world.clock.advance(by: .seconds(140))
    let late = Task { try await stage.connector.accessToken() }
    try await yielding { stage.events(.refreshShared).count == 1 }
    stage.gate.open()
    #expect(try await late.value != stage.token)
    #expect(stage.sent == 1)
  }

  @Test("A call that asks for a new token, or shows a refused one, waits as always")
  func replaced() async throws {
    let stage = try await Stage()
    let forced = try await stage.connector.accessToken(forceRefresh: true)
    #expect(forced != stage.token)
    await stage.world.clock.advance(by: .seconds(3_400))
    stage.world.tasks.faults = [LocalFault(on: .any, times: 1, .respond(TransportResponse(status: 401)))]
    _ = try await stage.connector.getTaskList()
    #expect(try await stage.connector.accessToken() != forced)
  }

  @Test("While the provider fails no call sees it, and it is asked once a minute")
  func failing() async throws {
    let stage = try await Stage()
    stage.world.tenant.faults = [LocalFault(on: .tokenRefresh, .respond(TransportResponse(status: 503)))]
    for minute in 1...2 {
      for _ in 0..<5 { #expect(try await stage.connector.accessToken() == stage.token) }
      try await yielding { stage.events(.staleTokenServed).count == minute }
      await stage.world.clock.advance(by: .seconds(59))
      #expect(try await stage.connector.accessToken() == stage.token)
      #expect(stage.events(.refreshStarted).count == minute && stage.events(.proactiveRefresh).count == minute)
      await stage.world.clock.advance(by: .seconds(1))
    }
    #expect(stage.events(.staleTokenServed).map(\.errorCode) == [.serviceUnavailable, .serviceUnavailable])
    #expect(stage.events(.refreshFinished).map(\.errorCode) == [.serviceUnavailable, .serviceUnavailable])
    // Now the token is at its end.
    await stage.world.clock.advance(by: .seconds(100))
    await expectError(ConnectorError.self, .serviceUnavailable) { try await stage.connector.accessToken() }
    #expect(try await stage.connector.session == .signedIn(stage.user))
  }

  @Test("A definite answer ends the session: this call has its token, the next one is told")
  func ended() async throws {
    let stage = try await Stage()
    stage.world.tenant.revokeGrants()
    #expect(try await stage.connector.accessToken() == stage.token)
    try await yielding { try await stage.connector.session == .expired(stage.user) }
    await expectError(ConnectorError.self, .interactionRequired) { try await stage.connector.accessToken() }
  }

  @Test("A caller that is cancelled does not end it, nor one that has waited for it")
  func cancelled() async throws {
    let stage = try await Stage()
    stage.holdAnswers()
    let caller = Task { try await stage.connector.accessToken() }
    #expect(try await caller.value == stage.token)
    caller.cancel()
    await stage.gate.waitForArrivals(1)
    await stage.world.clock.advance(by: .seconds(140))
    let late = Task { try await stage.connector.accessToken() }
    try await yielding { stage.events(.refreshShared).count == 1 }
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
    _ = try await stage.tokenAfterRenewal()
    #expect(stage.sent == 1)
  }

  // MARK: Closing

  @Test("close() cancels a renewal that is not sent yet")
  func closedBefore() async throws {
    let cache = InMemoryTokenCache(lockTimeout: .patience)
    let stage = try await Stage(cache: cache)
    let lock = try await HeldRefreshLock(of: cache)
    #expect(try await stage.connector.accessToken() == stage.token)
    try await yielding { stage.events(.proactiveRefresh).count == 1 }
    await stage.connector.close()
    #expect(stage.events(.staleTokenServed).isEmpty)
    try await lock.release()
    #expect(stage.sent == 0)
    // The connector can be used as before.
    await stage.world.clock.advance(by: .seconds(60))
    #expect(try await stage.connector.accessToken() == stage.token)
    _ = try await stage.tokenAfterRenewal()
  }

  @Test("close() waits for a renewal that was sent, and its answer is stored")
  func closedAfter() async throws {
    let cache = InMemoryTokenCache(lockTimeout: .patience)
    let stage = try await Stage(cache: cache)
    stage.holdAnswers()
    _ = try await stage.connector.accessToken()
    await stage.gate.waitForArrivals(1)
    let hasClosed = Locked(false)
    let closing = Task {
      await stage.connector.close()
      hasClosed.withLock { $0 = true }
    }
    for _ in 0..<200 { await Task.yield() }
    #expect(!hasClosed.withLock { $0 })
    stage.gate.open()
    await closing.value
    let key = try #require(await cache.keys().first)
    let stored = try #require(await cache.record(for: key))
    #expect(stored.accessTokens.first?.token != stage.token.token)
    #expect(stage.sent == 1)
  }

  @Test("close() takes nothing from a call that waits for the renewal")
  func closedWithCaller() async throws {
    let cache = InMemoryTokenCache(lockTimeout: .patience)
    let stage = try await Stage(cache: cache)
    let lock = try await HeldRefreshLock(of: cache)
    _ = try await stage.connector.accessToken()
    await stage.world.clock.advance(by: .seconds(140))
    let late = Task { try await stage.connector.accessToken() }
    try await yielding { stage.events(.refreshShared).count == 1 }
    let closing = Task { await stage.connector.close() }
    for _ in 0..<200 { await Task.yield() }
    try await lock.release()
    #expect(try await late.value != stage.token)
    await closing.value
  }

  // MARK: What happens meanwhile

  @Test("A sign-out while it is under way stays: nothing comes back")
  func signedOut() async throws {
    let cache = InMemoryTokenCache(lockTimeout: .patience)
    let stage = try await Stage(cache: cache)
    stage.holdAnswers()
    _ = try await stage.connector.accessToken()
    await stage.gate.waitForArrivals(1)
    try await stage.connector.signOut()
    stage.gate.open()
    await stage.connector.close()
    #expect(await cache.keys().isEmpty)
    #expect(try await stage.connector.session == .signedOut)
  }

  @Test("Another user who signs in meanwhile stays the current one, and each has their own token")
  func newUser() async throws {
    let stage = try await Stage()
    stage.holdAnswers()
    _ = try await stage.connector.accessToken()
    await stage.gate.waitForArrivals(1)
    stage.presenter.clearCookies()
    stage.presenter.follow(.signIn(.bob))
    let bob = try await stage.connector.doPolicy(.signIn)
    stage.gate.open()
    await stage.connector.close()
    #expect(try await stage.connector.session == .signedIn(bob))
    #expect(try await stage.connector.accessToken().accountID == bob.accountID)
    let alice = try await stage.connector.accessToken(account: Account(id: stage.user.accountID))
    #expect(alice != stage.token && alice.accountID == stage.user.accountID)
    #expect(stage.sent == 1)
  }

  @Test("A system that gives no time has nothing sent, and the call has its token")
  func suspended() async throws {
    let system = SuspendingSystem()
    let stage = try await Stage(system: system)
    system.will(.refused)
    #expect(try await stage.connector.accessToken() == stage.token)
    try await yielding { stage.events(.staleTokenServed).map(\.errorCode) == [.suspended] }
    #expect(stage.sent == 0)
    system.will(.granted)
    await stage.world.clock.advance(by: .seconds(60))
    #expect(try await stage.connector.accessToken() == stage.token)
    _ = try await stage.tokenAfterRenewal()
    #expect(stage.sent == 1)
  }
}

// One after the other: copies of a struct share the locks of their type, also with those of another test.
@Suite("Early renewals of two connectors over one token cache", .serialized, .timeLimit(.minutes(10)))
struct TwoConnectorsProactiveRefreshTests {
  /// Where the user has to agree to a renewal, none is early.
  static let kinds = CacheKind.allCases.filter { $0 != .twoProtectedKeychains }

  @Test("They send one request, and one a minute where it fails", arguments: kinds)
  func oneRequest(_ kind: CacheKind) async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("b2c-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let world = World()
    let caches = try kind.make(in: directory)
    // It moves by the test alone, however slow the machine is.
    let waits = TestClock(advancesItself: false)
    let begun = Locked(0)
    let failed = Locked(0)
    let sent = Locked(0)
    let connectors = try [caches.one, caches.two].map { cache in
      var environment = world.environment(cache: cache, waitingOn: waits)
      environment.onEvent = { event in
        if event.kind == .proactiveRefresh { begun.withLock { $0 += 1 } }
        if event.kind == .refreshStarted { sent.withLock { $0 += 1 } }
        if event.kind == .staleTokenServed { failed.withLock { $0 += 1 } }
      }
      return try Connector(settings: try world.settings(), environment: environment) { $0.refresh = .proactive }
    }
    try await connectors[0].doPolicy(.signIn)
    let token = try await connectors[0].accessToken()
    await world.clock.advance(by: .seconds(3_400))
    world.tenant.faults = [LocalFault(on: .tokenRefresh, .respond(TransportResponse(status: 503)))]
    for minute in 1...2 {
      for connector in connectors + connectors {
        #expect(try await connector.accessToken() == token)
        try await yielding { failed.withLock { $0 } == begun.withLock { $0 } }
      }
      // Two copies of a struct are known to be one cache by nothing.
      let requests = minute * (kind == .structOverClass ? 2 : 1)
      #expect(begun.withLock { $0 } == requests && sent.withLock { $0 } == requests)
      await waits.advance(by: .seconds(60))
    }
    world.tenant.faults = []
    let before = world.tenant.counters.refreshRequests
    for connector in connectors {
      try await yielding { try await connector.accessToken() != token }
    }
    #expect(world.tenant.counters.refreshRequests == before + 1)
    #expect(world.tenant.counters.reusedRefreshTokens == 0)
  }
}
