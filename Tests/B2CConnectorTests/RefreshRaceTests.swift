import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Callers, cancellations and sign-ins at the same time as a refresh.
@Suite("Races around a refresh", .hangLimit)
struct RefreshRaceTests {
  private let stage: SignedInScene
  private var scene: Scene { stage.scene }
  private var connector: Connector { stage.connector }

  init() async throws { stage = try await SignedInScene(Scene(cache: SharedMemoryCache())) }

  @Test("A thousand callers make one refresh, and one that is cancelled leaves immediately and alone")
  func thousand() async throws {
    let first = await stage.heldRefresh()
    let leaves = Task { try await connector.accessToken() }
    async let tokens = simultaneously(1_000) { _ in try await connector.accessToken().token }
    try await yielding { scene.count(.refreshShared) == 1_001 }
    leaves.cancel()
    await #expect(throws: CancellationError.self) { try await leaves.value }
    stage.gate.open()
    #expect(try await Set(tokens) == [first.value.token])
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

  @Test("Refreshes of one user for two APIs run one after another, also over a cache that is not shared")
  func twoAPIs() async throws {
    let stage = try await SignedInScene(Scene(cache: FourMethodCache()))
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
    try await yielding { scene.count(.refreshShared) == 9 }
    stage.gate.open()
    for caller in callers { await expectError(ConnectorError.self, .serviceUnavailable) { try await caller.value } }
    _ = try await connector.accessToken()
    scene.expectRefreshes(1)
  }

  @Test(
    "A refresh that ends after a new sign-in stores nothing, and its caller gets the new token",
    arguments: [false, true])
  func signInWins(isElsewhere: Bool) async throws {
    let caller = await stage.heldRefresh()
    let new = try await stage.signIn(at: stage.other(isElsewhere: isElsewhere))
    let stored = try await scene.record()
    stage.gate.open()
    #expect(try await caller.value.token == new.accessToken?.token)
    #expect(try await connector.accessToken().token == new.accessToken?.token)
    #expect(try await scene.record() == stored)
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

  @Test(
    "If a sign-in during a refresh brought no refresh token, the error does not call the session expired")
  func signInWithoutRefreshToken() async throws {
    let key = try #require(try await scene.cache.keys().first)
    let caller = await stage.heldRefresh()
    let record = try await scene.record()
    try await scene.cache.store(
      TokenRecord(signedInAt: scene.clock.date, policyID: record.policyID, claims: record.claims), for: key)
    stage.gate.open()
    let error = try await #require(throws: ConnectorError.self) { try await caller.value }
    #expect(error.code == .interactionRequired && !error.message.contains("expired"), "\(error)")
  }
}
