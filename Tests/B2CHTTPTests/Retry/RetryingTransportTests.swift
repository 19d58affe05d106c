import B2CHTTP
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RetryingTransportTests {
  private let clock = LeapingClock()

  private func retrying(
    _ transport: CannedTransport, _ policy: RetryPolicy = .standard
  ) -> RetryingTransport {
    RetryingTransport(
      transport: transport, policy: policy, clock: clock, now: { Date(timeIntervalSince1970: 0) }, random: { 0.5 })
  }

  private func request(_ method: TransportRequest.Method = .get, deadline: Duration = .seconds(30)) throws
    -> TransportRequest
  {
    TransportRequest(
      method: method, url: try #require(URL(string: "https://api.example.com/")),
      limits: TransportLimits(deadline: deadline))
  }

  @Test func succeedsAfterFaultsThatPass() async throws {
    let canned = CannedTransport([
      .failure(TransportError(.connectionLost, "")), .success(TransportResponse(status: 503)),
      .success(TransportResponse(status: 200)),
    ])
    let response = try await retrying(canned).send(request())
    #expect(response.status == 200)
    #expect(clock.sleeps == [.milliseconds(100), .milliseconds(200)])
  }

  @Test func outlastsAThrottlingServerThatGivesNoRetryAfter() async throws {
    let canned = CannedTransport(statuses: 429, 429, 429, 200)
    #expect(try await retrying(canned).send(request()).status == 200)
    #expect(clock.sleeps == [.milliseconds(750), .milliseconds(1500), .seconds(3)])
  }

  @Test func givesTheLastAnswerWhenAllFail() async throws {
    let canned = CannedTransport(statuses: 500, 502, 503, 504, 408, 200)
    #expect(try await retrying(canned).send(request()).status == 408)
    #expect(canned.requests.count == 5)
  }

  @Test func throwsTheLastErrorWhenAllFail() async throws {
    let canned = CannedTransport([
      .success(TransportResponse(status: 500)), .failure(TransportError(.cannotConnect, "")),
    ])
    let retrying = retrying(canned, RetryPolicy(maximumAttempts: 2))
    await expectError(TransportError.self, .cannotConnect) { try await retrying.send(request()) }
  }

  @Test(arguments: [TransportRequest.Method.post, .put, .patch, .delete], [408, 500, 502, 503, 504])
  func sendsOnceWhatMayNotBeRepeated(method: TransportRequest.Method, status: Int) async throws {
    let canned = CannedTransport(statuses: status, 200)
    #expect(try await retrying(canned).send(request(method)).status == status)
    #expect(canned.requests.count == 1)
  }

  @Test(arguments: [TransportError.Code.cannotConnect, .connectionLost, .timedOut, .invalidResponse])
  func neverRepeatsAPostWithoutAnAnswer(code: TransportError.Code) async throws {
    let canned = CannedTransport([
      .failure(TransportError(code, "")), .success(TransportResponse(status: 200)),
    ])
    let retrying = retrying(canned)
    await expectError(TransportError.self, code) { try await retrying.send(request(.post)) }
    #expect(canned.requests.count == 1)
  }

  @Test(arguments: [TransportRequest.Method.post, .put, .patch, .delete])
  func repeatsAnythingThatWasThrottled(method: TransportRequest.Method) async throws {
    let canned = CannedTransport(statuses: 429, 429, 201, 200)
    #expect(try await retrying(canned).send(request(method)).status == 201)
    #expect(clock.sleeps == [.milliseconds(750), .milliseconds(1500)])
    #expect(canned.requests.count == 3)
  }

  @Test func aThrottledPostWaitsAsLongAsTheServerSays() async throws {
    let canned = CannedTransport(
      TransportResponse(status: 429, headers: ["Retry-After": "7"]), TransportResponse(status: 201))
    #expect(try await retrying(canned).send(request(.post)).status == 201)
    #expect(clock.sleeps == [.seconds(7)])
  }

  @Test func aThrottledPostIsNotRepeatedAfterAnotherFault() async throws {
    let canned = CannedTransport([
      .success(TransportResponse(status: 429)), .failure(TransportError(.connectionLost, "")),
      .success(TransportResponse(status: 201)),
    ])
    let retrying = retrying(canned)
    await expectError(TransportError.self, .connectionLost) { try await retrying.send(request(.post)) }
    #expect(canned.requests.count == 2)
    let again = CannedTransport(statuses: 429, 503, 201)
    #expect(try await self.retrying(again).send(request(.post)).status == 503)
  }

  @Test func aThrottledPostIsSentOnceWhereThePolicySaysSo() async throws {
    let canned = CannedTransport(statuses: 429, 201)
    #expect(try await retrying(canned, RetryPolicy(repeatsThrottledChanges: false)).send(request(.post)).status == 429)
    #expect(try await retrying(CannedTransport(statuses: 429), .none).send(request(.post)).status == 429)
    let others = retrying(CannedTransport(statuses: 429), RetryPolicy(statuses: [503]))
    #expect(try await others.send(request(.post)).status == 429)
    #expect(canned.requests.count == 1)
  }

  @Test func theDeadlineWinsOverAThrottledPost() async throws {
    let canned = CannedTransport(
      TransportResponse(status: 429, headers: ["Retry-After": "5"]), TransportResponse(status: 201))
    #expect(try await retrying(canned).send(request(.post, deadline: .seconds(5))).status == 429)
  }

  @Test(arguments: [TransportRequest.Method.put, .delete, .post])
  func repeatsWhatIsMarked(method: TransportRequest.Method) async throws {
    let canned = CannedTransport(statuses: 503, 200)
    #expect(try await retrying(canned).send(request(method), isIdempotent: true).status == 200)
  }

  @Test func doesNotRepeatAGetMarkedOtherwise() async throws {
    let canned = CannedTransport(statuses: 503, 200)
    #expect(try await retrying(canned).send(request(), isIdempotent: false).status == 503)
  }

  @Test func letsTheDeadlineWinOverAWait() async throws {
    let canned = CannedTransport(
      TransportResponse(status: 503, headers: ["Retry-After": "5"]), TransportResponse(status: 200))
    #expect(try await retrying(canned).send(request(deadline: .seconds(5))).status == 503)
    #expect(clock.sleeps.isEmpty)
  }

  @Test func leavesEachTryTheRestOfTheDeadline() async throws {
    let canned = CannedTransport(
      TransportResponse(status: 503, headers: ["Retry-After": "5"]), TransportResponse(status: 200))
    _ = try await retrying(canned).send(request(deadline: .seconds(12)))
    #expect(canned.requests.map(\.limits.deadline) == [.seconds(12), .seconds(7)])
  }

  @Test func spendsNoMoreThanTheBudget() async throws {
    let canned = CannedTransport(statuses: 503, 503, 503, 503, 503, 200, 503, 200)
    let retrying = retrying(canned, RetryPolicy(maximumAttempts: 3, budget: 3))
    #expect(try await retrying.send(request()).status == 503)  // two of three
    #expect(try await retrying.send(request()).status == 503)  // the third
    #expect(canned.requests.count == 5)
    #expect(try await retrying.send(request()).status == 200)  // gives one back
    #expect(try await retrying.send(request()).status == 200)
    #expect(canned.requests.count == 8)
  }

  @Test("Transports that share a budget fail at once when it is used up, whichever of them used it")
  func sharedBudget() async throws {
    let budget = RetryBudget(3)
    let canned = CannedTransport(statuses: 503, 503, 503, 503, 503, 503)
    let transports = (0..<3).map { _ in
      RetryingTransport(
        transport: canned, policy: RetryPolicy(maximumAttempts: 3), budget: budget, clock: clock, random: { 0.5 })
    }
    for (transport, sent) in zip(transports, [3, 5, 6]) {
      #expect(try await transport.send(request()).status == 503)
      #expect(canned.requests.count == sent)
    }
  }

  @Test func passesOtherErrorsOn() async throws {
    let canned = CannedTransport([.failure(CancellationError()), .success(TransportResponse(status: 200))])
    let retrying = retrying(canned)
    await #expect(throws: CancellationError.self) { try await retrying.send(request()) }
    #expect(canned.requests.count == 1)
  }
}
