import B2CHTTP
import Foundation
import Testing

struct RetryPolicyRetryAfterTests {
  private static let now = Date(timeIntervalSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

  @Test(arguments: [
    ("120", 120), ("0", 0), (" 7 ", 7), ("1.5", 1.5),
    ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:49:38 GMT", 1),
    ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
  ])
  func readsSecondsAndDates(text: String, seconds: Double) {
    #expect(RetryAfter.seconds(in: ["Retry-After": text], now: Self.now) == seconds)
  }

  @Test(
    "An app may turn the seconds into an integer: nothing asks for more than a day",
    arguments: [
      "86400", "86401", "99999999999999999999", String(repeating: "9", count: 400),
      "Fri, 31 Dec 2099 23:59:59 GMT", "Mon, 07 Nov 1994 08:49:37 GMT",
    ])
  func isADayAtMost(text: String) throws {
    let seconds = try #require(RetryAfter.seconds(in: ["Retry-After": text], now: Self.now))
    #expect(Int(seconds) == 86_400)
  }

  @Test(arguments: ["", " ", "-1", "soon", "1e3", "0x10", "inf", "nan", "1.2.3", "12 s"])
  func asksForNothingUnreadably(text: String) {
    #expect(RetryAfter.seconds(in: ["Retry-After": text], now: Self.now) == nil)
  }

  @Test func asksForNothingWhenAbsent() {
    #expect(RetryAfter.seconds(in: ["Date": "Sun, 06 Nov 1994 08:49:37 GMT"], now: Self.now) == nil)
  }

  @Test func measuresADateByTheServersClock() {
    let headers: TransportRequest.Headers = [
      "Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT",
    ]
    #expect(RetryAfter.seconds(in: headers, now: .distantPast) == 10)
    #expect(RetryAfter.seconds(in: headers, now: .distantFuture) == 10)
  }
}
