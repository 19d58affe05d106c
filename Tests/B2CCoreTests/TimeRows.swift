#if canImport(B2CCore)
  import B2CCore
#endif

/// Times within and beyond 32 bits, with the texts that servers write for them, and what the package makes of both.
enum TimeRows {
  struct Instant: Sendable {
    let seconds: Int64
    let internet: String
    let http: String
  }

  static let instants = [
    Instant(seconds: -62_167_219_200, internet: "0000-01-01T00:00:00.000Z", http: "Sat, 01 Jan 0000 00:00:00 GMT"),
    Instant(seconds: -2_177_452_800, internet: "1901-01-01T00:00:00.000Z", http: "Tue, 01 Jan 1901 00:00:00 GMT"),
    Instant(seconds: -2_147_483_649, internet: "1901-12-13T20:45:51.000Z", http: "Fri, 13 Dec 1901 20:45:51 GMT"),
    Instant(seconds: -2_147_483_648, internet: "1901-12-13T20:45:52.000Z", http: "Fri, 13 Dec 1901 20:45:52 GMT"),
    Instant(seconds: -1, internet: "1969-12-31T23:59:59.000Z", http: "Wed, 31 Dec 1969 23:59:59 GMT"),
    Instant(seconds: 0, internet: "1970-01-01T00:00:00.000Z", http: "Thu, 01 Jan 1970 00:00:00 GMT"),
    // From here on milliseconds need more than 32 bits.
    Instant(seconds: 2_147_484, internet: "1970-01-25T20:31:24.000Z", http: "Sun, 25 Jan 1970 20:31:24 GMT"),
    Instant(seconds: 1_795_243_484, internet: "2026-11-21T06:44:44.000Z", http: "Sat, 21 Nov 2026 06:44:44 GMT"),
    Instant(seconds: 2_147_483_647, internet: "2038-01-19T03:14:07.000Z", http: "Tue, 19 Jan 2038 03:14:07 GMT"),
    Instant(seconds: 2_147_483_648, internet: "2038-01-19T03:14:08.000Z", http: "Tue, 19 Jan 2038 03:14:08 GMT"),
    Instant(seconds: 4_294_967_296, internet: "2106-02-07T06:28:16.000Z", http: "Sun, 07 Feb 2106 06:28:16 GMT"),
    Instant(seconds: 253_402_300_799, internet: "9999-12-31T23:59:59.000Z", http: "Fri, 31 Dec 9999 23:59:59 GMT"),
  ]

  /// Other texts of a time.
  static let readings: [(text: String, seconds: Double?)] = [
    ("2038-01-19T03:14:07.500Z", 2_147_483_647.5), ("2038-01-19T04:14:08+01:00", 2_147_483_648),
    ("9999-12-31T23:59:59.999999999999Z", 253_402_300_799.999999999), ("9999-12-31T23:59:59-23:59", 253_402_387_139),
    ("10000-01-01T00:00:00Z", nil), ("2038-02-29T00:00:00Z", nil), ("2038-01-19T03:14:08Z or later", nil),
    ("Thursday, 19-Jan-38 03:14:08 GMT", 2_147_483_648), ("Tue Jan 19 03:14:08 2038", 2_147_483_648),
    ("Fri, 31 Dec 9999 23:59:60 GMT", 253_402_300_800), ("Sat, 31 Dec 10000 23:59:59 GMT", nil),
    ("Fri, 32 Dec 9999 23:59:59 GMT", nil),
  ]

  /// Times that four digits of year cannot hold, or that are not on a millisecond.
  static let writings: [(seconds: Double, internet: String)] = [
    (1_795_243_484.117, "2026-11-21T06:44:44.117Z"), (2_147_483_647.9996, "2038-01-19T03:14:08.000Z"),
    (-0.001, "1969-12-31T23:59:59.999Z"), (1e15, "9999-12-31T23:59:59.999Z"), (1e300, "9999-12-31T23:59:59.999Z"),
    (-1e300, "0000-01-01T00:00:00.000Z"), (.infinity, "9999-12-31T23:59:59.999Z"), (.nan, "1970-01-01T00:00:00.000Z"),
  ]

  /// How far an `exp`, `nbf` or `iat` is from now, as the error says it; the farthest is the last second of 9999.
  static let distances: [(seconds: Double, text: String)] = [
    (0.2, "1 second"), (300, "300 seconds"), (1_795_243_484, "1795243484 seconds"),
    (2_147_483_647.5, "2147483648 seconds"), (253_402_300_799, "253402300799 seconds"),
    (1e300, "9007199254740992 seconds"), (.infinity, "9007199254740992 seconds"), (.nan, "0 seconds"),
  ]

  /// Says where an instant is read or written as another one.
  static func faults(of row: Instant) -> [String] {
    var faults: [String] = []
    func check(_ isRight: Bool, _ what: String) {
      if !isRight { faults.append("\(row.internet): \(what)") }
    }
    check(InternetTime.seconds(from: row.internet) == Double(row.seconds), "read from ISO 8601")
    check(isSame(InternetTime.text(from: Double(row.seconds)), row.internet), "written as ISO 8601")
    check(HTTPTime.seconds(from: row.http) == row.seconds, "read from a header field")
    check(isSame(HTTPTime.text(from: row.seconds), row.http), "written into a header field")
    check(CivilTime(secondsSince1970: row.seconds).secondsSince1970 == row.seconds, "taken apart and put together")
    check(WholeNumber.rounding(Double(row.seconds) + 0.5, .down) == row.seconds, "rounded down")
    let nearest = WholeNumber.rounding(Double(row.seconds) + 0.25, .toNearestOrAwayFromZero)
    check(nearest == row.seconds, "rounded to the nearest")
    return faults
  }

  static func reads(_ text: String, _ seconds: Double?) -> Bool {
    (InternetTime.seconds(from: text) ?? HTTPTime.seconds(from: text).map { Double($0) }) == seconds
  }

  static func writes(_ seconds: Double, _ internet: String) -> Bool {
    isSame(InternetTime.text(from: seconds), internet)
  }

  static func says(_ seconds: Double, _ text: String) -> Bool {
    isSame(WholeNumber.seconds(seconds), text)
  }

  /// Byte for byte, which needs no Unicode tables.
  private static func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8)
  }
}
