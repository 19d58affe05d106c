import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("A refresh when the system suspends the app", .hangLimit)
struct ConnectorSuspensionTests {
  /// A user with an expired token.
  private final class Stage: Sendable {
    let scene = Scene()
    let system = SuspendingSystem()
    /// The clock of the connector: it stands still, so that a starved system's answer is not late.
    let clock = TestClock(advancesItself: false)
    let connector: Connector
    /// Holds back each refresh that a test sends here.
    let gate = TestGate()

    init(age: Duration = .seconds(4_000)) async throws {
      var environment = scene.environment(waitingOn: clock)
      environment.backgroundTime = BackgroundTime(system)
      connector = try Connector(settings: try scene.settings(), environment: environment)
      try await connector.doPolicy(.signIn)
      await scene.clock.advance(by: age)
    }

    var sent: Int { scene.tenant.counters.refreshRequests }
  }

  @Test("The system is asked for time before a refresh begins, until its answer is stored, and for nothing else")
  func lasts() async throws {
    let stage = try await Stage()
    stage.system.will(.none)
    stage.scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(stage.gate))]
    #expect(stage.system.asked == 0)
    let token = Task { try await stage.connector.accessToken() }
    try await yielding { stage.system.asked == 1 }
    for _ in 0..<200 { await Task.yield() }
    #expect(stage.sent == 0)
    stage.system.answer(.granted)
    await stage.gate.waitForArrivals(1)
    #expect(stage.system.running == 1)
    stage.gate.open()
    _ = try await token.value
    try await yielding { stage.system.running == 0 }
    #expect(try await stage.connector.accessToken() == token.value)
    #expect(stage.system.asked == 1 && stage.sent == 1)
  }

  @Test("When there is no time, no refresh is started: an expired token is an error that may pass")
  func refused() async throws {
    let stage = try await Stage()
    stage.system.will(.refused)
    let error = try await #require(throws: ConnectorError.self) { try await stage.connector.accessToken() }
    #expect(error.code == .suspended && error.isRetryable && !error.needsInteraction)
    await expectError(ConnectorError.self, .suspended) { try await stage.connector.getTaskList() }
    #expect(try await stage.connector.session.user?.hasSession == true)
    #expect(stage.sent == 0)
    stage.system.will(.granted)
    _ = try await stage.connector.accessToken()
    #expect(stage.sent == 1)
  }

  @Test("When there is no time, a token that has not expired is returned, unless another one is asked for")
  func refusedEarly() async throws {
    let stage = try await Stage(age: .seconds(3_500))
    stage.system.will(.refused)
    let token = try await stage.connector.accessToken()
    #expect(token.expiresAt > stage.scene.clock.date)
    await expectError(ConnectorError.self, .suspended) {
      try await stage.connector.accessToken(forceRefresh: true)
    }
    #expect(stage.system.asked == 2 && stage.sent == 0)
  }

  @Test("A system that does not answer within 5 seconds has refused, and what it says later starts nothing")
  func unanswered() async throws {
    let stage = try await Stage()
    stage.system.will(.none)
    let caller = Task { try await stage.connector.accessToken() }
    // The limit of the caller is waited for too.
    await stage.clock.waitForSleepers(2)
    await stage.clock.advance(by: .milliseconds(4_999))
    for _ in 0..<200 { await Task.yield() }
    #expect(stage.system.asked == 1)
    await stage.clock.advance(by: .milliseconds(1))
    await expectError(ConnectorError.self, .suspended) { try await caller.value }
    stage.system.answer(.granted)
    try await yielding { stage.system.running == 0 }
    #expect(stage.sent == 0)
    stage.system.will(.granted)
    _ = try await stage.connector.accessToken()
    #expect(stage.system.asked == 2 && stage.sent == 1)
  }

  @Test("Without an answer, a token that has not expired is returned")
  func unansweredEarly() async throws {
    let stage = try await Stage(age: .seconds(3_500))
    stage.system.will(.none)
    let caller = Task { try await stage.connector.accessToken() }
    // The limit of the caller is waited for too.
    await stage.clock.waitForSleepers(2)
    await stage.clock.advance(by: .seconds(5))
    #expect(try await caller.value.expiresAt > stage.scene.clock.date)
    #expect(stage.sent == 0)
  }

  @Test("A caller that is cancelled while the system is asked leaves")
  func cancelled() async throws {
    let stage = try await Stage()
    stage.system.will(.none)
    let caller = Task { try await stage.connector.accessToken() }
    try await yielding { stage.system.asked == 1 }
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    stage.system.answer(.refused)
    await stage.connector.close()
    #expect(stage.sent == 0)
  }

  @Test("When the time is over during the request, the answer is stored all the same, and the system's call returns")
  func expired() async throws {
    let stage = try await Stage()
    stage.scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(stage.gate))]
    let token = Task { try await stage.connector.accessToken() }
    await stage.gate.waitForArrivals(1)
    stage.system.expire()
    try await yielding { stage.system.running == 0 }
    stage.gate.open()
    let answer = try await token.value
    #expect(try await stage.connector.accessToken() == answer)
    #expect(stage.sent == 1 && stage.system.asked == 1)
  }

  @Test("The system is not asked while a refresh waits for its turn")
  func waiting() async throws {
    let stage = try await Stage()
    stage.scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(stage.gate))]
    let first = Task { try await stage.connector.accessToken() }
    await stage.gate.waitForArrivals(1)
    let second = Task { try await stage.connector.accessToken(claims: #"{"access_token":{"nbf":{"essential":true}}}"#) }
    for _ in 0..<200 { await Task.yield() }
    #expect(stage.system.asked == 1)
    stage.gate.open()
    _ = try await (first.value, second.value)
    try await yielding { stage.system.running == 0 }
    #expect(stage.system.asked == 2)
  }
}
