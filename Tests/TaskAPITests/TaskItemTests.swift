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
}

@Suite(.hangLimit) struct TaskAPIClientListTests {
  @Test("A list is read in either dialect", arguments: allDialects)
  func readsEitherDialect(_ dialect: TaskDialect) async throws {
    let transport = CannedTransport(.text(200, Samples.tutorialList), .text(200, Samples.repositoryList))
    let client = try client(transport) { $0.dialect = dialect }
    let tutorial = try await client.list()
    let repository = try await client.list()
    #expect(tutorial.map(\.itemName) == ["Buy milk", "Walk the \"dog\"\né 🐕"])
    #expect(tutorial.map(\.completed) == [false, true])
    #expect(tutorial[1].creationDate == Date(timeIntervalSince1970: 1_447_926_304))
    #expect(repository.map(\.itemName) == ["Buy milk", ""])
    #expect(repository.map(\.id) == ["57c5a0b1c2d3e4f5a6b7c8d9", "57c5a0b1c2d3e4f5a6b7c8da"])
    #expect(repository[1].unknownFields == ["__v": .integer(2)])
  }

  @Test(
    "Of two titles the one under the dialect's name counts",
    arguments: [(TaskDialect.tutorial, "old", "Text", "new"), (.repository, "new", "task", "old")])
  func configuredNameWins(_ dialect: TaskDialect, _ name: String, _ other: String, _ rest: String) async throws {
    let transport = CannedTransport(.text(200, #"[{"task":"old","Text":"new"}]"#))
    let tasks = try await client(transport) { $0.dialect = dialect }.list()
    #expect(tasks.map(\.itemName) == [name] && tasks.map(\.unknownFields) == [[other: .string(rest)]])
  }

  @Test("The content type does not decide")
  func contentType() async throws {
    let transport = CannedTransport(.text(200, "\n [ ] ", headers: ["Content-Type": "text/plain"]))
    #expect(try await client(transport).list().isEmpty)
  }

  // `JSONReaderTests` has the faults of the JSON itself.
  static let unreadable: [(String, String)] = [
    ("", "is empty"), (" \n", "is empty"), ("null", "is null, not a list"), (#""tasks""#, "is a string, not a list"),
    ("[null]", "[0] is null, not an object"), (#"[{"task":"a"},{"_id":"1"}]"#, "[1] has no title (task or Text)"),
    (#"[{"task":"a"},{"task":7}]"#, "[1].task is a number, not a string"),
    (#"[{"task":"a","completed":1}]"#, "[0].completed is a number, not true or false"),
    (#"[{"task":"a","date":"soon"}]"#, "[0].date is a string, not an ISO 8601 date"), ("[] tail", "at byte 3"),
    (#"[{"task":"a","task":"b"}]"#, "has a key twice"), (String(repeating: "[", count: 100_000), "32"),
  ]

  @Test("The error of a list that cannot be read says where", arguments: unreadable)
  func unreadableListIsTyped(_ body: String, _ says: String) async throws {
    let status = body.isEmpty ? 204 : 200
    let client = try client(CannedTransport(.text(status, body, headers: ["X-Request-Id": "r-1"])))
    let error = try #require(await taskError { _ = try await client.list() })
    #expect(error.code == .invalidResponse && error.status == status && error.message.contains("r-1"))
    #expect(error.message.hasPrefix("The server answered \(status) to GET https://tasks.example.com/tasks: "))
    #expect(error.message.contains(says), "\(error.message)")
    #expect(!error.isRetryable && !error.outcomeIsUnknown)
  }
}
