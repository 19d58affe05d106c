import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The token that replaces one that an API has refused.
@Suite("The token after a refused one", .hangLimit)
struct ReplacedTokenTests {
  private let scene: Scene
  private let connector: Connector
  /// The token that the API refuses.
  private let refused: Secret

  init() async throws {
    scene = Scene()
    // Waits move another clock, because a slow machine's waits must not count as minutes.
    connector = try await scene.signedIn(waitingOn: TestClock())
    refused = try await connector.accessToken().token
  }

  @Test("Against an API that refuses every token, twenty calls make one refresh a minute and send no token twice")
  func refusesAll() async throws {
    let refusal = LocalResponse(status: 401, headers: ["WWW-Authenticate": "Bearer"])
    scene.tasks.faults = [LocalFault(.respond(refusal))]
    for minute in 1...3 {
      for number in 0..<20 {
        let before = scene.tasks.requests.count
        let error = try await #require(throws: ConnectorError.self) { try await connector.getTaskList() }
        let tries = scene.tasks.requests.count - before
        #expect(error.code == .unauthorized && tries == (number == 0 ? 2 : 1))
        #expect(error.message.contains("new token") == (tries == 2), "\(error.message)")
      }
      #expect(scene.tenant.counters.refreshes == minute)
      await scene.clock.advance(by: .seconds(61))
    }
  }

  @Test("A token that is replaced delays no refresh for another user, nor for another API")
  func ofTwo() async throws {
    let stage = try await SignedInScene(after: 0)
    let bob = try await stage.signIn(.bob).user
    _ = try await stage.connector.accessToken(scopes: SignedInScene.otherScopes, user: bob)
    await stage.scene.clock.advance(by: .seconds(61))
    for (user, scopes) in [(stage.alice.user, nil), (bob, nil), (bob, SignedInScene.otherScopes)] {
      let refused = try await stage.connector.accessToken(scopes: scopes, user: user).token
      let token = try await stage.scene.token(of: stage.connector, scopes: scopes, user: user, refusing: refused)
      #expect(token != refused)
    }
  }

  /// Lets the provider return the refused token again.
  private func repeatToken() {
    scene.tenant.behavior.changeTokenAnswer = { [refused] in $0["access_token"] = .string(refused.value) }
  }

  private func expectUnauthorized() async {
    await expectError(ConnectorError.self, .unauthorized) { try await scene.token(of: connector, refusing: refused) }
  }

  @Test("If the new token is the same text as the refused one, there is one refresh a minute")
  func sameText() async throws {
    repeatToken()
    for _ in 0..<20 {
      #expect(try await connector.accessToken().token == refused)
      await expectUnauthorized()
      await scene.clock.advance(by: .seconds(2))
    }
    scene.expectRefreshes(1)
    await scene.clock.advance(by: .seconds(21))
    await expectUnauthorized()
    scene.expectRefreshes(2)
  }

  @Test("Callers whose token was refused share a refresh, even if it brings the same text", arguments: [false, true])
  func refreshUnderWay(isSameText: Bool) async throws {
    if isSameText { repeatToken() }
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let call = { @Sendable in try await scene.token(of: connector, refusing: refused) }
    let first = Task { try await call() }
    await gate.waitForArrivals(1)
    let others = (0..<20).map { _ in Task { try await call() } }
    try await yielding { scene.count(.refreshShared) == 20 }
    gate.open()
    if isSameText {
      for call in others + [first] { await expectError(ConnectorError.self, .unauthorized) { try await call.value } }
    } else {
      let new = try await first.value
      #expect(new != refused)
      for call in others { #expect(try await call.value == new) }
    }
    scene.expectRefreshes(1)
  }

  @Test("A caller that joins a refresh never gets the token that it wants replaced, and the user is asked once")
  func joinedWithRefusedToken() async throws {
    let (cache, asked) = (SharedMemoryCache(), Locked(0))
    let stage = try await SignedInScene(Scene(cache: cache), after: 0) {
      $0.beforeRefresh = { _ in asked.withLock { $0 += 1 } }
    }
    let (scene, connector) = (stage.scene, stage.connector)
    let first = try #require(stage.alice.accessToken?.token)
    let key = try #require(await cache.keys().first)
    let holder = Task { try await cache.withRefreshLock(for: key, RefreshWork { try? await stage.gate.wait() }) }
    await stage.gate.waitForArrivals(1)
    let starter = Task { try await scene.token(of: connector, refusing: first) }
    try await yielding { scene.count(.cacheMiss) == 1 }
    let second = try #require(try await stage.signIn(at: stage.other(isElsewhere: false)).accessToken?.token)
    let joiner = Task { try await scene.token(of: connector, refusing: second) }
    try await yielding { scene.count(.refreshShared) == 1 }
    stage.gate.open()
    try await holder.value
    #expect(try await starter.value == second)
    #expect(![first, second].contains(try await joiner.value))
    #expect(asked.withLock { $0 } == 1)
  }

  @Test("A refused token does not come back when the one that has replaced it is refused")
  func refusedTwice() async throws {
    let narrow = [scene.tenant.apiScopes[0]]
    let second = try await scene.token(of: connector, scopes: narrow, refusing: refused)
    await scene.clock.advance(by: .seconds(61))
    let third = try await scene.token(of: connector, scopes: narrow, refusing: second)
    #expect(Set([refused, second, third]).count == 3)
  }

  @Test("A refused token gives way to a newer one that is stored, without a refresh")
  func newerTokenStored() async throws {
    let newer = Locked<Secret?>(nil)
    let token = try await scene.token(of: connector, refusing: refused) {
      let token = try await scene.connector().accessToken(forceRefresh: true).token
      newer.withLock { $0 = token }
    }
    #expect(token == newer.withLock { $0 })
    scene.expectRefreshes(1)
  }

  @Test("A refused token that expires at this moment is renewed, however long the server asked to wait")
  func expiredMeanwhile() async throws {
    await scene.clock.advance(by: .seconds(3_310))
    scene.refuseRefreshes(429, times: 1, retryAfter: 600)
    #expect(try await connector.accessToken().token == refused)
    let token = try await scene.token(of: connector, refusing: refused) {
      await scene.clock.advance(by: .seconds(290))
    }
    #expect(token != refused)
  }

  @Test("A refused token is not used again if its refresh fails or the clock was set back")
  func notUsedAgain() async throws {
    scene.refuseRefreshes(503, times: 1)
    await expectError(ConnectorError.self, .serviceUnavailable) {
      try await scene.token(of: connector, refusing: refused)
    }
    await scene.expire()
    let later = try await connector.accessToken().token
    let token = try await scene.token(of: connector, refusing: later) { scene.setBack.withLock { $0 = 3_000 } }
    #expect(![refused, later].contains(token))
  }
}
