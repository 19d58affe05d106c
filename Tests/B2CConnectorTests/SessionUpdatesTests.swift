import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// What observers of the session are told while a cache fails.
@Suite("The session's observers", .hangLimit)
struct SessionUpdatesTests {
  /// Alice, signed in, and the states that an observer of another process is told.
  private struct Stage {
    let cache = FailingCache()
    let scene: Scene
    let presenter: ScriptedPresenter
    let connector: Connector
    let alice: UserInfo
    let states = Recorder<SessionState>()

    init() async throws {
      scene = Scene(cache: cache, holdsTime: true)
      presenter = scene.script(.signIn(.alice))
      connector = try scene.connector(presenter: presenter)
      alice = try await connector.signIn().user
    }

    func observe(_ connector: Connector) -> Task<Void, Never> {
      let updates = connector.sessionUpdates
      return Task { [states] in for await state in updates { states.record(state) } }
    }
  }

  @Test("A first read that fails is tried again after 1, 5 and then every 30 seconds", arguments: 1...5)
  func firstRead(failures: Int) async throws {
    let stage = try await Stage()
    stage.cache.failsToList.withLock { $0 = true }
    let observer = stage.observe(try stage.scene.connector(cache: ForwardingCache(stage.cache)))
    let pauses = [1, 5, 30, 30, 30]
    for pause in pauses.prefix(failures - 1) {
      await stage.scene.clock.waitForSleepers()
      await stage.scene.clock.advance(by: .seconds(pause))
    }
    await stage.scene.clock.waitForSleepers()
    stage.cache.failsToList.withLock { $0 = false }
    await stage.scene.clock.advance(by: .milliseconds(pauses[failures - 1] * 1_000 - 1))
    for _ in 0..<200 { await Task.yield() }
    #expect(stage.states.values.isEmpty)
    await stage.scene.clock.advance(by: .milliseconds(1))
    try await yielding { stage.states.values == [.signedIn(stage.alice)] }
    observer.cancel()
  }

  @Test("A later read that fails tells nothing; what has changed meanwhile is told when it can be read")
  func laterRead() async throws {
    let stage = try await Stage()
    let observer = stage.observe(stage.connector)
    try await yielding { stage.states.values.count == 1 }
    stage.presenter.clearCookies()
    stage.presenter.follow(.signIn(.bob))
    stage.cache.readFailure.withLock { $0 = { _ in ConnectorError(.tokenCache, "Locked.", isRetryable: true) } }
    let bob = try await stage.connector.signIn().user
    await stage.scene.clock.waitForSleepers()
    #expect(stage.states.values == [.signedIn(stage.alice)])
    stage.cache.readFailure.withLock { $0 = { _ in nil } }
    await stage.scene.clock.advance(by: .seconds(1))
    try await yielding { stage.states.values == [.signedIn(stage.alice), .signedIn(bob)] }
    observer.cancel()
  }

  @Test("A sign-out is told when it is true: not one that the cache refuses")
  func refusedSignOut() async throws {
    let stage = try await Stage()
    let observer = stage.observe(stage.connector)
    try await yielding { stage.states.values.count == 1 }
    stage.cache.removeFailure.withLock { $0 = { _ in ConnectorError(.tokenCache, "The disk is full.") } }
    await expectError(ConnectorError.self, .tokenCache) { try await stage.connector.signOut() }
    for _ in 0..<200 { await Task.yield() }
    #expect(stage.states.values == [.signedIn(stage.alice)])
    stage.cache.removeFailure.withLock { $0 = { _ in nil } }
    try await stage.connector.signOut()
    try await yielding { stage.states.values == [.signedIn(stage.alice), .signedOut] }
    observer.cancel()
  }

  @Test("An observer that has gone is read for no more")
  func gone() async throws {
    let stage = try await Stage()
    stage.cache.failsToList.withLock { $0 = true }
    let observer = stage.observe(try stage.scene.connector(cache: ForwardingCache(stage.cache)))
    await stage.scene.clock.waitForSleepers()
    observer.cancel()
    await observer.value
    let reads = Locked(0)
    stage.cache.failsToList.withLock { $0 = false }
    stage.cache.readFailure.withLock {
      $0 = { _ in
        reads.withLock { $0 += 1 }; return nil
      }
    }
    await stage.scene.clock.advance(by: .seconds(600))
    for _ in 0..<200 { await Task.yield() }
    #expect(reads.withLock { $0 } == 0)
  }

  @Test("Users who differ by their id alone are two states")
  func idAlone() async throws {
    let kept: Set = ["iss", "sub", "aud", "exp", "iat", "nonce"]
    let scene = Scene(shape: .openIDConnect) {
      $0.changeIDTokenClaims = { claims in claims = claims.filter { kept.contains($0.key) } }
    }
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    let alice = try await connector.signIn().user
    var states = connector.sessionUpdates.makeAsyncIterator()
    #expect(await states.next() == .signedIn(alice))
    presenter.follow(.signIn(.bob))
    let bob = try await connector.signIn(options: SignInOptions(prompt: .login)).user
    #expect(alice.name == nil && bob.name == nil)
    #expect(await states.next() == .signedIn(bob))
  }
}
