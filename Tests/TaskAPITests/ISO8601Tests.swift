import Foundation
import TaskAPI
import Testing

@Suite struct ISO8601Tests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2015-11-19T09:45:03.117Z", 1_447_926_303.117),
    ("2015-11-19T09:45:03Z", 1_447_926_303),
    ("2015-11-19T09:45:03", 1_447_926_303), ("2015-11-19T09:45:03.5", 1_447_926_303.5),
    ("2015-11-19T09:45Z", 1_447_926_300),
    ("2015-11-19 09:45:03z", 1_447_926_303), ("2015-11-19t11:45:03+02:00", 1_447_926_303),
    ("2015-11-19T11:45:03+0200", 1_447_926_303), ("2015-11-19T04:45:03-05", 1_447_926_303),
    ("2015-11-19T15:15:03.25+05:30", 1_447_926_303.25), ("2015-11-19T09:45:03,25Z", 1_447_926_303.25),
    ("2015-11-19T09:45:03.123456789012345Z", 1_447_926_303.123456789), ("2015-11-19", 1_447_891_200),
    ("2016-02-29T00:00:00Z", 1_456_704_000), ("2000-02-29T23:59:59Z", 951_868_799), ("1969-12-31T23:59:59Z", -1),
    ("1900-03-01T00:00:00Z", -2_203_891_200), ("0001-01-01T00:00:00Z", -62_135_596_800),
    ("9999-12-31T23:59:59Z", 253_402_300_799), ("2016-12-31T23:59:60Z", 1_483_228_800),
    ("+275760-09-13T00:00:00.000Z", 8_640_000_000_000), ("-271821-04-20T00:00:00.000Z", -8_640_000_000_000),
  ])
  func reads(_ text: String, _ seconds: Double) throws {
    #expect(try decoded(#"{"task":"x","date":"\#(text)"}"#).creationDate == Date(timeIntervalSince1970: seconds))
  }

  @Test(arguments: [
    "", " ", "yesterday", "2015", "2015-11", "2015-11-19T", "2015-11-19T09", "2015-11-19T09:45:",
    "2015-11-19T09:45:03.",
    "2015-11-19T09:45:03.Z", "2015-11-19T24:00:00Z", "2015-11-19T09:60:00Z", "2015-11-19T09:45:61Z",
    "2015-13-01T00:00:00Z",
    "2015-00-01T00:00:00Z", "2015-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2015-04-31T00:00:00Z",
    "2015-11-00T00:00:00Z",
    "2015-11-19T09:45:03ZZ", "2015-11-19T09:45:03+", "2015-11-19T09:45:03+24:00", "2015-11-19T09:45:03+02:60",
    "2015-11-19T09:45:03 Z", " 2015-11-19T09:45:03Z", "2015-1-1T00:00:00Z", "２０１５-11-19T09:45:03Z", "20151119T094503Z",
    "99999-01-01T00:00:00Z", "+5760-09-13T00:00:00Z", "2015-11-19T09:45:03\\u0000Z", "2015-11-19T-9:45:03Z",
  ])
  func refuses(_ text: String) {
    #expect(throws: DecodingError.self) { try decoded(#"{"task":"x","date":"\#(text)"}"#) }
  }

  @Test(arguments: [
    "2015-11-19T09:45:03.117Z", "1970-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "2000-02-29T12:00:00.000Z",
    "0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.000Z", "2015-11-19T09:45:03.117250Z", "1600-12-31T00:00:00.000Z",
  ])
  func writesWhatItRead(_ text: String) throws {
    let task = try decoded(#"{"task":"x","date":"\#(text)"}"#)
    let members = try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(task))
    #expect(members["date"] == .string(text))
  }

  @Test(arguments: 0..<200)
  func everyDayComesBack(_ step: Int) throws {
    // A prime number of days apart, so months, years and centuries are met at every place; checked by Foundation.
    let date = Date(timeIntervalSince1970: Double(-40_000 + step * 457) * 86_400)
    let text = date.formatted(.iso8601)
    let task = try decoded(#"{"task":"x","date":"\#(text)"}"#)
    #expect(task.creationDate == date)
    let members = try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(task))
    #expect(members["date"] == .string(text.replacingOccurrences(of: "Z", with: ".000Z")))
  }
}
