import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// What happens at the same time: callers, clients, cancellations, sign-outs and sign-ins around one refresh.
@Suite("Races around a refresh", .hangLimit)
struct RefreshRaceTests {
  /// A signed-in client with an expired token, and a tenant that holds back its answer to a refresh.
  private struct Stage {
    let scene: Scene
    let connector: Connector
    let presenter: ScriptedPresenter
    let gate = TestGate()

    init(cache: any TokenCache = .memory()) async throws {
      scene = Scene(cache: cache)
      presenter = scene.script(.signIn(.alice))
      connector = try scene.connector(presenter: presenter)
      try await connector.signIn()
      await scene.clock.advance(by: .seconds(4_000))
      scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    }

    var refreshes: Int { scene.tenant.counters.refreshes }
  }

  @Test("A thousand callers make one refresh")
  func thousand() async throws {
    let stage = try await Stage()
    let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
      for _ in 0..<1_000 { group.addTask { try await stage.connector.accessToken().token } }
      await stage.gate.waitForArrivals(1)
      stage.gate.open()
      return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
    }
    #expect(tokens.count == 1)
    #expect(stage.refreshes == 1)
  }

  @Test("A caller that is cancelled leaves at once; the others get the token")
  func cancelledCaller() async throws {
    let stage = try await Stage()
    let stays = Task { try await stage.connector.accessToken() }
    await stage.gate.waitForArrivals(1)
    let leaves = Task { try await stage.connector.accessToken() }
    try await yielding { stage.scene.events.values.contains { $0.step == .refreshShared } }
    leaves.cancel()
    await #expect(throws: CancellationError.self) { try await leaves.value }
    stage.gate.open()
    _ = try await stays.value
    #expect(stage.refreshes == 1)
  }

  @Test("When the last caller leaves after the token was sent, the answer is stored all the same")
  func everybodyLeaves() async throws {
    let stage = try await Stage()
    let caller = Task { try await stage.connector.accessToken() }
    await stage.gate.waitForArrivals(1)
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    stage.gate.open()
    // The next caller waits for the refresh token to be free, finds the new token, and spends nothing.
    _ = try await stage.connector.accessToken()
    #expect(stage.refreshes == 1)
    #expect(stage.scene.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("Closing waits for the answer to a token that was sent, though no caller does", arguments: [true, false])
  func closing(isCancelled: Bool) async throws {
    let cache = SharedMemoryCache()
    let stage = try await Stage(cache: cache)
    let keys = await cache.keys()
    let key = try #require(keys.first)
    stage.scene.tenant.behavior.changeIDTokenClaims = { $0["name"] = "Renamed" }
    let caller = Task { try await stage.connector.accessToken() }
    await stage.gate.waitForArrivals(1)
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    let hasClosed = Locked(false)
    let closing = Task {
      if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
      await stage.connector.close()
      hasClosed.withLock { $0 = true }
    }
    for _ in 0..<200 { await Task.yield() }
    #expect(!hasClosed.withLock { $0 })
    stage.gate.open()
    await closing.value
    let stored = try #require(await cache.record(for: key))
    #expect(stored.refreshToken?.value != stage.scene.transport.tokenForms.last?["refresh_token"])
    #expect(stored.claims["name"] == "Renamed")
    #expect(stage.refreshes == 1)
  }

  @Test(
    "When the last caller leaves before the token was sent, the refresh goes on all the same, and the next one has its token"
  )
  func leavesBeforeSending() async throws {
    let cache = SharedMemoryCache()
    let stage = try await Stage(cache: cache)
    let keys = await cache.keys()
    let key = try #require(keys.first)
    stage.gate.open()
    let held = TestGate()
    let holder = Task { try await cache.withRefreshLock(for: key, RefreshWork { try? await held.wait() }) }
    await held.waitForArrivals(1)
    let caller = Task { try await stage.connector.accessToken() }
    try await yielding { stage.scene.events.values.contains { $0.step == .cacheMiss } }
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    held.open()
    try await holder.value
    await stage.connector.close()
    #expect(stage.refreshes == 1)
    _ = try await stage.connector.accessToken()
    #expect(stage.refreshes == 1)
  }

  @Test("A sign-out between two tries of a cache's compare-and-set wins as well")
  func signOutBetweenTries() async throws {
    let cache = ContendedCache()
    let connector = try await Scene(cache: cache).signedIn(after: 4_000)
    cache.isContended.withLock { $0 = true }
    await expectError(ConnectorError.self, .interactionRequired) { try await connector.accessToken() }
    #expect(try await cache.keys().isEmpty)
  }

  @Test("A refresh that ends after a new sign-in writes nothing and serves the new token")
  func signInWins() async throws {
    let stage = try await Stage()
    let caller = Task { try await stage.connector.accessToken() }
    await stage.gate.waitForArrivals(1)
    let new = try await stage.connector.signIn(options: SignInOptions(prompt: .login))
    stage.gate.open()
    #expect(try await caller.value.token == new.accessToken?.token)
    #expect(try await stage.connector.accessToken().token == new.accessToken?.token)
  }

  @Test("A new sign-in for another API does not look like a sign-out to a refresh under way")
  func signInForAnotherAPI() async throws {
    let stage = try await Stage()
    let caller = Task { try await stage.connector.accessToken() }
    await stage.gate.waitForArrivals(1)
    try await stage.connector.signIn(
      options: SignInOptions(prompt: .login, scopes: [LocalTenant.standardClientID]))
    stage.gate.open()
    #expect(try await caller.value.scopes.contains(stage.scene.tenant.apiScopes[0]))
    #expect(stage.scene.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("After sign-out and the sign-in of somebody else, the old refresh brings nothing back")
  func otherUser() async throws {
    let stage = try await Stage()
    let caller = Task { try await stage.connector.accessToken() }
    await stage.gate.waitForArrivals(1)
    try await stage.connector.signOut()
    stage.presenter.follow(.signIn(.bob))
    try await stage.connector.signIn(options: SignInOptions(prompt: .login))
    stage.gate.open()
    await expectError(ConnectorError.self, .interactionRequired) { try await caller.value }
    #expect(try await stage.connector.users().map(\.username) == [LocalUser.bob.email])
  }

  @Test("Refreshes for two resources at once do not spend the same token twice")
  func twoResources() async throws {
    let stage = try await Stage()
    async let tasks = stage.connector.accessToken()
    async let own = stage.connector.accessToken(scopes: [LocalTenant.standardClientID])
    await stage.gate.waitForArrivals(1)
    stage.gate.open()
    #expect(try await tasks.token != own.token)
    #expect(stage.refreshes == 2)
    #expect(stage.scene.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("A failed refresh reaches every waiter, and the next call tries anew")
  func sharedFailure() async throws {
    let stage = try await Stage()
    stage.scene.tenant.faults = [
      LocalFault(on: .tokenRefresh, times: 1, .wait(stage.gate)),
      LocalFault(on: .tokenRefresh, times: 1, .respond(LocalResponse(status: 503))),
    ]
    let callers = (0..<10).map { _ in Task { try await stage.connector.accessToken() } }
    await stage.gate.waitForArrivals(1)
    try await yielding { stage.scene.events.values.count { $0.step == .refreshShared } == 9 }
    stage.gate.open()
    for caller in callers {
      await expectError(ConnectorError.self, .serviceUnavailable) { try await caller.value }
    }
    _ = try await stage.connector.accessToken()
    #expect(stage.refreshes == 1)
  }
}
