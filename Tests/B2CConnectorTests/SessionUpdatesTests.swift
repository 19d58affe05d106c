import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The states that observers of the session get, also while the cache fails.
@Suite("The session's observers", .hangLimit)
struct SessionUpdatesTests {
  private let cache = FailingCache()
  private let stage: SignedInScene
  private var scene: Scene { stage.scene }
  private var connector: Connector { stage.connector }
  private var alice: UserInfo { stage.alice.user }

  init() async throws { stage = try await SignedInScene(Scene(cache: cache, holdsTime: true), after: 0) }

  /// Ends every session at the provider, and lets the access tokens expire.
  private func revoke() async {
    scene.tenant.revokeGrants()
    await scene.expire()
  }

  /// The states of a connector, of which the first has been read.
  private func states(
    of connector: Connector? = nil, after first: SessionState? = nil
  ) async -> AsyncStream<SessionState>.Iterator {
    var states = (connector ?? self.connector).sessionUpdates.makeAsyncIterator()
    #expect(await states.next() == first ?? .signedIn(alice))
    return states
  }

  // MARK: What is told

  @Test("Updates begin with the present state and tell each change once, also a profile edit")
  func updates() async throws {
    var states = await states()
    // Nothing changes, so nothing is told.
    _ = try await connector.getTaskList()
    await revoke()
    for _ in 0..<2 { _ = try? await connector.accessToken() }
    #expect(await states.next() == .expired(alice.expired))
    let again = try await stage.signIn().user
    #expect(await states.next() == .signedIn(again))
    let bob = try await stage.signIn(.bob).user
    #expect(await states.next() == .signedIn(bob))
    try await connector.signOut(bob)
    #expect(await states.next() == .signedIn(again))
    try await connector.signOut()
    #expect(await states.next() == .signedOut)
    states = await self.states(after: .signedOut)
    let last = try await stage.signIn().user
    #expect(await states.next() == .signedIn(last))
    stage.presenter.follow(.editProfile(displayName: "Renamed"))
    try await connector.signIn(policy: Policy(id: "B2C_1_EditProfile", kind: .profileEdit))
    #expect(await states.next()?.user?.name == "Renamed")
  }

  @Test("A refresh is no change, unless a claim about the user has changed")
  func refreshes() async throws {
    var states = await states()
    for name in [alice.name, alice.name, "Renamed"] {
      scene.tenant.behavior.changeIDTokenClaims = { claims in
        claims["name"] = name.map(JSONValue.string)
        // Entra ID writes others into each id_token.
        for claim in ["aio", "rh", "uti"] { claims[claim] = .string(UUID().uuidString) }
      }
      await scene.expire()
      _ = try await connector.accessToken()
      #expect(try await connector.fetchUserInfo().name == name)
      await yieldOften()
    }
    let renamed = try #require(await states.next())
    #expect(renamed.user?.name == "Renamed" && renamed.user?.hasSession == true)
  }

  @Test("Users who differ in their id alone are two states")
  func idAlone() async throws {
    let kept: Set = ["iss", "sub", "aud", "exp", "iat", "nonce"]
    let scene = Scene(shape: .openIDConnect) {
      $0.changeIDTokenClaims = { claims in claims = claims.filter { kept.contains($0.key) } }
    }
    let stage = try await SignedInScene(scene, after: 0)
    var states = await states(of: stage.connector, after: .signedIn(stage.alice.user))
    let bob = try await stage.signIn(.bob).user
    #expect(stage.alice.user.name == nil && bob.name == nil)
    #expect(await states.next() == .signedIn(bob))
  }

  enum End: CaseIterable { case signOut, refusal, noRefreshToken }
  enum Reader: CaseIterable { case call, callOfUser, session }

  @Test("The end of a session elsewhere is told by a call and by `session`", arguments: End.allCases, Reader.allCases)
  func endedElsewhere(_ end: End, _ reader: Reader) async throws {
    var states = await states()
    switch end {
    case .signOut: try await stage.other().signOut()
    case .refusal:
      await revoke()
      _ = try? await stage.other().accessToken()
    case .noRefreshToken:
      let key = try #require(try await cache.keys().first)
      var record = try await scene.record()
      (record.refreshToken, record.stamp) = (nil, UUID())
      try await cache.store(record, for: key)
      await scene.expire()
    }
    let ended: SessionState = end == .signOut ? .signedOut : .expired(alice.expired)
    if reader == .session {
      #expect(try await connector.session == ended)
    } else {
      await expectError(ConnectorError.self, .interactionRequired) {
        try await connector.accessToken(user: reader == .call ? nil : alice)
      }
    }
    #expect(await states.next() == ended)
  }

  @Test("If a look-up finds that another process has signed another user in, observers are told")
  func foundByLookUp() async throws {
    var states = await states()
    let other = try stage.other()
    let bob = try await stage.signIn(.bob, at: other).user
    try await other.signOut(alice)
    // The call finds no record of Alice, looks at all records and finds Bob's.
    #expect(try await connector.accessToken().userID == bob.id)
    #expect(await states.next() == .signedIn(bob))
  }

  // MARK: A cache that fails

  /// Collects the states of a connector until the task is cancelled.
  private func observe(_ connector: Connector) -> (Recorder<SessionState>, Task<Void, Never>) {
    let (states, updates) = (Recorder<SessionState>(), connector.sessionUpdates)
    return (states, Task { for await state in updates { states.record(state) } })
  }

  private func failReads(_ fails: Bool = true) {
    cache.readFailure.withLock {
      $0 = { _ in fails ? ConnectorError(.tokenCache, "Locked.", isRetryable: true) : nil }
    }
  }

  @Test("A read that fails tells nothing and is repeated after 1, 5 and then every 30 seconds", arguments: 1...5)
  func failedReads(failures: Int) async throws {
    failReads()
    let other = try stage.other()
    let (states, observer) = observe(other)
    let pauses = [1, 5, 30, 30, 30]
    for pause in pauses.prefix(failures - 1) {
      await scene.clock.waitForSleepers()
      await scene.clock.advance(by: .seconds(pause))
    }
    await scene.clock.waitForSleepers()
    failReads(false)
    await scene.clock.advance(by: .milliseconds(pauses[failures - 1] * 1_000 - 1))
    await yieldOften()
    #expect(states.values.isEmpty)
    await scene.clock.advance(by: .milliseconds(1))
    try await yielding { states.values == [.signedIn(alice)] }
    // After a read that succeeds, the pauses begin with one second again.
    failReads()
    let bob = try await stage.signIn(.bob, at: other).user
    await scene.clock.waitForSleepers()
    #expect(states.values == [.signedIn(alice)])
    failReads(false)
    await scene.clock.advance(by: .seconds(1))
    try await yielding { states.values == [.signedIn(alice), .signedIn(bob)] }
    observer.cancel()
  }

  @Test("After an observer has gone, nothing is read for it")
  func gone() async throws {
    failReads()
    let (_, observer) = observe(try stage.other())
    await scene.clock.waitForSleepers()
    observer.cancel()
    await observer.value
    let reads = Locked(0)
    cache.readFailure.withLock {
      $0 = { _ in
        reads.withLock { $0 += 1 }
        return nil
      }
    }
    await scene.clock.advance(by: .seconds(600))
    await yieldOften()
    #expect(reads.withLock { $0 } == 0)
  }
}
