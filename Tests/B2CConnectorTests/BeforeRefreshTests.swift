import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// An app that asks its user before a refresh token is used.
@Suite("Asking the user before a refresh", .hangLimit)
struct BeforeRefreshTests {
  typealias Question = @Sendable (UserInfo) async throws -> Void
  private struct Refused: Error {}

  /// Alice, whose tokens for two sets of scopes have some seconds left, and a connector that asks her.
  private struct Stage {
    let scene: Scene
    let connector: Connector
    let asked: Recorder<UserInfo>
    private let sentBefore: Int

    init(
      left seconds: Double, cache: any TokenCache = .memory(), limits: TransportLimits = .patient,
      _ answer: @escaping Question = { _ in }, behavior: (inout LocalTenant.Behavior) -> Void = { _ in }
    ) async throws {
      let asked = Recorder<UserInfo>()
      self.asked = asked
      scene = Scene(cache: cache, limits: limits, behavior: behavior)
      _ = try await scene.signedIn().accessToken(scopes: SignedInScene.otherScopes)
      await scene.clock.advance(by: .seconds(3_600 - seconds))
      sentBefore = scene.tenant.counters.refreshRequests
      connector = try scene.connector { options in
        options.beforeRefresh = { user in
          asked.record(user)
          try await answer(user)
        }
      }
    }

    /// The refreshes since Alice's last one.
    var sent: Int { scene.tenant.counters.refreshRequests - sentBefore }

    /// Starts calls in turn without and with other scopes and claims, and returns when all wait for the user.
    func start(_ count: Int) async throws -> [Task<AccessToken, any Error>] {
      let shared = scene.count(.refreshShared)
      let calls = (0..<count).map { number in
        Task {
          try await connector.accessToken(
            scopes: number % 3 == 1 ? SignedInScene.otherScopes : nil,
            claims: number % 3 == 2 ? SignedInScene.claims : nil)
        }
      }
      // Each of the three refreshes is begun by one call, and joined by all others.
      try await yielding { scene.count(.refreshShared) - shared == count - 3 }
      // Nothing tells that the second and the third refresh have joined the question of the first.
      for _ in 0..<50 { await yieldOften() }
      return calls
    }
  }

  // MARK: When

  @Test(
    "A token is renewed in its last minute only, and the user is not asked before, even if the server suggests it",
    arguments: [(61.0, nil, 0), (59.0, nil, 1), (1_000, 600, 0)] as [(Double, JSONValue?, Int)])
  func lastMinute(left: Double, refreshIn: JSONValue?, questions: Int) async throws {
    let stage = try await Stage(left: left, behavior: { $0.changeTokenAnswer = { $0["refresh_in"] = refreshIn } })
    _ = try await stage.connector.accessToken()
    #expect(stage.asked.values.count == questions)
  }

  @Test("While the user is asked, no lock of other processes is held")
  func unlockedQuestion() async throws {
    let (gate, tries) = (TestGate(), Locked(0))
    let cache = SharedMemoryCache { work in
      tries.withLock { $0 += 1 }
      await work()
    }
    let stage = try await Stage(left: -1, cache: cache) { _ in try await gate.wait() }
    let before = tries.withLock { $0 }
    let call = Task { try await stage.connector.accessToken() }
    await gate.waitForArrivals(1)
    await yieldOften()
    #expect(tries.withLock { $0 } == before)
    gate.open()
    _ = try await call.value
    #expect(tries.withLock { $0 } == before + 1)
  }

  @Test("The time limit of a call begins when the user has answered")
  func limitAfterTheAnswer() async throws {
    let gate = TestGate()
    let stage = try await Stage(left: -400, limits: .standard) { _ in try await gate.wait() }
    let never = stage.scene.transport.hang(at: .token)
    let call = Task { try await stage.connector.accessToken() }
    await gate.waitForArrivals(1)
    await stage.scene.clock.advance(by: .seconds(7_200))
    #expect(never.arrivals == 0)
    let start = stage.scene.clock.now
    gate.open()
    await expectError(ConnectorError.self, .timedOut) { _ = try await call.value }
    // The refresh itself is given up after 60 seconds.
    #expect((Duration.seconds(31)..<Duration.seconds(60)).contains(start.duration(to: stage.scene.clock.now)))
  }

  @Test("A user who never answers does not prevent close()")
  func closing() async throws {
    let gate = TestGate()
    let stage = try await Stage(left: 0) { _ in try await gate.wait() }
    let call = Task { try await stage.connector.accessToken() }
    await gate.waitForArrivals(1)
    await stage.connector.close()
    gate.open()
    _ = try await call.value
  }

  // MARK: How often

