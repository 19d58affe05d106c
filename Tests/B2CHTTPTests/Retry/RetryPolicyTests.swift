import B2CHTTP
import B2CTestKit
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct RetryPolicyTests {
  private func delay(
    _ policy: RetryPolicy = RetryPolicy(), attempt: Int = 1, status: Int, _ headers: [String: String] = [:]
  ) throws -> Duration? {
    let sent = headers.merging(["Date": "Sun, 06 Nov 1994 08:49:37 GMT"]) { given, _ in given }
    let response = try LocalResponse(status: status, headers: sent).answer(to: URL(filePath: "/")).1
    return policy.delay(afterAttempt: attempt, .success(response))
  }

  @Test("A fault that may pass is tried again", arguments: [408, 429, 500, 502, 503, 504])
  func passing(status: Int) throws {
    #expect(try delay(status: status) == .seconds(1))
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

  @Test("The wait is a second, doubled for each try up to the maximum", arguments: [(1, 1), (2, 2), (4, 8), (60, 10)])
  func doubling(attempt: Int, seconds: Int) throws {
    for status in [429, 503] {
      #expect(try delay(RetryPolicy(maximumAttempts: 100), attempt: attempt, status: status) == .seconds(seconds))
    }
    #expect(try delay(RetryPolicy(maximumAttempts: 100, maximumDelay: .zero), attempt: attempt, status: 503) == .zero)
  }

  @Test(
    "The policy keeps a wait that the server names, and does not try again after one above the maximum",
    arguments: [
      ("3", 3), ("0", 0), ("10", 10), ("11", nil), ("3600", nil), ("99999999999999999999999", nil), ("soon", 1),
      ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sun, 06 Nov 1994 09:49:37 GMT", nil),
      ("Sun, 06 Nov 1994 07:49:37 GMT", 0),
    ] as [(String, Int?)])
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
}
