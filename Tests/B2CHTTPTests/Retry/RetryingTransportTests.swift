import B2CHTTP
import Foundation
import Testing

struct RetryingTransportTests {
  private let clock = LeapingClock()

  private func retrying(
    _ transport: CannedTransport, _ policy: RetryPolicy = .standard
  ) -> RetryingTransport {
    RetryingTransport(
      transport: transport, policy: policy, clock: clock, now: { Date(timeIntervalSince1970: 0) }, random: { 0.5 })
  }

  private func request(_ method: HTTPMethod = .get, deadline: Duration = .seconds(30)) throws -> TransportRequest {
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
    #expect(canned.sent.count == 5)
  }

  @Test func throwsTheLastErrorWhenAllFail() async throws {
    let canned = CannedTransport([
      .success(TransportResponse(status: 500)), .failure(TransportError(.cannotConnect, "")),
    ])
    let retrying = retrying(canned, RetryPolicy(maximumAttempts: 2))
    await #expect(throws: TransportError(.cannotConnect, "")) { try await retrying.send(request()) }
  }

  @Test(arguments: [HTTPMethod.post, .put, .patch, .delete])
  func sendsOnceWhatMayNotBeRepeated(method: HTTPMethod) async throws {
    let canned = CannedTransport(statuses: 503, 200)
    #expect(try await retrying(canned).send(request(method)).status == 503)
    #expect(canned.sent.count == 1)
  }

  @Test(arguments: [HTTPMethod.put, .delete, .post])
  func repeatsWhatIsMarked(method: HTTPMethod) async throws {
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
    #expect(canned.sent.map(\.limits.deadline) == [.seconds(12), .seconds(7)])
  }

  @Test func spendsNoMoreThanTheBudget() async throws {
    let canned = CannedTransport(statuses: 503, 503, 503, 503, 503, 200, 503, 200)
    let retrying = retrying(canned, RetryPolicy(maximumAttempts: 3, budget: 3))
    #expect(try await retrying.send(request()).status == 503)  // two of three
    #expect(try await retrying.send(request()).status == 503)  // the third
    #expect(canned.sent.count == 5)
    #expect(try await retrying.send(request()).status == 200)  // gives one back
    #expect(try await retrying.send(request()).status == 200)
    #expect(canned.sent.count == 8)
  }

  @Test func passesOtherErrorsOn() async throws {
    let canned = CannedTransport([.failure(CancellationError()), .success(TransportResponse(status: 200))])
    let retrying = retrying(canned)
    await #expect(throws: CancellationError.self) { try await retrying.send(request()) }
    #expect(canned.sent.count == 1)
  }
}
