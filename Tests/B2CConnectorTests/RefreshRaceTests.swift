import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Callers, cancellations, sign-outs and sign-ins at the same time as a refresh.
@Suite("Races around a refresh", .hangLimit)
struct RefreshRaceTests {
  private let cache = SharedMemoryCache()
  private let stage: SignedInScene
  private var scene: Scene { stage.scene }
  private var connector: Connector { stage.connector }

  init() async throws { stage = try await SignedInScene(Scene(cache: cache)) }

  @Test("A thousand callers make one refresh")
  func thousand() async throws {
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(stage.gate))]
    async let tokens = simultaneously(1_000) { _ in try await connector.accessToken().token }
    await stage.gate.waitForArrivals(1)
    stage.gate.open()
    #expect(Set(try await tokens).count == 1)
    scene.expectRefreshes(1)
  }

  @Test("A caller that is cancelled leaves immediately, and the others get the token")
  func cancelledCaller() async throws {
    let stays = await stage.heldRefresh()
    let leaves = Task { try await connector.accessToken() }
    try await yielding { scene.count(.refreshShared) == 1 }
    leaves.cancel()
    await #expect(throws: CancellationError.self) { try await leaves.value }
    stage.gate.open()
    _ = try await stays.value
    scene.expectRefreshes(1)
  }

  @Test(
    "If the last caller leaves, the tokens are stored all the same, and close() waits for them",
    arguments: ["call", "close", "close in a cancelled task"])
  func everybodyLeaves(_ next: String) async throws {
    scene.tenant.behavior.changeIDTokenClaims = { $0["name"] = "Renamed" }
    let sent = try await scene.record().refreshToken
    let caller = await stage.heldRefresh()
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    let hasEnded = Locked(false)
    let waiting = Task {
      if next == "close in a cancelled task" { withUnsafeCurrentTask { $0?.cancel() } }
      if next == "call" { _ = try await connector.accessToken() } else { await connector.close() }
      hasEnded.withLock { $0 = true }
    }
    await yieldOften()
    #expect(!hasEnded.withLock { $0 })
    stage.gate.open()
    try await waiting.value
    let record = try await scene.record()
    #expect(record.refreshToken != sent && record.claims["name"] == "Renamed")
    scene.expectRefreshes(1)
  }

  @Test("close() does not wait for a refresh that begins after it")
  func laterRefresh() async throws {
    let bob = try await stage.signIn(.bob).user
    await scene.expire()
    let later = TestGate()
    let first = await stage.heldRefresh { [alice = stage.alice.user] in try await $0.accessToken(user: alice) }
    let closing = Task { await connector.close() }
    await yieldOften()
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(later))]
    let second = Task { try await connector.accessToken(user: bob) }
    await later.waitForArrivals(1)
    stage.gate.open()
    await closing.value
    later.open()
    _ = try await (first.value, second.value)
    scene.expectRefreshes(2)
  }

  @Test("If the last caller leaves while its refresh waits for another process, the refresh goes on")
  func leavesBeforeSending() async throws {
    let key = try #require(await cache.keys().first)
    let held = TestGate()
    let holder = Task { try await cache.withRefreshLock(for: key, RefreshWork { try? await held.wait() }) }
    await held.waitForArrivals(1)
    let caller = Task { try await connector.accessToken() }
    try await yielding { scene.count(.cacheMiss) == 1 }
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    held.open()
    try await holder.value
    await connector.close()
    scene.expectRefreshes(1)
    _ = try await connector.accessToken()
    scene.expectRefreshes(1)
  }

  @Test("A refresh that ends after a new sign-in stores nothing, and its caller gets the new token")
  func signInWins() async throws {
    let caller = await stage.heldRefresh()
    let new = try await stage.signIn()
    stage.gate.open()
    #expect(try await caller.value.token == new.accessToken?.token)
    #expect(try await connector.accessToken().token == new.accessToken?.token)
  }

  @Test("A new sign-in for another API does not look like a sign-out to a refresh under way")
  func signInForAnotherAPI() async throws {
    let caller = await stage.heldRefresh()
    let own = try await connector.signIn(
      options: SignInOptions(prompt: .login, scopes: SignedInScene.otherScopes))
    #expect(own.accessToken != nil)
    stage.gate.open()
    #expect(try await caller.value.scopes.contains(scene.tenant.apiScopes[0]))
    #expect(scene.tenant.counters.reusedRefreshTokens == 0)
  }

  @Test("After a sign-out and the sign-in of another user, an old refresh brings nothing back")
  func otherUser() async throws {
    let caller = await stage.heldRefresh()
    try await connector.signOut()
    try await stage.signIn(.bob)
    stage.gate.open()
    await expectError(ConnectorError.self, .interactionRequired) { try await caller.value }
    #expect(try await connector.users().map(\.username) == [LocalUser.bob.email])
  }

  @Test("Refreshes of one user for two APIs run one after another", arguments: [false, true])
  func twoAPIs(isShared: Bool) async throws {
    let stage = isShared ? stage : try await SignedInScene(Scene(cache: FourMethodCache()))
    let tasks = await stage.heldRefresh()
    let own = Task { try await stage.connector.accessToken(scopes: SignedInScene.otherScopes) }
    try await yielding { stage.scene.count(.cacheMiss) == 2 }
    await yieldOften()
    #expect(stage.scene.tenant.counters.refreshRequests == 1)
    stage.gate.open()
    #expect(try await tasks.value.token != own.value.token)
    stage.scene.expectRefreshes(2)
  }

  @Test("A failed refresh reaches every waiting call, and the next call tries again")
  func sharedFailure() async throws {
    scene.tenant.faults = [
      LocalFault(on: .tokenRefresh, times: 1, .wait(stage.gate)),
      LocalFault(on: .tokenRefresh, times: 1, .respond(LocalResponse(status: 503))),
    ]
    let callers = (0..<10).map { _ in Task { try await connector.accessToken() } }
    await stage.gate.waitForArrivals(1)
    try await yielding { scene.count(.refreshShared) == 9 }
    stage.gate.open()
    for caller in callers { await expectError(ConnectorError.self, .serviceUnavailable) { try await caller.value } }
    _ = try await connector.accessToken()
    scene.expectRefreshes(1)
  }
}
