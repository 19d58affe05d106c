import B2CConnector
import B2CCore
import B2CHTTP
import B2COAuth
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Events", .hangLimit)
struct EventTests {
  @Test("A refresh tells each step once, with its correlation id")
  func refresh() async throws {
    let fixture = Fixture()
    let id = ErrorCorrelationTests.id
    let client = try fixture.client { $0.correlationID = id }
    try await client.signIn()
    await fixture.clock.advance(by: .seconds(4_000))
    let before = fixture.events.values.count
    _ = try await client.accessToken()
    let events = fixture.events.values.dropFirst(before)
    #expect(events.map(\.step) == [.cacheMiss, .refreshStarted, .refreshFinished])
    #expect(events.allSatisfy { $0.correlationID == id && $0.policyID == Fixture.signIn && $0.errorCode == nil })
  }

  @Test("A failed refresh says why, and a token served in spite of it is told")
  func failure() async throws {
    let (fixture, client) = try await Fixture().signedIn(after: 3_400)
    fixture.transport.answerTokens(503, "")
    _ = try await client.accessToken()
    let last = fixture.events.values.suffix(2)
    #expect(last.map(\.step) == [.refreshFinished, .staleTokenServed])
    #expect(last.allSatisfy { $0.errorCode == .serviceUnavailable && $0.correlationID != nil })
  }

  @Test("A request that is sent again is told each time, with policy, code and correlation id")
  func retry() async throws {
    let fixture = Fixture()
    let busy = LocalFault.Effect.respond(LocalResponse(status: 503))
    fixture.tenant.faults = [LocalFault(on: .metadata, times: 2, busy), LocalFault(on: .keys, times: 1, .reset)]
    let client = try fixture.client { $0.retry = RetryPolicy(maximumDelay: .zero) }
    try await client.signIn()
    let events = fixture.events.values
    #expect(events.map(\.step) == [.signInStarted, .retry, .retry, .retry, .signInFinished])
    #expect(events.map(\.errorCode) == [nil, .serviceUnavailable, .serviceUnavailable, .network, nil])
    let id = try #require(events.first?.correlationID)
    #expect(events.allSatisfy { $0.policyID == Fixture.signIn && $0.correlationID == id })
  }

  @Test("A sign-out carries policy and correlation id")
  func signOut() async throws {
    let fixture = Fixture()
    let client = try fixture.client { $0.correlationID = ErrorCorrelationTests.id }
    try await client.signIn()
    try await client.signOut()
    let event = try #require(fixture.events.values.last)
    #expect(event.step == .signedOut && event.policyID == Fixture.signIn)
    #expect(event.correlationID == ErrorCorrelationTests.id)
  }

  @Test("A cancelled sign-in ends as cancelled")
  func cancelled() async throws {
    let fixture = Fixture()
    let gate = TestGate()
    fixture.tenant.faults = [LocalFault(on: .metadata, .wait(gate))]
    let client = try fixture.client()
    let call = Task { try await client.signIn() }
    await gate.waitForArrivals(1)
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(fixture.events.values.last?.errorCode == ErrorCode(rawValue: "cancelled"))
  }

  @Test("An event is one line")
  func line() {
    let event = Connector.Event(
      step: .refreshFinished, policyID: "B2C_1_SignIn", correlationID: ErrorCorrelationTests.id, errorCode: .network)
    #expect(
      "\(event)" == "refreshFinished policy=B2C_1_SignIn error=network "
        + "correlation=01020304-0506-0708-090a-0b0c0d0e0f10")
  }
}
