import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit) struct TaskItemTests {
  @Test("A server's document is read, and equals a task that is made with the server's id and date")
  func document() throws {
    let date = Date(timeIntervalSince1970: 1_447_926_303.117)
    var task = TaskItem(
      itemName: "Buy milk", ownerName: "o-1", serverID: "564d9a1f6b3c2a0d00a1b2c3", creationDate: date)
    task.unknownFields = ["__v": .integer(0)]
    #expect(try decoded(Samples.stored) == task && task.id == "564d9a1f6b3c2a0d00a1b2c3")
    #expect(try decoded(#"{"task":"x","completed":true}"#) == TaskItem(itemName: "x", completed: true))
    #expect(
      try decoded(#"{"task":"x","_id":null,"owner":null,"completed":null,"date":null}"#) == TaskItem(itemName: "x"))
  }

  @Test("Tasks that are not stored yet are rows of their own in a list, and keep their row when they change")
  func rows() throws {
    let (first, second) = (TaskItem(itemName: "x"), TaskItem(itemName: "x"))
    #expect(first.id != second.id)
    var changed = first
    changed.itemName = "y"
    #expect(changed.id == first.id && changed != first)
    // Which row shows it is no part of what a task is.
    #expect(first == second && first.hashValue == second.hashValue)
    // As with the server's documents that have no id.
    #expect(try decoded(#"{"task":"x"}"#).id != decoded(#"{"task":"x"}"#).id)
  }

  @Test(
    "Fields that the client does not know are kept",
    arguments: [
      (#"null"#, JSONValue.null), ("true", .bool(true)), ("-3", .integer(-3)), ("1.5", .number(1.5)),
      (#""ü\u0000""#, .string("ü\u{0}")), ("[]", .array([])), ("{}", .object([:])),
      (#"[1,"a",null,{"b":3}]"#, .array([.integer(1), .string("a"), .null, .object(["b": .integer(3)])])),
      (#"{"a":{"task":[false]}}"#, .object(["a": .object(["task": .array([.bool(false)])])])),
    ])
  func keepsUnknownMembers(_ json: String, _ value: JSONValue) throws {
    #expect(
      try decoded(#"{"task":"x","more":\#(json),"__v":\#(json)}"#).unknownFields == ["more": value, "__v": value])
  }

  @Test("A task that an app stores keeps everything, and a draft its id, which no request has")
  func stored() async throws {
    let draft = TaskItem(itemName: "Buy milk")
    var task = try decoded(
      #"{"_id":"1","task":"a","owner":"o","date":"2015-11-19T09:45:03.117Z","more":[1,{"b":null}]}"#)
    task.completed = true
    let stored = try JSONDecoder().decode([TaskItem].self, from: JSONEncoder().encode([draft, task]))
    #expect(stored == [draft, task] && stored.map(\.id) == [draft.id, "1"] && stored[0].unknownFields == [:])
    let transport = CannedTransport(.text(204, ""))
    try await client(transport).add(stored[0])
    #expect(try members(of: #require(transport.requests.first)) == ["task": .string("Buy milk")])
  }

  @Test(
    "A field of the wrong type is refused",
    arguments: [
      "{}", #"{"task":null}"#, #"{"task":1}"#, #"{"Text":["x"]}"#, #"{"task":"x","_id":5}"#, "[]", #"{"Task":"x"}"#,
      #"{"task":"x","owner":{}}"#, #"{"task":"x","completed":"yes"}"#, #"{"task":"x","completed":1}"#,
      #"{"task":"x","date":1447926303}"#,
    ])
  func refusesWrongTypes(_ json: String) {
    #expect(throws: DecodingError.self) { try decoded(json) }
  }

  // MARK: Dates

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
  func readsDate(_ text: String, _ seconds: Double) throws {
    #expect(try decoded(#"{"task":"x","date":"\#(text)"}"#).creationDate == Date(timeIntervalSince1970: seconds))
  }

  @Test(
    "Refuses every other date, impossible ones included",
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
  func refusesDate(_ text: String) {
    #expect(throws: DecodingError.self) { try decoded(#"{"task":"x","date":"\#(text)"}"#) }
  }

  private func writtenDate(of task: TaskItem) throws -> String? {
    try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(task))["date"]?.string
  }

  @Test(
    "Writes the date that it read, to the millisecond",
    arguments: [
      "2015-11-19T09:45:03.117Z", "1970-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "2000-02-29T12:00:00.000Z",
      "0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.000Z", "1600-12-31T00:00:00.000Z",
    ])
  func writesDate(_ text: String) throws {
    #expect(try writtenDate(of: decoded(#"{"task":"x","date":"\#(text)"}"#)) == text)
  }

  @Test("Every day of two centuries comes back", arguments: 0..<200)
  func everyDay(_ step: Int) throws {
    // A prime number of days apart, so months, years and centuries are met at every place; checked by Foundation.
    let date = Date(timeIntervalSince1970: Double(-40_000 + step * 457) * 86_400)
    let text = date.formatted(.iso8601)
    let task = try decoded(#"{"task":"x","date":"\#(text)"}"#)
    #expect(task.creationDate == date)
    #expect(try writtenDate(of: task) == text.replacingOccurrences(of: "Z", with: ".000Z"))
  }
}
