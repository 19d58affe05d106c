import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Events", .hangLimit)
struct EventTests {
  private static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

  @Test("A refresh tells each step once, with its correlation id")
  func refresh() async throws {
    let scene = Scene()
    let connector = try scene.connector(scene.settings { $0.correlationID = Self.id })
    try await connector.signIn()
    await scene.clock.advance(by: .seconds(4_000))
    let before = scene.events.values.count
    _ = try await connector.accessToken()
    let events = scene.events.values.dropFirst(before)
    #expect(events.map(\.step) == [.cacheMiss, .refreshStarted, .refreshFinished])
    #expect(events.allSatisfy { $0.correlationID == Self.id && $0.policyID == Scene.signIn && $0.errorCode == nil })
  }

  @Test("A failed refresh says why, and a token served in spite of it is told")
  func failure() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn(after: 3_400)
    scene.transport.answerTokens(503, "")
    _ = try await connector.accessToken()
    let last = scene.events.values.suffix(2)
    #expect(last.map(\.step) == [.refreshFinished, .staleTokenServed])
    #expect(last.allSatisfy { $0.errorCode == .serviceUnavailable && $0.correlationID != nil })
  }

  @Test("A request that is sent again is told each time, with policy, code and correlation id")
  func retry() async throws {
    let scene = Scene()
    let busy = LocalFault.Effect.respond(LocalResponse(status: 503))
    scene.tenant.faults = [LocalFault(on: .metadata, times: 2, busy), LocalFault(on: .keys, times: 1, .reset)]
    let connector = try scene.connector { $0.retry = RetryPolicy(maximumDelay: .zero) }
    try await connector.signIn()
    let events = scene.events.values
    #expect(events.map(\.step) == [.signInStarted, .retry, .retry, .retry, .signInFinished])
    #expect(events.map(\.errorCode) == [nil, .serviceUnavailable, .serviceUnavailable, .network, nil])
    let id = try #require(events.first?.correlationID)
    #expect(events.allSatisfy { $0.policyID == Scene.signIn && $0.correlationID == id })
  }

  @Test("A sign-out carries policy and correlation id")
  func signOut() async throws {
    let scene = Scene()
    let connector = try scene.connector(scene.settings { $0.correlationID = Self.id })
    try await connector.signIn()
    try await connector.signOut()
    let event = try #require(scene.events.values.last)
    #expect(event.step == .signedOut && event.policyID == Scene.signIn)
    #expect(event.correlationID == Self.id)
  }

  @Test("A cancelled sign-in ends as cancelled")
  func cancelled() async throws {
    let scene = Scene()
    let gate = TestGate()
    scene.tenant.faults = [LocalFault(on: .metadata, .wait(gate))]
    let connector = try scene.connector()
    let call = Task { try await connector.signIn() }
    await gate.waitForArrivals(1)
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(scene.events.values.last?.errorCode == ErrorCode(rawValue: "cancelled"))
  }

  @Test("An event is one line")
  func line() {
    let event = Connector.Event(
      step: .refreshFinished, policyID: "B2C_1_SignIn", correlationID: Self.id, errorCode: .network)
    #expect(
      "\(event)" == "refreshFinished policy=B2C_1_SignIn error=network "
        + "correlation=01020304-0506-0708-090a-0b0c0d0e0f10")
  }
}
