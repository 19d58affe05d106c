import B2CHTTP
import Foundation
import TestSupport
import Testing

struct RetryPolicyTests {
  private static let now = Date(timeIntervalSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

  private func delay(
    _ policy: RetryPolicy = .standard, attempt: Int = 1, status: Int, _ headers: TransportRequest.Headers = [:],
    random: Double = 0.5
  ) -> Duration? {
    policy.delay(
      afterAttempt: attempt, response: TransportResponse(status: status, headers: headers), error: nil, now: Self.now,
      random: { random })
  }

  @Test(arguments: [408, 429, 500, 502, 503, 504])
  func triesAgainAfterWhatMayPass(status: Int) {
    #expect(delay(status: status) != nil)
  }

  @Test(arguments: [200, 201, 204, 301, 304, 307, 400, 401, 403, 404, 405, 409, 410, 413, 501, 505])
  func isContentWithEverythingElse(status: Int) {
    #expect(delay(status: status) == nil)
    #expect(delay(status: status, ["Retry-After": "1"]) == nil)
  }

  @Test func neverTriesAgainAfter501() {
    #expect(delay(RetryPolicy(statuses: [500, 501]), status: 501) == nil)
  }

  @Test(arguments: [
    (TransportError.Code.cannotConnect, true), (.connectionLost, true), (.timedOut, true), (.responseTooLarge, false),
    (.insecureURL, false), (.invalidRequest, false), (.invalidResponse, false), (.untrustedServer, false),
    (.closed, false), (.closedDuringRequest, false),
  ])
  func triesAgainAfterALostConnection(code: TransportError.Code, isRetried: Bool) {
    let delay = RetryPolicy.standard.delay(
      afterAttempt: 1, response: nil, error: TransportError(code, ""), now: Self.now, random: { 0.5 })
    #expect((delay != nil) == isRetried)
  }

  @Test func doesNotTryAgainAfterCancellation() {
    let delay = RetryPolicy.standard.delay(
      afterAttempt: 1, response: nil, error: CancellationError(), now: Self.now, random: { 0.5 })
    #expect(delay == nil)
  }

  // Full jitter: from zero up to a bound that doubles and is capped.
  @Test(arguments: [
    (1, 0.0, 0), (1, 0.5, 100), (1, 1.0, 200), (2, 1.0, 400), (3, 1.0, 800), (4, 0.25, 400), (7, 1.0, 10_000),
    (60, 1.0, 10_000), (60, 0.0, 0),
  ])
  func drawsTheWait(attempt: Int, random: Double, milliseconds: Int) {
    let policy = RetryPolicy(maximumAttempts: 100)
    #expect(delay(policy, attempt: attempt, status: 503, random: random) == .milliseconds(milliseconds))
  }

  @Test(arguments: [(1, 0.0, 500), (1, 1.0, 1000), (2, 0.0, 1000), (3, 1.0, 4000), (9, 1.0, 10_000)])
  func waitsAtLeastHalfWhenThrottledWithoutAWord(attempt: Int, random: Double, milliseconds: Int) {
    let policy = RetryPolicy(maximumAttempts: 100)
    #expect(delay(policy, attempt: attempt, status: 429, random: random) == .milliseconds(milliseconds))
  }

  @Test(arguments: [
    ("3", 3), ("0", 0), ("29", 29), ("30", 30), ("3600", 30), ("99999999999999999999999", 30),
    ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sun, 06 Nov 1994 09:49:37 GMT", 30), ("Sun, 06 Nov 1994 07:49:37 GMT", 0),
  ])
  func heedsRetryAfterUpToTheCap(text: String, seconds: Int) {
    for status in [429, 503] {
      #expect(delay(status: status, ["Retry-After": text]) == .seconds(seconds))
    }
  }

  @Test func stopsAtTheLastAttempt() {
    let policy = RetryPolicy(maximumAttempts: 3)
    #expect(delay(policy, attempt: 2, status: 503) != nil)
    #expect(delay(policy, attempt: 3, status: 503) == nil)
    #expect(delay(.none, status: 503) == nil)
    #expect(delay(RetryPolicy(maximumAttempts: 0), status: 503) == nil)
  }
}
