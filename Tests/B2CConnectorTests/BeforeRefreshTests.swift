import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// An app that asks its user before a refresh token is used: how often, for whom, and what the answer means.
@Suite("Asking the user before a refresh", .hangLimit)
struct BeforeRefreshTests {
  typealias Question = @Sendable (UserInfo) async throws -> Void
  private struct Refused: Error {}

  private static let otherScopes = [LocalTenant.standardClientID]
  private static let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1767225600"}}}"#

  /// Alice, whose tokens for two sets of scopes have some seconds left, and a connector that asks her.
  private struct Stage {
    let scene: Scene
    let connector: Connector
    /// Who was asked.
    let asked = Recorder<UserInfo>()
    /// The token requests and the calls without a token so far.
    private let before: (sent: Int, misses: Int)

    init(
      left seconds: Double, cache: any TokenCache = .memory(), limits: TransportLimits = .patient,
      _ answer: @escaping Question = { _ in }, behavior: (inout LocalTenant.Behavior) -> Void = { _ in }
    ) async throws {
      scene = Scene(cache: cache, limits: limits, behavior: behavior)
      _ = try await scene.signedIn().accessToken(scopes: otherScopes)
      await scene.clock.advance(by: .seconds(3_600 - seconds))
      before = (scene.transport.tokenForms.count, Self.misses(scene))
      connector = try scene.connector { [asked] in
        $0.beforeRefresh = { user in
          asked.record(user)
          try await answer(user)
        }
      }
    }

    /// The token requests that were sent since the sign-in.
    var sent: Int { scene.transport.tokenForms.count - before.sent }

    /// Waits until so many calls wait for a refresh.
    func waitForMisses(_ count: Int) async throws {
      try await yielding { Self.misses(scene) - before.misses >= count }
      // The event comes just before the call joins the refresh.
      for _ in 0..<100 { await Task.yield() }
    }

    private static func misses(_ scene: Scene) -> Int { scene.events.values.count { $0.step == .cacheMiss } }
  }

  // MARK: When

  @Test("A token is renewed in its last minute only, and nobody is asked before", arguments: [(61.0, 0), (59.0, 1)])
  func lastMinute(left: Double, questions: Int) async throws {
    let stage = try await Stage(left: left)
    _ = try await stage.connector.accessToken()
    #expect(stage.asked.values.count == questions)
  }

  @Test("A server's wish for an early renewal is no reason to ask")
  func refreshIn() async throws {
    let stage = try await Stage(left: 1_000, behavior: { $0.changeTokenAnswer = { $0["refresh_in"] = 600 } })
    _ = try await stage.connector.accessToken()
    #expect(stage.asked.values.isEmpty)
  }

