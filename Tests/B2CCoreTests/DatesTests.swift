import B2CCore
import Foundation
import Testing

@Suite struct DatesTests {
  @Test(
    "A header field's date is read and written (RFC 9110 section 5.6.7)",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
      ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ])
  func headerFields(text: String, seconds: Int64) {
    let date = Date(timeIntervalSince1970: Double(seconds))
    #expect(Dates.headerField(text) == date)
    #expect(Dates.headerField(date) == text)
  }

  @Test(
    "Any other text in a header field is no date",
    arguments: [
      "", "now", "120", "Sun", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST",
      "Nov, 06 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
      "Wed, 29 Feb 2023 00:00:00 GMT", "Thu, 29 Feb 1900 00:00:00 GMT", "Sun, 06 Nvo 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
      "Sun, 06 Nov ١٩٩٤ 08:49:37 GMT", "Sun, 06 Nov 99999 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT, later",
      "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
  func noHeaderFields(text: String) {
    #expect(Dates.headerField(text) == nil)
  }

  @Test(
    "A time without an offset is UTC, and its fraction has any length",
    arguments: [
      ("2038-01-19T03:14:07.500Z", 2_147_483_647.5), ("2038-01-19T04:14:08+01:00", 2_147_483_648),
      ("2038-01-19T04:14:08+0100", 2_147_483_648),
      ("2015-11-19T09:45:03.1234567", 1_447_926_303.1234567), ("2015-11-19T09:45:03", 1_447_926_303),
    ])
  func internet(text: String, seconds: Double) throws {
    let date = try #require(Dates.internet(text))
    #expect(abs(date.timeIntervalSince1970 - seconds) < 1e-6)
  }

  @Test(
    "A time is written to the millisecond, within the years 1 to 9999",
    arguments: [
      (1_795_243_484.117, "2026-11-21T06:44:44.117Z"), (2_147_483_647.9996, "2038-01-19T03:14:08.000Z"),
      (-0.001, "1969-12-31T23:59:59.999Z"), (1e300, "9999-12-31T23:59:59.999Z"),
      (.infinity, "9999-12-31T23:59:59.999Z"),
      (-1e300, "0001-01-01T00:00:00.000Z"), (.nan, "0001-01-01T00:00:00.000Z"),
    ])
  func writings(seconds: Double, text: String) {
    #expect(Dates.internet(Date(timeIntervalSince1970: seconds)) == text)
    #expect(Dates.headerField(Date(timeIntervalSince1970: seconds)).utf8.count == 29)
  }
}
