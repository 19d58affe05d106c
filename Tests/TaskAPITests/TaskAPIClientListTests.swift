import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TaskAPI
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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
    #expect(tasks.map(\.itemName) == [name])
    #expect(tasks[0].unknownFields == [other: .string(rest)])
  }

  @Test("The request has the token and asks for JSON")
  func request() async throws {
    let transport = CannedTransport(.text(200, "[]"))
    #expect(try await client(transport).list().isEmpty)
    let request = try #require(transport.requests.first)
    #expect(request.method == "GET" && request.httpBody == nil)
    #expect(request.value(forHTTPHeaderField: "authorization") == "Bearer opaque-token-1")
    #expect(request.value(forHTTPHeaderField: "accept") == "application/json")
  }

  @Test("The content type does not decide")
  func contentType() async throws {
    let transport = CannedTransport(.text(200, "\n [ ] ", headers: ["Content-Type": "text/plain"]))
    #expect(try await client(transport).list().isEmpty)
  }

  static let unreadable: [(String, Data, String)] = [
    ("HTML", Data("<!DOCTYPE html><html><body>Sign in</body></html>".utf8), "is HTML or XML instead of JSON"),
    ("empty", Data(), "is empty"), ("blank", Data(" \n".utf8), "is empty"),
    ("an object", Data(#"{"value":[]}"#.utf8), "is an object, not a list"),
    ("null", Data("null".utf8), "is null, not a list"),
    ("a text", Data("\"tasks\"".utf8), "is a string, not a list"), ("numbers", Data("[1]".utf8), "[0] is a number"),
    ("a null task", Data("[null]".utf8), "[0] is null, not an object"),
    ("no title", Data(#"[{"task":"a"},{"_id":"1"}]"#.utf8), "[1] has no title (task or Text)"),
    ("number as title", Data(#"[{"task":"a"},{"task":7}]"#.utf8), "[1].task is a number, not a string"),
    ("number as id", Data(#"[{"task":"a","_id":17}]"#.utf8), "[0]._id is a number, not a string"),
    (
      "number as flag", Data(#"[{"task":"a","completed":1}]"#.utf8),
      "[0].completed is a number, not true or false"
    ),
    ("bad date", Data(#"[{"task":"a","date":"soon"}]"#.utf8), "[0].date is a string, not an ISO 8601 date"),
    ("truncated", Data(Samples.tutorialList.utf8.prefix(150)), "byte 1"),
    ("trailing text", Data("[] tail".utf8), "at byte 3"), ("two commas", Data(#"[{"task":"a"},,]"#.utf8), "byte 14"),
    ("a comma at the end", Data(#"[{"task":"a"},]"#.utf8), "byte 14"),
    ("a title twice", Data(#"[{"task":"a","task":"b"}]"#.utf8), "has a key twice"),
    ("invalid UTF-8", Data([0x5B]) + Data(#"{"task":""#.utf8) + Data([0xC3, 0x28]) + Data(#""}]"#.utf8), "UTF-8"),
    ("lone surrogate", Data(#"[{"task":"\ud800"}]"#.utf8), "surrogate"),
    ("raw line end in a title", Data("[{\"task\":\"a\nb\"}]".utf8), "control character"),
    ("100,000 lists", Data(repeating: UInt8(ascii: "["), count: 100_000), "32"),
    ("100,000 objects", Data(String(repeating: #"{"a":"#, count: 100_000).utf8), "32"),
    ("deep field", Data((#"[{"task":"x","a":"# + String(repeating: "[", count: 100_000)).utf8), "32"),
  ]

  @Test("The error of a list that cannot be read says where", arguments: unreadable)
  func unreadableListIsTyped(_ name: String, _ body: Data, _ says: String) async throws {
    let answer = LocalResponse(status: 200, headers: ["X-Request-Id": "r-1"], body: body)
    let transport = CannedTransport(answer)
    let client = try client(transport)
    let whole = try #require(await taskError { _ = try await client.list() })
    #expect(whole.code == .invalidResponse && whole.status == 200 && whole.message.contains("r-1"))
    #expect(whole.message.hasPrefix("The server answered 200 to GET https://tasks.example.com/tasks: "))
    #expect(whole.message.contains(says), "\(whole.message)")
    #expect(!whole.isRetryable && !whole.outcomeIsUnknown)
  }

  @Test("A success without content is no list")
  func noContent() async throws {
    let transport = CannedTransport(.text(204, ""))
    #expect(await taskError { _ = try await client(transport).list() }?.code == .invalidResponse)
  }
}