  @Test("While a user is asked, the lock of other processes is not held")
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
    for _ in 0..<200 { await Task.yield() }
    #expect(tries.withLock { $0 } == before)
    gate.open()
    _ = try await call.value
    #expect(tries.withLock { $0 } == before + 1)
  }

  @Test("The callers' time limit begins when the user has answered")
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

  @Test("A user who never answers keeps no connector from closing")
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

  @Test("Thirty callers ask the user once, by name, before anything is sent", arguments: CacheKind.allCases)
  func once(_ kind: CacheKind) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: directory) }
    let gate = TestGate()
    let stage = try await Stage(left: 0, cache: try kind.make(in: directory).one) { _ in try await gate.wait() }
    let calls = (1...30).map { _ in Task { try await stage.connector.accessToken() } }
    // The first caller's question begins in a task of its own, maybe after the others have joined it.
    await gate.waitForArrivals(1)
    try await yielding { stage.scene.events.values.filter { $0.step == .refreshShared }.count == 29 }
    #expect(stage.asked.values.map(\.username) == [LocalUser.alice.email] && stage.sent == 0)
    gate.open()
    var tokens: Set<Secret> = []
    for call in calls { tokens.insert(try await call.value.token) }
    #expect(tokens.count == 1 && stage.asked.values.count == 1 && stage.sent == 1)
  }

  @Test("A user is asked once, however many sets of scopes and claims wait for the answer")
  func oneQuestion() async throws {
    let gate = TestGate()
    let stage = try await Stage(left: -1) { _ in try await gate.wait() }
    let calls: [Task<AccessToken, any Error>] = (0..<12).map { number in
      Task {
        switch number % 3 {
        case 0: try await stage.connector.accessToken()
        case 1: try await stage.connector.accessToken(scopes: Self.otherScopes)
        default: try await stage.connector.accessToken(claims: Self.claims)
        }
      }
    }
    try await stage.waitForMisses(12)
    #expect(stage.asked.values.count == 1 && stage.sent == 0)
    gate.open()
    for call in calls { _ = try await call.value }
    #expect(stage.asked.values.count == 1 && stage.sent == 3)
  }

  @Test("Callers who wait for one answer share its refresh, also one who comes back to it late", arguments: 0..<4)
  func lateCaller(_ number: Int) async throws {
    let gate = TestGate()
    let stage = try await Stage(left: -1) { _ in try await gate.wait() }
    let calls = (0..<40).map { _ in Task { try await stage.connector.accessToken(claims: Self.claims) } }
    try await stage.waitForMisses(40)
    gate.open()
    var tokens: Set<Secret> = []
    for call in calls { tokens.insert(try await call.value.token) }
    #expect(tokens.count == 1 && stage.sent == 1)
  }

  @Test("Two connectors over one cache ask once")
  func twoConnectors() async throws {
    let gate = TestGate()
    let stage = try await Stage(left: 0) { _ in try await gate.wait() }
    let second = try stage.scene.connector { [asked = stage.asked] in
      $0.beforeRefresh = { user in
        asked.record(user)
        try await gate.wait()
      }
    }
    let calls = [stage.connector, second].map { connector in Task { try await connector.accessToken() } }
    await gate.waitForArrivals(1)
    try await yielding { stage.scene.events.values.contains { $0.step == .refreshShared } }
    gate.open()
    for call in calls { _ = try await call.value }
    #expect(stage.asked.values.count == 1)
  }

  @Test("Two users are asked separately")
  func twoUsers() async throws {
    let (gate, asked) = (TestGate(), Recorder<UserInfo>())
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter) {
      $0.beforeRefresh = { user in
        asked.record(user)
        try await gate.wait()
      }
    }
    let alice = try await connector.doPolicy(.signIn)
    presenter.follow(.signIn(.bob))
    let bob = try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login))
    await scene.clock.advance(by: .seconds(4_000))
    let calls = [alice, bob, alice, bob].map { user in Task { try await connector.accessToken(user: user) } }
    await gate.waitForArrivals(2)
    #expect(Set(asked.values.map(\.id)) == [alice.id, bob.id])
    gate.open()
    #expect(try await calls[0].value.userID == alice.id)
    #expect(try await calls[1].value.userID == bob.id)
    for call in calls { _ = try await call.value }
    #expect(gate.arrivals == 2)
  }

  @Test("A caller that is cancelled while the user is asked leaves alone; the others get the token")
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

  @Test("No: a token that has not expired is served, and for a minute nobody is asked again")
  func refusedEarly() async throws {
    let stage = try await Stage(left: 50) { _ in throw Refused() }
    for _ in 1...3 { _ = try await stage.connector.accessToken() }
    #expect(stage.asked.values.count == 1 && stage.sent == 0)
  }

  @Test("No: every call that waits for the answer ends, nothing is sent or lost, and the next call asks again")
  func refused() async throws {
    let (gate, says) = (TestGate(), Locked(true))
    let stage = try await Stage(left: -1) { _ in
      try await gate.wait()
      if says.withLock({ $0 }) { throw Refused() }
    }
    let calls = (0..<12).map { number in
      Task {
        try await stage.connector.accessToken(
          scopes: number % 3 == 1 ? Self.otherScopes : nil, claims: number % 3 == 2 ? Self.claims : nil)
      }
    }
    try await stage.waitForMisses(12)
    gate.open()
    for call in calls {
      let error = try await #require(throws: ConnectorError.self) { _ = try await call.value }
      #expect(error.code == .userCancelled && error.underlying is Refused && !error.needsInteraction)
    }
    #expect(stage.asked.values.count == 1 && stage.sent == 0)
    #expect(try await stage.connector.users().first?.hasSession == true)
    says.withLock { $0 = false }
    _ = try await stage.connector.accessToken()
    #expect(stage.asked.values.count == 2 && stage.sent == 1)
  }

  @Test("A user's no does not end the longer wait that a server has asked for")
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
