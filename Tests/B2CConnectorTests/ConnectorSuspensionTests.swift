import B2CConnector
import B2CCore
import B2CTestKit
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
    var environment = scene.environment(waitingOn: clock)
    environment.backgroundTime = BackgroundTime(system)
    connector = try Connector(settings: scene.settings(), environment: environment)
    try await connector.signIn()
    await scene.expire()
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
}
