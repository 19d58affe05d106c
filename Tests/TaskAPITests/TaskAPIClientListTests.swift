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

  private static let unreadableTexts: [(String, String)] = [
    ("<!DOCTYPE html><html><body>Sign in</body></html>", "is HTML or XML instead of JSON"), ("", "is empty"),
    (" \n", "is empty"), (#"{"value":[]}"#, "is an object, not a list"), ("null", "is null, not a list"),
    (#""tasks""#, "is a string, not a list"), ("[1]", "[0] is a number"), ("[null]", "[0] is null, not an object"),
    (#"[{"task":"a"},{"_id":"1"}]"#, "[1] has no title (task or Text)"),
    (#"[{"task":"a"},{"task":7}]"#, "[1].task is a number, not a string"),
    (#"[{"task":"a","_id":17}]"#, "[0]._id is a number, not a string"),
    (#"[{"task":"a","completed":1}]"#, "[0].completed is a number, not true or false"),
    (#"[{"task":"a","date":"soon"}]"#, "[0].date is a string, not an ISO 8601 date"), ("[] tail", "at byte 3"),
    (#"[{"task":"a"},,]"#, "byte 14"), (#"[{"task":"a"},]"#, "byte 14"),
    (#"[{"task":"a","task":"b"}]"#, "has a key twice"), (#"[{"task":"\ud800"}]"#, "surrogate"),
    ("[{\"task\":\"a\nb\"}]", "control character"), (String(Samples.tutorialList.prefix(150)), "byte 1"),
    (String(repeating: "[", count: 100_000), "32"), (String(repeating: #"{"a":"#, count: 100_000), "32"),
    (#"[{"task":"x","a":"# + String(repeating: "[", count: 100_000), "32"),
  ]
  private static let invalidUTF8 = Data(#"[{"task":""#.utf8) + Data([0xC3, 0x28]) + Data(#""}]"#.utf8)
  static let unreadable = unreadableTexts.map { (Data($0.utf8), $1) } + [(invalidUTF8, "UTF-8")]

  @Test("The error of a list that cannot be read says where", arguments: unreadable)
  func unreadableListIsTyped(_ body: Data, _ says: String) async throws {
    let status = body.isEmpty ? 204 : 200
    let client = try client(
      CannedTransport(LocalResponse(status: status, headers: ["X-Request-Id": "r-1"], body: body)))
    let error = try #require(await taskError { _ = try await client.list() })
    #expect(error.code == .invalidResponse && error.status == status && error.message.contains("r-1"))
    #expect(error.message.hasPrefix("The server answered \(status) to GET https://tasks.example.com/tasks: "))
    #expect(error.message.contains(says), "\(error.message)")
    #expect(!error.isRetryable && !error.outcomeIsUnknown)
  }
}
