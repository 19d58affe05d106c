import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The token that replaces one that an API has refused.
@Suite("The token after a refused one", .hangLimit)
struct ReplacedTokenTests {
  private static let refusal = LocalResponse(status: 401, headers: ["WWW-Authenticate": "Bearer"])

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

  // MARK: At most once a minute

  @Test("Against an API that refuses every token, twenty calls make one refresh a minute and send no token twice")
  func refusesAll() async throws {
    scene.tasks.faults = [LocalFault(.respond(Self.refusal))]
    for minute in 1...3 {
      for number in 0..<20 {
        let before = scene.tasks.requests.count
        let error = try await #require(throws: ConnectorError.self) { try await connector.getTaskList() }
        #expect(error.code == .unauthorized)
        let tries = scene.tasks.requests.count - before
        #expect(tries == (number == 0 ? 2 : 1))
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

  @Test("If the new token is the same text as the refused one, there is one refresh a minute")
  func sameText() async throws {
    scene.tenant.behavior.changeTokenAnswer = { [refused] in $0["access_token"] = .string(refused.value) }
    for _ in 0..<20 {
      #expect(try await connector.accessToken().token == refused)
      await expectError(ConnectorError.self, .unauthorized) { try await scene.token(of: connector, refusing: refused) }
      await scene.clock.advance(by: .seconds(2))
    }
    scene.expectRefreshes(1)
    await scene.clock.advance(by: .seconds(21))
    await expectError(ConnectorError.self, .unauthorized) { try await scene.token(of: connector, refusing: refused) }
    scene.expectRefreshes(2)
  }

  @Test("If the new token is the same text, callers at the same time do not refresh one after another")
  func sameTextAtOnce() async throws {
    scene.tenant.behavior.changeTokenAnswer = { [refused] in $0["access_token"] = .string(refused.value) }
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let calls = (0..<20).map { _ in Task { try await scene.token(of: connector, refusing: refused) } }
    try await yielding { scene.count(.refreshShared) == 19 }
    gate.open()
    for call in calls { await expectError(ConnectorError.self, .unauthorized) { try await call.value } }
    scene.expectRefreshes(1)
  }

  // MARK: Which token

  @Test("A caller whose token was refused waits for the refresh that another one has begun")
  func refreshUnderWay() async throws {
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let first = Task { try await scene.token(of: connector, refusing: refused) }
    await gate.waitForArrivals(1)
    let second = Task { try await scene.token(of: connector, refusing: refused) }
    try await yielding { scene.count(.refreshShared) == 1 }
    gate.open()
    let new = try await first.value
    #expect(try await second.value == new && new != refused)
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
    let held = TestGate()
    let holder = Task { try await cache.withRefreshLock(for: key, RefreshWork { try? await held.wait() }) }
    await held.waitForArrivals(1)
    let starter = Task { try await scene.token(of: connector, refusing: first) }
    try await yielding { scene.count(.cacheMiss) == 1 }
    let second = try #require(try await stage.signIn(at: stage.other(isElsewhere: false)).accessToken?.token)
    let joiner = Task { try await scene.token(of: connector, refusing: second) }
    try await yielding { scene.count(.refreshShared) == 1 }
    held.open()
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

  @Test("A refused token that has expired meanwhile is renewed, however long the server asked to wait")
  func expiredMeanwhile() async throws {
    await scene.clock.advance(by: .seconds(3_310))
    let busy = LocalResponse(status: 429, headers: ["Retry-After": "600"])
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .respond(busy))]
    #expect(try await connector.accessToken().token == refused)
    let token = try await scene.token(of: connector, refusing: refused) {
      await scene.clock.advance(by: .seconds(400))
    }
    #expect(token != refused)
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

  @Test("A refused token is not used again if its refresh fails")
  func failedRefresh() async throws {
    scene.transport.answerTokens(503, "")
    await expectError(ConnectorError.self, .serviceUnavailable) {
      try await scene.token(of: connector, refusing: refused)
    }
    scene.transport.letEverythingPass()
    await scene.clock.advance(by: .seconds(61))
    #expect(try await scene.token(of: connector, refusing: refused) != refused)
  }

  @Test("A refused token is not used again if the clock was set back")
  func clockSetBack() async throws {
    await scene.expire()
    let later = try await connector.accessToken().token
    let token = try await scene.token(of: connector, refusing: later) { scene.setBack.withLock { $0 = 3_000 } }
    #expect(token != later)
  }
}
