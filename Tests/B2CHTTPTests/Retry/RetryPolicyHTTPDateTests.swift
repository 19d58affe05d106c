import B2CHTTP
import Foundation
import Testing

struct RetryPolicyHTTPDateTests {
  // The three forms of one instant: RFC 9110 section 5.6.7.
  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
    ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777),
    ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
    ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
    ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
    ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
    ("Wednesday, 31-Dec-69 00:00:00 GMT", 3_155_673_600),
    ("Thursday, 01-Jan-70 00:00:00 GMT", 0),
    ("Sat, 21 Nov 2026 06:44:44 UTC", 1_795_243_484),
  ])
  func readsEachForm(text: String, seconds: Int) {
    #expect(HTTPDate.parse(text) == Date(timeIntervalSince1970: Double(seconds)))
  }

  @Test(arguments: [
    "", "now", "120", "Sun", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST",
    "Nov, 06 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
    "Wed, 29 Feb 2023 00:00:00 GMT", "Thu, 29 Feb 1900 00:00:00 GMT", "Sun, 06 Nvo 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
    "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 +8:49:37 GMT",
    "Sun, 06 Nov 199 08:49:37 GMT", "Sun, 06 Nov ١٩٩٤ 08:49:37 GMT", "Sun, 06 Nov 99999 08:49:37 GMT",
  ])
  func refusesWhatIsNoDate(text: String) {
    #expect(HTTPDate.parse(text) == nil)
  }

  @Test func agreesWithTheCalendarOverCenturies() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    for days in stride(from: -40_000, to: 80_000, by: 37) {
      let date = Date(timeIntervalSince1970: Double(days) * 86_400)
      let parts = calendar.dateComponents([.year, .month, .day], from: date)
      let (year, month, day) = (try #require(parts.year), try #require(parts.month), try #require(parts.day))
      let text = "Mon, \(day < 10 ? "0" : "")\(day) \(months[month - 1]) \(year) 00:00:00 GMT"
      #expect(HTTPDate.parse(text) == date)
    }
  }
}
