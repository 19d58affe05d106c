import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// An app that asks its user before a refresh token is used.
@Suite("Asking the user before a refresh", .hangLimit)
struct BeforeRefreshTests {
  private struct Refused: Error {}

  /// Alice, whose tokens for two sets of scopes have some seconds left, and two connectors over one cache that ask her.
  private struct Stage {
    let signedIn: SignedInScene
    let connectors: [Connector]
    let asked = Recorder<UserInfo>()
    /// Alice answers when the gate opens.
    let gate = TestGate()
    let refuses = Locked(false)
    private let sentBefore: Int

    var scene: Scene { signedIn.scene }
    /// The refreshes since the connectors that ask were made.
    var sent: Int { scene.tenant.counters.refreshRequests - sentBefore }

    init(left seconds: Double, _ scene: Scene = Scene()) async throws {
      signedIn = try await SignedInScene(scene, after: 0)
      _ = try await signedIn.connector.accessToken(scopes: SignedInScene.otherScopes)
      await scene.clock.advance(by: .seconds(3_600 - seconds))
      sentBefore = scene.tenant.counters.refreshRequests
      connectors = try (0..<2).map { [asked, gate, refuses] _ in
        try scene.connector {
          $0.beforeRefresh = { user in
            asked.record(user)
            try await gate.wait()
            if refuses.withLock({ $0 }) { throw Refused() }
          }
        }
      }
    }

    /// Starts a call, and returns when Alice is asked.
    func ask() async -> Task<AccessToken, any Error> {
      let call = Task { try await connectors[0].accessToken() }
      await gate.waitForArrivals(1)
      return call
    }

    /// Starts calls of both connectors, without and with other scopes and claims, and returns when all wait for Alice.
    func askAll(_ count: Int) async throws -> [Task<AccessToken, any Error>] {
      let calls = (0..<count).map { number in
        Task {
          try await connectors[number % 2].accessToken(
            scopes: number % 3 == 1 ? SignedInScene.otherScopes : nil,
            claims: number % 3 == 2 ? SignedInScene.claims : nil)
        }
      }
      // Each of the three refreshes is begun by one call, and joined by all others.
      try await yielding { scene.count(.refreshShared) == count - 3 }
      await gate.waitForArrivals(1)
      // Nothing tells that the second and the third refresh have joined the question of the first.
      for _ in 0..<50 { await yieldOften() }
      return calls
    }
  }

  @Test(
    "A token is renewed in its last minute only, and the user is not asked before, even if the server suggests it",
    arguments: [(61.0, nil, 0), (59.0, nil, 1), (1_000, 600, 0)] as [(Double, JSONValue?, Int)])
  func lastMinute(left: Double, refreshIn: JSONValue?, questions: Int) async throws {
    let stage = try await Stage(left: left, Scene { $0.changeTokenAnswer = { $0["refresh_in"] = refreshIn } })
    stage.gate.open()
    _ = try await stage.connectors[0].accessToken()
    #expect(stage.asked.values.count == questions)
  }

  @Test("While the user is asked, no lock of other processes is held")
  func unlockedQuestion() async throws {
    let tries = Locked(0)
    let cache = SharedMemoryCache { work in
      tries.withLock { $0 += 1 }
      await work()
    }
    let stage = try await Stage(left: -1, Scene(cache: cache))
    let before = tries.withLock { $0 }
    let call = await stage.ask()
    await yieldOften()
    #expect(tries.withLock { $0 } == before)
    stage.gate.open()
    _ = try await call.value
    #expect(tries.withLock { $0 } == before + 1)
  }

  @Test("The time limit of a call begins when the user has answered")
  func limitAfterTheAnswer() async throws {
    let stage = try await Stage(left: -400, Scene(limits: .standard))
    let (clock, never) = (stage.scene.clock, stage.scene.transport.hang(at: .token))
    let call = await stage.ask()
    await clock.advance(by: .seconds(7_200))
    #expect(never.arrivals == 0)
    let start = clock.now
    stage.gate.open()
    await expectError(ConnectorError.self, .timedOut) { _ = try await call.value }
    // The refresh itself is given up after 60 seconds.
    #expect((Duration.seconds(31)..<Duration.seconds(60)).contains(start.duration(to: clock.now)))
  }

