import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Which token replaces one that an API has refused.
@Suite("The token after a refused one", .hangLimit)
struct ReplacedTokenTests {
  /// A scene, a connector at which Alice has signed in, and her token.
  private func signedIn(cache: any TokenCache = .memory()) async throws -> (Scene, Connector, Secret) {
    let scene = Scene(cache: cache)
    let connector = try await scene.signedIn()
    return (scene, connector, try await connector.accessToken().token)
  }

  @Test("A caller whose token was refused waits for the refresh that another has begun")
  func refreshUnderWay() async throws {
    let (scene, connector, refused) = try await signedIn()
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let first = Task { try await scene.token(of: connector, refusing: refused) }
    await gate.waitForArrivals(1)
    let second = Task { try await scene.token(of: connector, refusing: refused) }
    try await yielding { scene.events.values.contains { $0.step == .refreshShared } }
    gate.open()
    let new = try await first.value
    #expect(try await second.value == new && new != refused)
    #expect(scene.tenant.counters.refreshes == 1)
  }

  @Test("A caller that joins a refresh is not given the very token it wants replaced")
  func joinedWithRefusedToken() async throws {
    let cache = SharedMemoryCache()
    let (scene, connector, first) = try await signedIn(cache: cache)
    let key = try #require(await cache.keys().first)
    let held = TestGate()
    let holder = Task { try await cache.withRefreshLock(for: key, RefreshWork { try? await held.wait() }) }
    await held.waitForArrivals(1)
    let starter = Task { try await scene.token(of: connector, refusing: first) }
    try await yielding { scene.events.values.contains { $0.step == .cacheMiss } }
    let login = SignInOptions(prompt: .login)
    let second = try #require(try await scene.connector().signIn(options: login).accessToken?.token)
    let joiner = Task { try await scene.token(of: connector, refusing: second) }
    try await yielding { scene.events.values.contains { $0.step == .refreshShared } }
    held.open()
    try await holder.value
    #expect(try await starter.value == second)
    #expect(![first, second].contains(try await joiner.value))
  }

  @Test("A token that was refused first does not come back when the one that replaced it is refused")
  func refusedTwice() async throws {
    let (scene, connector, first) = try await signedIn()
    let narrow = [scene.tenant.apiScopes[0]]
    let second = try await scene.token(of: connector, scopes: narrow, refusing: first)
    await scene.clock.advance(by: .seconds(61))
    let third = try await scene.token(of: connector, scopes: narrow, refusing: second)
    #expect(Set([first, second, third]).count == 3)
  }

  @Test("A token that was replaced holds back no refresh for another user, nor for another API")
  func refusedOfTwo() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    let alice = try await connector.signIn().user
    presenter.follow(.signIn(.bob))
    let bob = try await connector.signIn(options: SignInOptions(prompt: .login)).user
    let other = [LocalTenant.standardClientID]
    _ = try await connector.accessToken(scopes: other, user: bob)
    await scene.clock.advance(by: .seconds(61))
    for (user, scopes) in [(alice, nil), (bob, nil), (bob, other)] {
      let refused = try await connector.accessToken(scopes: scopes, user: user).token
      #expect(try await scene.token(of: connector, scopes: scopes, user: user, refusing: refused) != refused)
    }
  }

  @Test("An API costs one refresh a minute whose new token is the same text as the one that it has refused")
  func sameText() async throws {
    let (scene, connector, first) = try await signedIn()
    scene.tenant.behavior.changeTokenAnswer = { $0["access_token"] = .string(first.value) }
    for _ in 0..<20 {
      #expect(try await connector.accessToken().token == first)
      await expectError(ConnectorError.self, .unauthorized) { try await scene.token(of: connector, refusing: first) }
      await scene.clock.advance(by: .seconds(2))
    }
    #expect(scene.tenant.counters.refreshes == 1)
    await scene.clock.advance(by: .seconds(21))
    await expectError(ConnectorError.self, .unauthorized) { try await scene.token(of: connector, refusing: first) }
    #expect(scene.tenant.counters.refreshes == 2)
  }

  @Test("Nor do callers at the same time start one after another for the same text")
  func sameTextAtOnce() async throws {
    let (scene, connector, first) = try await signedIn()
    scene.tenant.behavior.changeTokenAnswer = { $0["access_token"] = .string(first.value) }
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let calls = (0..<20).map { _ in Task { try await scene.token(of: connector, refusing: first) } }
    try await yielding { scene.events.values.count { $0.step == .refreshShared } == 19 }
    gate.open()
    for call in calls { await expectError(ConnectorError.self, .unauthorized) { try await call.value } }
    #expect(scene.tenant.counters.refreshes == 1)
  }

  @Test("A refused token that has expired meanwhile is renewed, whatever the server asked to wait")
  func refusedAndExpired() async throws {
    let (scene, connector, first) = try await signedIn()
    await scene.clock.advance(by: .seconds(3_310))
    let busy = LocalResponse(status: 429, headers: ["Retry-After": "600"])
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .respond(busy))]
    #expect(try await connector.accessToken().token == first)
    let token = try await scene.token(of: connector, refusing: first) { await scene.clock.advance(by: .seconds(400)) }
    #expect(token != first)
  }

  @Test("A refused token gives way to a newer one that is stored, without a refresh")
  func newerTokenStored() async throws {
    let (scene, connector, refused) = try await signedIn()
    let newer = Locked<Secret?>(nil)
    let token = try await scene.token(of: connector, refusing: refused) {
      let token = try await scene.connector().accessToken(forceRefresh: true).token
      newer.withLock { $0 = token }
    }
    #expect(token == newer.withLock { $0 })
    #expect(scene.tenant.counters.refreshes == 1)
  }

  @Test("A token that the API has refused is not served again because its refresh failed")
  func failedRefresh() async throws {
    let (scene, connector, refused) = try await signedIn()
    scene.transport.answerTokens(503, "")
    await expectError(ConnectorError.self, .serviceUnavailable) {
      try await scene.token(of: connector, refusing: refused)
    }
    scene.transport.letEverythingPass()
    await scene.clock.advance(by: .seconds(61))
    #expect(try await scene.token(of: connector, refusing: refused) != refused)
  }

  @Test("A refused token is not served again when the clock was set back")
  func clockSetBack() async throws {
    let (scene, connector, _) = try await signedIn()
    await scene.clock.advance(by: .seconds(4_000))
    let refused = try await connector.accessToken().token
    let token = try await scene.token(of: connector, refusing: refused) { scene.setBack.withLock { $0 = 3_000 } }
    #expect(token != refused)
  }
}
