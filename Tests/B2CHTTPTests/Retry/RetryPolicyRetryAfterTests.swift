import B2CHTTP
import B2CTestKit
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct RetryPolicyRetryAfterTests {
  private func seconds(_ headers: [String: String]) throws -> Double? {
    RetryAfter.seconds(in: try LocalResponse(status: 503, headers: headers).answer(to: URL(filePath: "/")).1)
  }

  private func seconds(_ retryAfter: String) throws -> Double? {
    try seconds(["Retry-After": retryAfter, "Date": "Sun, 06 Nov 1994 08:49:37 GMT"])
  }

  /// An app may turn the seconds into an integer, so nothing asks for more than a day.
  static let rows: [(String, Double?)] = [
    ("120", 120), ("0", 0), (" 7 ", 7), ("1.5", 1.5), ("86400", 86_400), ("86401", 86_400),
    ("99999999999999999999", 86_400), (String(repeating: "9", count: 400), 86_400),
    ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:49:38 GMT", 1), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
    ("Fri, 31 Dec 2099 23:59:59 GMT", 86_400), ("Mon, 07 Nov 1994 08:49:37 GMT", 86_400), ("", nil), (" ", nil),
    ("-1", nil), ("soon", nil), ("1e3", nil), ("0x10", nil), ("inf", nil), ("nan", nil), ("1.2.3", nil), ("12 s", nil),
  ]

  @Test("Seconds and dates are read, at most a day, and anything else asks for nothing", arguments: rows)
  func reads(text: String, expected: Double?) throws {
    #expect(try seconds(text) == expected)
  }

  @Test("A date is measured by the server's clock")
  func serversClock() throws {
    #expect(try seconds(["Date": "Sun, 06 Nov 1994 08:49:37 GMT"]) == nil)
    let date = "Sun, 06 Nov 1994 08:49:47 GMT"
    #expect(try seconds(["Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After": date]) == 10)
    // Without the server's own date this device's clock would have to be right.
    #expect(try seconds(["Retry-After": date]) == nil)
  }
}
