import B2CCore
import Foundation
import Testing

@Suite struct Base64URLTests {
  // RFC 4648 section 10, without padding.
  @Test(
    "Text is encoded without padding, and decoded",
    arguments: [
      ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
      ("foobar", "Zm9vYmFy"),
    ])
  func vectors(text: String, encoded: String) {
    #expect(Base64URL.encode(text.utf8) == encoded)
    #expect(Base64URL.decode(encoded) == Data(text.utf8))
  }

  @Test("Every byte comes back from an alphabet that is safe in URLs")
  func bytes() {
    // RFC 7515 appendix C.
    #expect(Base64URL.encode([3, 236, 255, 224, 193]) == "A-z_4ME")
    for length in 0...260 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) }
      let text = Base64URL.encode(bytes)
      #expect(!text.contains { "+/=".contains($0) })
      #expect(Base64URL.decode(text) == Data(bytes))
    }
  }

  @Test(
    "Another alphabet, padding, spaces and unused bits are refused",
    arguments: ["A", "AAAAA", "Zg==", "Zm9v ", "Zm 9", "+/+/", "Zm9é", "Zh", "Zm9", "\n"])
  func refused(text: String) { #expect(Base64URL.decode(text) == nil) }
}

@Suite struct FormEncodingTests {
  // RFC 3986 section 2.3: the unreserved set stays, all else is escaped.
  @Test(
    "Everything but the unreserved characters is escaped",
    arguments: [
      ("", ""), ("AZaz09-._~", "AZaz09-._~"), (" ", "%20"), ("+", "%2B"), ("é", "%C3%A9"), ("😀", "%F0%9F%98%80"),
      ("a+b;c'd/e:f?g@h", "a%2Bb%3Bc%27d%2Fe%3Af%3Fg%40h"), ("%", "%25"), ("&=#", "%26%3D%23"),
      ("\u{0}\n", "%00%0A"), ("*", "%2A"),
    ])
  func escaping(text: String, escaped: String) {
    #expect(FormEncoding.escape(text) == escaped)
    #expect(FormEncoding.unescape(escaped) == text)
  }

  @Test(
    "A plus sign is a space in a query but not in a path, and what is no escape is kept",
    arguments: [
      ("a+b%2Bc%20d", "a b+c d"), ("%zz", "%zz"), ("%", "%"), ("%4", "%4"), ("%41%", "%41%"), ("%e9", "%e9"),
      ("%2b", "+"), ("100%25", "100%"), ("%%41", "%%41"),
    ])
  func unescaping(text: String, plain: String) {
    #expect(FormEncoding.unescape(text) == plain)
    #expect(FormEncoding.percentDecode("a+b%2Bc%20d") == "a+b+c d")
  }

  @Test("Pairs are written in their order, and every pair is read, also one without a name or a value")
  func pairs() {
    #expect(FormEncoding.encode([]) == "")
    #expect(FormEncoding.encode([("b", "1 2"), ("a", ""), ("b", "&")]) == "b=1%202&a=&b=%26")
    let pairs = FormEncoding.decode("b=1+2&a&&c=x=y&=z&%62=%26")
    #expect(pairs.map(\.name) == ["b", "a", "c", "", "b"])
    #expect(pairs.map(\.value) == ["1 2", "", "x=y", "z", "&"])
    #expect(FormEncoding.decode("").isEmpty)
  }
}

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
  func noHeaderFields(text: String) { #expect(Dates.headerField(text) == nil) }

  @Test(
    "A time without an offset is UTC, and its fraction has any length",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2015-11-19T09:45:03", 1_447_926_303), ("2015-11-19T09:45:03.5", 1_447_926_303.5),
      ("2015-11-19T09:45:03.117Z", 1_447_926_303.117), ("2015-11-19T09:45:03.1234567", 1_447_926_303.1234567),
      ("2015-11-19T09:45:03.123456789012345Z", 1_447_926_303.123456789), ("2016-02-29T00:00:00Z", 1_456_704_000),
      ("2015-11-19T04:45:03-05:00", 1_447_926_303), ("2015-11-19T15:15:03.25+05:30", 1_447_926_303.25),
      ("2038-01-19T04:14:08+0100", 2_147_483_648), ("2000-02-29T23:59:59Z", 951_868_799), ("1969-12-31T23:59:59Z", -1),
      ("1900-03-01T00:00:00Z", -2_203_891_200), ("9999-12-31T23:59:59Z", 253_402_300_799),
    ])
  func internet(text: String, seconds: Double) throws {
    #expect(try abs(#require(Dates.internet(text)).timeIntervalSince1970 - seconds) < 1e-6)
  }

  @Test(
    "Any other text is no time, one that does not exist included",
    arguments: [
      "", " ", "yesterday", "2015", "2015-11", "2015-11-19", "2015-11-19T", "2015-11-19T09", "2015-11-19T09:45Z",
      "2015-11-19T09:45:03.", "2015-11-19T09:45:03.Z", "2015-11-19T09:45:03.-5Z", "2015-11-19T24:00:00Z",
      "2015-11-19T09:60:00Z", "2015-11-19T09:45:61Z", "2015-13-01T00:00:00Z", "2015-00-01T00:00:00Z",
      "2015-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2015-04-31T00:00:00Z", "2015-11-00T00:00:00Z",
      "2015-11-19T09:45:03ZZ", "2015-11-19T09:45:03+", "2015-11-19T09:45:03+24:00", "2015-11-19T09:45:03+02:60",
      "2015-11-19T09:45:03+02:6x", "2015-11-19T09:45:03*02:00", "2015-11-19T09:45:03 Z", " 2015-11-19T09:45:03Z",
      "2015-1-1T00:00:00Z", "２０１５-11-19T09:45:03Z", "20151119T094503Z", "99999-01-01T00:00:00Z",
      "+275760-09-13T00:00:00Z", "2015-11-19T09:45:03\u{0}Z", "2015-11-19T-9:45:03Z", "2015-11-19T09:45:03Z tail",
    ])
  func noTimes(text: String) { #expect(Dates.internet(text) == nil) }

  @Test("Every day of two centuries is written and read", arguments: 0..<200)
  func everyDay(_ step: Int) {
    // A prime number of days apart, so months, years and centuries are met at every place; checked by Foundation.
    let date = Date(timeIntervalSince1970: Double(-40_000 + step * 457) * 86_400)
    let text = date.formatted(.iso8601)
    #expect(Dates.internet(text) == date && Dates.internet(date) == text.replacing("Z", with: ".000Z"))
  }

  @Test(
    "A time is written to the millisecond, within the years 1 to 9999",
    arguments: [
      (1_795_243_484.117, "2026-11-21T06:44:44.117Z"), (2_147_483_647.9996, "2038-01-19T03:14:08.000Z"),
      (-11_644_560_000, "1600-12-31T00:00:00.000Z"),
      (-0.001, "1969-12-31T23:59:59.999Z"), (1e300, "9999-12-31T23:59:59.999Z"),
      (.infinity, "9999-12-31T23:59:59.999Z"), (-1e300, "0001-01-01T00:00:00.000Z"), (.nan, "0001-01-01T00:00:00.000Z"),
    ])
  func writings(seconds: Double, text: String) {
    #expect(Dates.internet(Date(timeIntervalSince1970: seconds)) == text)
    #expect(Dates.headerField(Date(timeIntervalSince1970: seconds)).utf8.count == 29)
  }
}
