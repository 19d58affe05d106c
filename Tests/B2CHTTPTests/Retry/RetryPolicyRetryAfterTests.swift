import B2CHTTP
import B2CTestKit
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct RetryPolicyRetryAfterTests {
  private static let now = Date(timeIntervalSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

  private func seconds(_ headers: [String: String], _ now: Date) throws -> Double? {
    RetryAfter.seconds(in: try LocalResponse(status: 503, headers: headers).answer(to: URL(filePath: "/")).1, now: now)
  }

  @Test(arguments: [
    ("120", 120), ("0", 0), (" 7 ", 7), ("1.5", 1.5),
    ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:49:38 GMT", 1),
    ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
  ])
  func readsSecondsAndDates(text: String, seconds expected: Double) throws {
    #expect(try seconds(["Retry-After": text], Self.now) == expected)
  }

  @Test(
    "An app may turn the seconds into an integer: nothing asks for more than a day",
    arguments: [
      "86400", "86401", "99999999999999999999", String(repeating: "9", count: 400),
      "Fri, 31 Dec 2099 23:59:59 GMT", "Mon, 07 Nov 1994 08:49:37 GMT",
    ])
  func isADayAtMost(text: String) throws {
    #expect(Int(try #require(try seconds(["Retry-After": text], Self.now))) == 86_400)
  }

  @Test(arguments: ["", " ", "-1", "soon", "1e3", "0x10", "inf", "nan", "1.2.3", "12 s"])
  func asksForNothingUnreadably(text: String) throws {
    #expect(try seconds(["Retry-After": text], Self.now) == nil)
  }

  @Test func asksForNothingWhenAbsent() throws {
    #expect(try seconds(["Date": "Sun, 06 Nov 1994 08:49:37 GMT"], Self.now) == nil)
  }

  @Test func measuresADateByTheServersClock() throws {
    let headers: [String: String] = [
      "Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT",
    ]
    #expect(try seconds(headers, .distantPast) == 10)
    #expect(try seconds(headers, .distantFuture) == 10)
  }
}
