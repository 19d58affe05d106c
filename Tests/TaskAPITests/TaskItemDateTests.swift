import B2CCore
import Foundation
import TaskAPI
import Testing

@Suite struct TaskItemDateTests {
  @Test(
    "Reads the dates that servers write",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2015-11-19T09:45:03.117Z", 1_447_926_303.117),
      ("2015-11-19T09:45:03Z", 1_447_926_303), ("2015-11-19T09:45:03", 1_447_926_303),
      ("2015-11-19T09:45:03.5", 1_447_926_303.5), ("2015-11-19T11:45:03+02:00", 1_447_926_303),
      ("2015-11-19T04:45:03-05:00", 1_447_926_303), ("2015-11-19T15:15:03.25+05:30", 1_447_926_303.25),
      ("2015-11-19T09:45:03.123456789012345Z", 1_447_926_303.123456789), ("2016-02-29T00:00:00Z", 1_456_704_000),
      ("2000-02-29T23:59:59Z", 951_868_799), ("1969-12-31T23:59:59Z", -1), ("1900-03-01T00:00:00Z", -2_203_891_200),
      ("9999-12-31T23:59:59Z", 253_402_300_799),
    ])
  func reads(_ text: String, _ seconds: Double) throws {
    #expect(try decoded(#"{"task":"x","date":"\#(text)"}"#).creationDate == Date(timeIntervalSince1970: seconds))
  }

  @Test(
    "Refuses everything else, impossible dates included",
    arguments: [
      "", " ", "yesterday", "2015", "2015-11", "2015-11-19", "2015-11-19T", "2015-11-19T09", "2015-11-19T09:45Z",
      "2015-11-19T09:45:03.", "2015-11-19T09:45:03.Z", "2015-11-19T09:45:03.-5Z", "2015-11-19T24:00:00Z",
      "2015-11-19T09:60:00Z", "2015-11-19T09:45:61Z", "2015-13-01T00:00:00Z", "2015-00-01T00:00:00Z",
      "2015-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2015-04-31T00:00:00Z", "2015-11-00T00:00:00Z",
      "2015-11-19T09:45:03ZZ", "2015-11-19T09:45:03+", "2015-11-19T09:45:03+24:00", "2015-11-19T09:45:03+02:60",
      "2015-11-19T09:45:03+02:6x", "2015-11-19T09:45:03*02:00", "2015-11-19T09:45:03 Z", " 2015-11-19T09:45:03Z",
      "2015-1-1T00:00:00Z", "２０１５-11-19T09:45:03Z", "20151119T094503Z", "99999-01-01T00:00:00Z",
      "+275760-09-13T00:00:00Z", "2015-11-19T09:45:03\\u0000Z", "2015-11-19T-9:45:03Z", "2015-11-19T09:45:03Z tail",
    ])
  func refuses(_ text: String) {
    #expect(throws: DecodingError.self) { try decoded(#"{"task":"x","date":"\#(text)"}"#) }
  }

  @Test(
    "Writes what it read, to the millisecond",
    arguments: [
      "2015-11-19T09:45:03.117Z", "1970-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "2000-02-29T12:00:00.000Z",
      "0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.000Z", "1600-12-31T00:00:00.000Z",
    ])
  func writes(_ text: String) throws {
    #expect(try written(decoded(#"{"task":"x","date":"\#(text)"}"#)) == text)
  }

  @Test("Every day of two centuries comes back", arguments: 0..<200)
  func everyDay(_ step: Int) throws {
    // A prime number of days apart, so months, years and centuries are met at every place; checked by Foundation.
    let date = Date(timeIntervalSince1970: Double(-40_000 + step * 457) * 86_400)
    let text = date.formatted(.iso8601)
    let task = try decoded(#"{"task":"x","date":"\#(text)"}"#)
    #expect(task.creationDate == date)
    #expect(try written(task) == text.replacingOccurrences(of: "Z", with: ".000Z"))
  }

  private func written(_ task: TaskItem) throws -> String? {
    try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(task))["date"]?.string
  }
}
