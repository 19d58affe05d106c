import B2CConnector
import B2CTestKit
import Dispatch
import Foundation
import TestSupport
import Testing

/// A refresh while the system may suspend the app; Alice's access token has expired.
@Suite("A refresh when the system suspends the app", .hangLimit)
struct ConnectorSuspensionTests {
  private let scene = Scene()
  private let system = SuspendingSystem()
  /// The clock of the connector, which stands still, so that the answer of a slow machine is not late.
  private let clock = TestClock(advancesItself: false)
  private let connector: Connector
  /// Holds the response to a refresh back.
  private let gate = TestGate()

  init() async throws {
    connector = try Self.connector(scene, system, clock)
    try await connector.signIn()
    await scene.expire()
  }

  private static func connector(
    _ scene: Scene, _ system: SuspendingSystem, _ clock: TestClock,
    configure: (inout Connector.Options) -> Void = { _ in }
  ) throws -> Connector {
    var environment = scene.environment(waitingOn: clock)
    environment.backgroundTime = BackgroundTime(system)
    return try Connector(settings: scene.settings(), environment: environment, configure: configure)
  }

  /// The refreshes that the tenant has got.
  private var sent: Int { scene.tenant.counters.refreshRequests }

  /// Gives Alice a new token, of which 100 seconds are left.
  private func renew() async throws {
    _ = try await scene.connector().accessToken()
    await scene.clock.advance(by: .seconds(3_500))
  }

  private func holdAnswer() {
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
  }

  @Test("The system is asked for time before a refresh is sent and until its tokens are stored, and for nothing else")
  func lasts() async throws {
    system.will(.none)
    holdAnswer()
    let token = Task { try await connector.accessToken() }
    try await yielding { system.asked == 1 }
    await yieldOften()
    #expect(sent == 0)
    system.answer(.granted)
    await gate.waitForArrivals(1)
    #expect(system.running == 1)
    gate.open()
    _ = try await token.value
    try await yielding { system.running == 0 }
    #expect(try await connector.accessToken() == token.value)
    #expect(system.asked == 1 && sent == 1)
  }

  @Test("Without time, no refresh is sent: an expired token is an error that may pass, and another one is used")
  func refused() async throws {
    system.will(.refused)
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken() }
    #expect(error.code == .suspended && error.isRetryable && !error.needsInteraction)
    await expectError(ConnectorError.self, .suspended) { try await connector.getTaskList() }
    #expect(try await connector.session.user?.hasSession == true)
    #expect(sent == 0)
    try await renew()
    #expect(try await connector.accessToken().expiresAt > scene.clock.date)
    await expectError(ConnectorError.self, .suspended) { try await connector.accessToken(forceRefresh: true) }
    #expect(sent == 1)
    system.will(.granted)
    _ = try await connector.accessToken(forceRefresh: true)
    #expect(sent == 2)
  }

  @Test(
    "A system that does not answer within 5 seconds has refused, and its later answer starts nothing",
    arguments: [false, true])
  func unanswered(isValid: Bool) async throws {
    if isValid { try await renew() }
    let before = sent
    system.will(.none)
    let caller = Task { try await connector.accessToken() }
    // The limit of the caller is waited for too.
    await clock.waitForSleepers(2)
    await clock.advance(by: .milliseconds(4_999))
    await yieldOften()
    #expect(system.asked == 1)
    await clock.advance(by: .milliseconds(1))
    if isValid {
      #expect(try await caller.value.expiresAt > scene.clock.date)
    } else {
      await expectError(ConnectorError.self, .suspended) { try await caller.value }
    }
    system.answer(.granted)
    try await yielding { system.running == 0 }
    #expect(sent == before)
    system.will(.granted)
    _ = try await connector.accessToken(forceRefresh: true)
    #expect(system.asked == 2 && sent == before + 1)
  }

  @Test("A caller that is cancelled while the system is asked leaves")
  func cancelled() async throws {
    system.will(.none)
    let caller = Task { try await connector.accessToken() }
    try await yielding { system.asked == 1 }
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    system.answer(.refused)
    await connector.close()
    #expect(sent == 0)
  }

  @Test("If the time ends during the request, the call of the system returns, and the tokens are stored all the same")
  func expired() async throws {
    holdAnswer()
    let token = Task { try await connector.accessToken() }
    await gate.waitForArrivals(1)
    system.expire()
    try await yielding { system.running == 0 }
    gate.open()
    let answer = try await token.value
    #expect(try await connector.accessToken() == answer)
    #expect(sent == 1 && system.asked == 1)
  }

  @Test("The system is not asked while a refresh waits for another one")
  func waiting() async throws {
    holdAnswer()
    let first = Task { try await connector.accessToken() }
    await gate.waitForArrivals(1)
    let second = Task { try await connector.accessToken(claims: SignedInScene.claims) }
    try await yielding { scene.count(.cacheMiss) == 2 }
    await yieldOften()
    #expect(system.asked == 1)
    gate.open()
    _ = try await (first.value, second.value)
    try await yielding { system.running == 0 }
    #expect(system.asked == 2)
  }

  @Test("While a transport hangs, background time is given back at the limit of a request")
  func hangingTransport() async throws {
    let connector = try Self.connector(scene, system, clock) { $0.limits.deadline = .milliseconds(20) }
    let never = scene.transport.hang(at: .tokenRefresh)
    let caller = Task { try await connector.accessToken() }
    await never.waitForArrivals(1)
    // The clock stands still, so the request goes on. Only the system's thread waits in real time.
    try await yielding { system.running == 0 }
    never.open()
    _ = try await caller.value
  }
}

/// A system that may suspend the app, which grants time, refuses it or takes it back, in the orders that Apple documents.
final class SuspendingSystem: ExpiringActivity {
  /// With `none` there is no answer until the test gives one.
  enum Answer: Sendable { case granted, refused, none }

  private typealias Block = @Sendable (Bool) -> Void

  private struct State: Sendable {
    var answer = Answer.granted
    var asked = 0
    var unanswered: [Block] = []
    /// The blocks of activities that last.
    var running: [UUID: Block] = [:]
  }

  private let state = Locked(State())
  /// Runs each call on a thread that may be blocked, and two calls at the same time, as the system does.
  private let queue = DispatchQueue(label: "SuspendingSystem", attributes: .concurrent)

  /// How often the system was asked for time.
  var asked: Int { state.withLock { $0.asked } }
  /// How many activities have begun and not ended.
  var running: Int { state.withLock { $0.running.count } }

  /// Sets the answer from now on.
  func will(_ answer: Answer) { state.withLock { $0.answer = answer } }

  func perform(reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void) {
    let answer = state.withLock { state in
      state.asked += 1
      if state.answer == .none { state.unanswered.append(block) }
      return state.answer
    }
    call(block, answer)
  }

  /// Answers the questions that have no answer yet.
  func answer(_ answer: Answer) {
    let blocks = state.withLock { state in
      defer { state.unanswered = [] }
      return state.unanswered
    }
    for block in blocks { call(block, answer) }
  }

  /// Takes the time back by second, concurrent calls.
  func expire() {
    for block in state.withLock({ Array($0.running.values) }) { block(true) }
  }

  private func call(_ block: @escaping Block, _ answer: Answer) {
    switch answer {
    case .none: break
    case .refused: queue.async { block(true) }
    case .granted:
      let id = UUID()
      state.withLock { $0.running[id] = block }
      queue.async { [state] in
        block(false)
        state.withLock { $0.running[id] = nil }
      }
    }
  }
}
