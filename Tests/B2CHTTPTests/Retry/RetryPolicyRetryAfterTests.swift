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

  @Test(arguments: [
    ("120", 120), ("0", 0), (" 7 ", 7), ("1.5", 1.5),
    ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:49:38 GMT", 1),
    ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
  ])
  func readsSecondsAndDates(text: String, seconds expected: Double) throws {
    #expect(try seconds(text) == expected)
  }

  @Test(
    "An app may turn the seconds into an integer: nothing asks for more than a day",
    arguments: [
      "86400", "86401", "99999999999999999999", String(repeating: "9", count: 400),
      "Fri, 31 Dec 2099 23:59:59 GMT", "Mon, 07 Nov 1994 08:49:37 GMT",
    ])
  func isADayAtMost(text: String) throws {
    #expect(Int(try #require(try seconds(text))) == 86_400)
  }

  @Test(arguments: ["", " ", "-1", "soon", "1e3", "0x10", "inf", "nan", "1.2.3", "12 s"])
  func asksForNothingUnreadably(text: String) throws {
    #expect(try seconds(text) == nil)
  }

  @Test func asksForNothingWhenAbsent() throws {
    #expect(try seconds(["Date": "Sun, 06 Nov 1994 08:49:37 GMT"]) == nil)
  }

  @Test func measuresADateByTheServersClock() throws {
    let date = "Sun, 06 Nov 1994 08:49:47 GMT"
    #expect(try seconds(["Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After": date]) == 10)
    // Without the server's own date this device's clock would have to be right.
    #expect(try seconds(["Retry-After": date]) == nil)
  }
}
