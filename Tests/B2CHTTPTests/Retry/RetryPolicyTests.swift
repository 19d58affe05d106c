import B2CTestKit
import Foundation
import Testing

struct RetryPolicyTests {
  private func response(_ status: Int, _ headers: [String: String]) throws -> HTTPURLResponse {
    try LocalResponse(status: status, headers: headers).answer(to: URL(filePath: "/")).1
  }

  private func delay(
    _ policy: RetryPolicy = RetryPolicy(), attempt: Int = 1, status: Int, _ headers: [String: String] = [:]
  ) throws -> Duration? {
    policy.delay(afterAttempt: attempt, .success(try response(status, headers)))
  }

  @Test(
    "Everything else is an answer, with Retry-After too",
    arguments: [200, 201, 204, 301, 304, 307, 400, 401, 403, 404, 405, 409, 410, 413, 501, 505])
  func definite(status: Int) throws {
    #expect(try delay(status: status) == nil)
    #expect(try delay(status: status, ["Retry-After": "1"]) == nil)
  }

  @Test(
    "Of the transport's errors those are tried again that may pass",
    arguments: [
      (ConnectorError(.network, ""), true), (ConnectorError(.timedOut, ""), true),
      (ConnectorError(.tooLarge, ""), false), (ConnectorError(.configuration, ""), false),
      (ConnectorError(.invalidResponse, ""), false), (CancellationError(), false),
    ] as [(any Error, Bool)])
  func errors(error: any Error, isRetried: Bool) {
    #expect((RetryPolicy().delay(afterAttempt: 1, .failure(error)) != nil) == isRetried)
  }

  @Test(
    "After a fault that may pass the wait is a second, doubled for each try up to the maximum",
    arguments: [(1, 1), (2, 2), (4, 8), (60, 10)])
  func doubling(attempt: Int, seconds: Int) throws {
    for status in [408, 429, 500, 502, 503, 504] {
      #expect(try delay(RetryPolicy(maximumAttempts: 100), attempt: attempt, status: status) == .seconds(seconds))
    }
    #expect(try delay(RetryPolicy(maximumAttempts: 100, maximumDelay: .zero), attempt: attempt, status: 503) == .zero)
  }

  @Test(
    "The policy keeps a wait that the server names, and does not try again after one above the maximum",
    arguments: [("3", 3), ("0", 0), ("10", 10), ("11", nil), ("3600", nil), ("soon", 1)] as [(String, Int?)])
  func retryAfter(text: String, seconds: Int?) throws {
    for status in [429, 503] {
      #expect(try delay(status: status, ["Retry-After": text]) == seconds.map { .seconds($0) })
    }
  }

  @Test("A request is sent three times, or as often as the policy says")
  func lastAttempt() throws {
    #expect(try delay(attempt: 2, status: 503) != nil)
    #expect(try delay(attempt: 3, status: 503) == nil)
    #expect(try delay(RetryPolicy(maximumAttempts: 2), attempt: 2, status: 503) == nil)
    #expect(try delay(.none, status: 503) == nil)
    #expect(try delay(RetryPolicy(maximumAttempts: 0), status: 503) == nil)
  }

  /// An app may turn the seconds into an integer, so nothing asks for more than a day.
  static let waits: [(String, Double?)] = [
    ("120", 120), ("0", 0), (" 7 ", 7), ("1.5", 1.5), ("86400", 86_400), ("86401", 86_400),
    ("99999999999999999999", 86_400), (String(repeating: "9", count: 400), 86_400),
    ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:49:38 GMT", 1), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
    ("Fri, 31 Dec 2099 23:59:59 GMT", 86_400), ("Mon, 07 Nov 1994 08:49:37 GMT", 86_400), ("", nil), (" ", nil),
    ("-1", nil), ("soon", nil), ("1e3", nil), ("0x10", nil), ("inf", nil), ("nan", nil), ("1.2.3", nil), ("12 s", nil),
  ]

  @Test("Seconds and dates are read, at most a day, and anything else asks for nothing", arguments: waits)
  func reads(text: String, expected: Double?) throws {
    let headers = ["Retry-After": text, "Date": "Sun, 06 Nov 1994 08:49:37 GMT"]
    #expect(RetryAfter.seconds(in: try response(503, headers)) == expected)
  }

  @Test("A wait needs the field, and a date the server's own, because this device's clock may be wrong")
  func serversClock() throws {
    for name in ["Date", "Retry-After"] {
      #expect(RetryAfter.seconds(in: try response(503, [name: "Sun, 06 Nov 1994 08:49:37 GMT"])) == nil)
    }
  }
}
