import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// What a user is asked before a refresh, and for whom the answer counts.
extension RefreshTurnsTests {
  @Test("A user's no does not end the longer wait that a server has asked for")
  func refusalAndWait() async throws {
    let (asked, refuses) = (Locked(0), Locked(false))
    let (scene, connector) = try await expiring {
      $0.beforeRefresh = { _ in
        guard refuses.withLock({ $0 }) else { return }
        asked.withLock { $0 += 1 }
        throw URLError(.userCancelledAuthentication)
      }
    }
    let busy = LocalResponse(status: 429, headers: ["Retry-After": "270"])
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .respond(busy))]
    await expectError(ConnectorError.self, .throttled) { _ = try await connector.accessToken(forceRefresh: true) }
    await scene.clock.advance(by: .seconds(10))
    refuses.withLock { $0 = true }
    await expectError(ConnectorError.self, .userCancelled) { _ = try await connector.accessToken(forceRefresh: true) }
    // In its last minute the token would be renewed.
    await scene.clock.advance(by: .seconds(220))
    _ = try await connector.accessToken()
    #expect(asked.withLock { $0 } == 1)
  }

  @Test("A user is asked once, however many sets of scopes and claims wait for the answer")
  func oneQuestion() async throws {
    let (asked, gate, isReady) = (Locked(0), TestGate(), Locked(false))
    let (scene, connector) = try await expiring(left: -1) {
      $0.beforeRefresh = { _ in
        guard isReady.withLock({ $0 }) else { return }
        asked.withLock { $0 += 1 }
        try await gate.wait()
      }
    }
    isReady.withLock { $0 = true }
    let before = scene.tenant.counters.refreshes
    let calls: [Task<AccessToken, any Error>] = (0..<12).map { number in
      Task {
        switch number % 3 {
        case 0: try await connector.accessToken()
        case 1: try await connector.accessToken(scopes: Self.otherScopes)
        default: try await connector.accessToken(claims: Self.claims)
        }
      }
    }
    await waitForMisses(12)
    #expect(asked.withLock { $0 } == 1 && scene.tenant.counters.refreshes == before)
    gate.open()
    for call in calls { _ = try await call.value }
    #expect(asked.withLock { $0 } == 1)
    #expect(scene.tenant.counters.refreshes == before + 3)
  }

  @Test("Callers who wait for one answer share its refresh, also one who comes back to it late", arguments: 0..<4)
  func lateCaller(_ number: Int) async throws {
    let (gate, isReady) = (TestGate(), Locked(false))
    let (scene, connector) = try await expiring(left: -1) {
      $0.beforeRefresh = { _ in if isReady.withLock({ $0 }) { try await gate.wait() } }
    }
    isReady.withLock { $0 = true }
    let before = scene.tenant.counters.refreshes
    let calls = (0..<40).map { _ in Task { try await connector.accessToken(claims: Self.claims) } }
    await waitForMisses(40)
    gate.open()
    var tokens: Set<Secret> = []
    for call in calls { tokens.insert(try await call.value.token) }
    #expect(tokens.count == 1 && scene.tenant.counters.refreshes == before + 1)
  }

  @Test("A user's no ends every call that waits for the answer, and sends nothing; the next call asks again")
  func refusal() async throws {
    let (asked, gate, isReady) = (Locked(0), TestGate(), Locked(false))
    let (scene, connector) = try await expiring(left: -1) {
      $0.beforeRefresh = { _ in
        guard isReady.withLock({ $0 }) else { return }
        asked.withLock { $0 += 1 }
        try await gate.wait()
        throw URLError(.userCancelledAuthentication)
      }
    }
    isReady.withLock { $0 = true }
    let before = scene.tenant.counters.refreshes
    let calls = (0..<12).map { number in
      Task {
        try await connector.accessToken(
          scopes: number % 3 == 1 ? Self.otherScopes : nil, claims: number % 3 == 2 ? Self.claims : nil)
      }
    }
    await waitForMisses(12)
    gate.open()
    for call in calls { await expectError(ConnectorError.self, .userCancelled) { _ = try await call.value } }
    #expect(asked.withLock { $0 } == 1 && scene.tenant.counters.refreshes == before)
    await expectError(ConnectorError.self, .userCancelled) { _ = try await connector.accessToken() }
    #expect(asked.withLock { $0 } == 2)
  }

  @Test("Two users are asked separately")
  func twoUsers() async throws {
    let (asked, gate, isReady) = (Locked<Set<String>>([]), TestGate(), Locked(false))
    let scene = Scene(limits: .standard)
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter) {
      $0.beforeRefresh = { user in
        guard isReady.withLock({ $0 }) else { return }
        asked.withLock { _ = $0.insert(user.id) }
        try await gate.wait()
      }
    }
    let alice = try await connector.doPolicy(.signIn)
    presenter.follow(.signIn(.bob))
    let bob = try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login))
    await scene.clock.advance(by: .seconds(4_000))
    isReady.withLock { $0 = true }
    let calls = [alice, bob, alice, bob].map { user in Task { try await connector.accessToken(user: user) } }
    await gate.waitForArrivals(2)
    #expect(asked.withLock { $0 } == [alice.id, bob.id])
    gate.open()
    #expect(try await calls[0].value.userID == alice.id)
    #expect(try await calls[1].value.userID == bob.id)
    for call in calls { _ = try await call.value }
    #expect(gate.arrivals == 2)
  }

  @Test("The callers' time limit begins when the user has answered")
  func limitAfterTheAnswer() async throws {
    let (gate, isReady) = (TestGate(), Locked(false))
    let scene = Scene(limits: .standard)
    let transport = HungTransport(base: scene.network)
    let connector = try scene.connector(transport: transport) {
      $0.beforeRefresh = { _ in if isReady.withLock({ $0 }) { try await gate.wait() } }
    }
    try await connector.doPolicy(.signIn)
    await scene.clock.advance(by: .seconds(4_000))
    isReady.withLock { $0 = true }
    transport.isHung.withLock { $0 = true }
    let call = Task { try await connector.accessToken() }
    await gate.waitForArrivals(1)
    await scene.clock.advance(by: .seconds(7_200))
    #expect(transport.never.arrivals == 0)
    let start = scene.clock.now
    gate.open()
    await expectError(ConnectorError.self, .timedOut) { _ = try await call.value }
    // The refresh itself is given up after 60 seconds.
    #expect((Duration.seconds(31)..<Duration.seconds(60)).contains(start.duration(to: scene.clock.now)))
  }

  @Test("While a user is asked, the lock of other processes is not held")
  func unlockedQuestion() async throws {
    let (gate, isReady) = (TestGate(), Locked(false))
    let scene = Scene(limits: .standard)
    let lock = HeldLock(on: scene.clock)
    let connector = try scene.connector(cache: lock.cache) {
      $0.beforeRefresh = { _ in if isReady.withLock({ $0 }) { try await gate.wait() } }
    }
    try await connector.doPolicy(.signIn)
    await scene.clock.advance(by: .seconds(4_000))
    isReady.withLock { $0 = true }
    let call = Task { try await connector.accessToken() }
    await gate.waitForArrivals(1)
    for _ in 0..<200 { await Task.yield() }
    #expect(lock.tries.withLock { $0 } == 0)
    gate.open()
    _ = try await call.value
    #expect(lock.tries.withLock { $0 } == 1)
  }
}
