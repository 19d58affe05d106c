import B2CTestKit
import Foundation
import TestSupport
import Testing

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