  @Test("Thirty callers of two connectors ask the user once, before anything is sent")
  func once() async throws {
    let gate = TestGate()
    let stage = try await Stage(left: 0) { _ in try await gate.wait() }
    let second = try stage.scene.connector { [asked = stage.asked] in
      $0.beforeRefresh = { user in
        asked.record(user)
        try await gate.wait()
      }
    }
    async let tokens = simultaneously(30) { number in
      try await (number % 2 == 0 ? stage.connector : second).accessToken().token
    }
    // The first caller's question begins in a task of its own, maybe after the others have joined it.
    await gate.waitForArrivals(1)
    try await yielding { stage.scene.count(.refreshShared) == 29 }
    #expect(stage.asked.values.map(\.username) == [LocalUser.alice.email] && stage.sent == 0)
    gate.open()
    #expect(Set(try await tokens).count == 1)
    #expect(stage.asked.values.count == 1 && stage.sent == 1)
  }

  @Test("The user is asked once, however many sets of scopes and claims wait for the answer")
  func oneQuestion() async throws {
    let gate = TestGate()
    let stage = try await Stage(left: -1) { _ in try await gate.wait() }
    let calls = try await stage.start(120)
    await gate.waitForArrivals(1)
    #expect(stage.asked.values.count == 1 && stage.sent == 0)
    gate.open()
    for call in calls { _ = try await call.value }
    // The token that was requested with claims may arrive first, and then it is also used for the calls without claims.
    #expect(stage.asked.values.count == 1 && (2...3).contains(stage.sent))
  }

  @Test("Two users are asked separately")
  func twoUsers() async throws {
    let (gate, asked) = (TestGate(), Recorder<UserInfo>())
    let stage = try await SignedInScene(after: 0) {
      $0.beforeRefresh = { user in
        asked.record(user)
        try await gate.wait()
      }
    }
    let users = [stage.alice.user, try await stage.signIn(.bob).user]
    await stage.scene.expire()
    let calls = (users + users).map { user in Task { try await stage.connector.accessToken(user: user) } }
    await gate.waitForArrivals(2)
    #expect(Set(asked.values.map(\.id)) == Set(users.map(\.id)))
    gate.open()
    for (call, user) in zip(calls, users + users) { #expect(try await call.value.userID == user.id) }
    #expect(gate.arrivals == 2)
  }

  @Test("A caller that is cancelled while the user is asked leaves alone, and the others get the token")
  func cancelled() async throws {
    let gate = TestGate()
    let stage = try await Stage(left: 0) { _ in try await gate.wait() }
    let leaving = Task { try await stage.connector.accessToken() }
    await gate.waitForArrivals(1)
    let staying = Task { try await stage.connector.accessToken() }
    leaving.cancel()
    await #expect(throws: CancellationError.self) { try await leaving.value }
    gate.open()
    _ = try await staying.value
    #expect(stage.asked.values.count == 1)
  }

  // MARK: No

  @Test("If the user refuses, a token that has not expired is used, and the user is not asked again for a minute")
  func refusedWhileValid() async throws {
    let stage = try await Stage(left: 50) { _ in throw Refused() }
    for _ in 1...3 { _ = try await stage.connector.accessToken() }
    #expect(stage.asked.values.count == 1 && stage.sent == 0)
  }

  @Test("If the user refuses, every waiting call ends, nothing is sent or lost, and the next call asks again")
  func refused() async throws {
    let (gate, refuses) = (TestGate(), Locked(true))
    let stage = try await Stage(left: -1) { _ in
      try await gate.wait()
      if refuses.withLock({ $0 }) { throw Refused() }
    }
    let calls = try await stage.start(12)
    gate.open()
    for call in calls {
      let error = try await #require(throws: ConnectorError.self) { _ = try await call.value }
      #expect(error.code == .userCancelled && error.underlying is Refused && !error.needsInteraction)
    }
    #expect(stage.asked.values.count == 1 && stage.sent == 0)
    #expect(try await stage.connector.users().first?.hasSession == true)
    refuses.withLock { $0 = false }
    _ = try await stage.connector.accessToken()
    #expect(stage.asked.values.count == 2 && stage.sent == 1)
  }

  @Test("A refusal of the user does not end the longer wait that a server has asked for")
  func refusalAndWait() async throws {
    let refuses = Locked(false)
    let stage = try await Stage(left: 280) { _ in if refuses.withLock({ $0 }) { throw Refused() } }
    let busy = LocalResponse(status: 429, headers: ["Retry-After": "270"])
    stage.scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .respond(busy))]
    for code in [ErrorCode.throttled, .userCancelled] {
      await expectError(ConnectorError.self, code) { try await stage.connector.accessToken(forceRefresh: true) }
      await stage.scene.clock.advance(by: .seconds(10))
      refuses.withLock { $0 = true }
    }
    // In its last minute the token would be renewed.
    await stage.scene.clock.advance(by: .seconds(210))
    _ = try await stage.connector.accessToken()
    #expect(stage.asked.values.count == 2)
  }
}
