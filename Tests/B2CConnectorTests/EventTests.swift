import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Events", .hangLimit)
struct EventTests {
  private static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

  @Test("A refresh and a sign-out report each step once, with policy and correlation id")
  func steps() async throws {
    let scene = Scene()
    let connector = try scene.connector(scene.settings { $0.correlationID = Self.id })
    try await connector.signIn()
    await scene.expire()
    _ = try await connector.accessToken()
    try await connector.signOut()
    let events = scene.events.values
    #expect(
      events.map(\.step)
        == [.signInStarted, .signInFinished, .cacheMiss, .refreshStarted, .refreshFinished, .signedOut])
    #expect(events.allSatisfy { $0.correlationID == Self.id && $0.policyID == Scene.signIn && $0.errorCode == nil })
  }

  @Test("A failed refresh is reported with its error, and so is the token that is used instead")
  func failure() async throws {
    let stage = try await SignedInScene(after: 3_400)
    stage.scene.transport.answerTokens(503, "")
    _ = try await stage.connector.accessToken()
    let last = stage.scene.events.values.suffix(2)
    #expect(last.map(\.step) == [.refreshFinished, .staleTokenServed])
    #expect(last.allSatisfy { $0.errorCode == .serviceUnavailable && $0.correlationID != nil })
  }

  @Test("Each request that is sent again is reported, with policy, error and correlation id")
  func retry() async throws {
    let scene = Scene()
    let busy = LocalFault.Effect.respond(LocalResponse(status: 503))
    scene.tenant.faults = [LocalFault(on: .metadata, times: 2, busy), LocalFault(on: .keys, times: 1, .reset)]
    try await scene.connector { $0.retry = RetryPolicy(maximumDelay: .zero) }.signIn()
    let events = scene.events.values
    #expect(events.map(\.step) == [.signInStarted, .retry, .retry, .retry, .signInFinished])
    #expect(events.map(\.errorCode) == [nil, .serviceUnavailable, .serviceUnavailable, .network, nil])
    let id = try #require(events.first?.correlationID)
    #expect(events.allSatisfy { $0.policyID == Scene.signIn && $0.correlationID == id })
  }

  @Test("Each repeat of a request to an API is an event, with its policy and error code", arguments: [true, false])
  func repeats(namesUser: Bool) async throws {
    let stage = try await SignedInScene(Scene(limits: TransportLimits()), after: 120)
    let statuses = Locked([503, 401, 429])
    stage.scene.tasks.faults = [
      LocalFault(.change { answer in statuses.withLock { if !$0.isEmpty { answer.status = $0.removeFirst() } } })
    ]
    _ = try await stage.connector.getTaskList(user: namesUser ? stage.alice.user : nil)
    let repeats = stage.scene.events.values.filter { $0.step == .retry }
    #expect(repeats.map(\.errorCode) == [.serviceUnavailable, .unauthorized, .throttled])
    #expect(repeats.allSatisfy { $0.policyID == Scene.signIn })
  }

  @Test("An event is printed in one line")
  func line() {
    let event = Connector.Event(
      step: .refreshFinished, policyID: "B2C_1_SignIn", correlationID: Self.id, errorCode: .network)
    #expect(
      "\(event)" == "refreshFinished policy=B2C_1_SignIn error=network "
        + "correlation=01020304-0506-0708-090a-0b0c0d0e0f10")
  }
}