  @Test("While the user is asked, a caller that is cancelled leaves alone, and close() does not wait")
  func leaving() async throws {
    let stage = try await Stage(left: 0)
    let leaving = await stage.ask()
    let staying = Task { try await stage.connectors[0].accessToken() }
    leaving.cancel()
    await #expect(throws: CancellationError.self) { try await leaving.value }
    await stage.connectors[0].close()
    stage.gate.open()
    _ = try await staying.value
    #expect(stage.asked.values.count == 1)
  }

  @Test("The user is asked once, however many connectors and sets of scopes and claims wait for the answer")
  func oneQuestion() async throws {
    let stage = try await Stage(left: -1)
    let calls = try await stage.askAll(120)
    #expect(stage.asked.values.map(\.username) == [LocalUser.alice.email] && stage.sent == 0)
    stage.gate.open()
    var tokens: Set<Secret> = []
    for call in calls { tokens.insert(try await call.value.token) }
    // The token that was requested with claims may arrive first, and then it is also used for the calls without claims.
    #expect((2...3).contains(stage.sent) && tokens.count == stage.sent)
    #expect(stage.asked.values.count == 1)
  }

  @Test("Two users are asked separately")
  func twoUsers() async throws {
    let stage = try await Stage(left: -1)
    let users = [stage.signedIn.alice.user, try await stage.signedIn.signIn(.bob).user]
    await stage.scene.expire()
    let calls = (users + users).map { user in Task { try await stage.connectors[0].accessToken(user: user) } }
    await stage.gate.waitForArrivals(2)
    #expect(Set(stage.asked.values.map(\.id)) == Set(users.map(\.id)))
    stage.gate.open()
    for (call, user) in zip(calls, users + users) { #expect(try await call.value.userID == user.id) }
    #expect(stage.asked.values.count == 2)
  }

  @Test("If the user refuses, a token that has not expired is used, and the user is not asked again for a minute")
  func refusedWhileValid() async throws {
    let stage = try await Stage(left: 50)
    stage.refuses.withLock { $0 = true }
    stage.gate.open()
    for _ in 1...3 { _ = try await stage.connectors[0].accessToken() }
    #expect(stage.asked.values.count == 1 && stage.sent == 0)
  }

  @Test("If the user refuses, every waiting call ends, nothing is sent or lost, and the next call asks again")
  func refused() async throws {
    let stage = try await Stage(left: -1)
    stage.refuses.withLock { $0 = true }
    let calls = try await stage.askAll(12)
    stage.gate.open()
    for call in calls {
      let error = try await #require(throws: ConnectorError.self) { _ = try await call.value }
      #expect(error.code == .userCancelled && error.underlying is Refused && !error.needsInteraction)
    }
    #expect(stage.asked.values.count == 1 && stage.sent == 0)
    #expect(try await stage.connectors[0].users().first?.hasSession == true)
    stage.refuses.withLock { $0 = false }
    _ = try await stage.connectors[0].accessToken()
    #expect(stage.asked.values.count == 2 && stage.sent == 1)
  }

  @Test("A refusal of the user does not end the longer wait that a server has asked for")
  func refusalAndWait() async throws {
    let stage = try await Stage(left: 280)
    stage.gate.open()
    stage.scene.refuseRefreshes(429, times: 1, retryAfter: 270)
    for code in [ErrorCode.throttled, .userCancelled] {
      await expectError(ConnectorError.self, code) { try await stage.connectors[0].accessToken(forceRefresh: true) }
      await stage.scene.clock.advance(by: .seconds(10))
      stage.refuses.withLock { $0 = true }
    }
    // In its last minute the token would be renewed.
    await stage.scene.clock.advance(by: .seconds(210))
    _ = try await stage.connectors[0].accessToken()
    #expect(stage.asked.values.count == 2)
  }
}
