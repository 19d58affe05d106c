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

@Suite(.hangLimit) struct TaskAPIClientAddTests {
  @Test("A new task is written in the dialect", arguments: allDialects)
  func writesTheDialect(_ dialect: TaskDialect) async throws {
    let transport = CannedTransport(.text(201, Samples.stored))
    let client = try client(transport) { $0.dialect = dialect }
    let stored = try await client.add(TaskItem(itemName: "Buy milk", ownerName: "me"))
    let request = try #require(transport.requests.first)
    #expect(request.method == "POST" && request.value(forHTTPHeaderField: "Content-Type") == "application/json")
    #expect(try members(of: request) == [dialect.titleKey: .string("Buy milk")])
    #expect(stored.id == "564d9a1f6b3c2a0d00a1b2c3" && stored.ownerName == "o-1")
  }

  @Test("A new task has no fields that only the server sets")
  func draft() async throws {
    let transport = CannedTransport(.text(204, ""))
    var task = try decoded(#"{"_id":"1","owner":"o","task":"x","date":"2015-11-19T09:45:03Z","__v":3,"priority":[1]}"#)
    task.completed = true
    #expect(try await client(transport).add(task) == task)
    let sent = try members(of: #require(transport.requests.first))
    #expect(sent == ["task": .string("x"), "completed": .bool(true), "priority": .array([.integer(1)])])
  }

  @Test(
    "A success returns the stored document, or the task itself if there is none",
    arguments: [(200, true), (201, true), (202, true), (203, true), (202, false), (204, false), (205, false)])
  func success(_ status: Int, _ hasDocument: Bool) async throws {
    let transport = CannedTransport(.text(status, hasDocument ? Samples.stored : ""))
    let task = TaskItem(itemName: "x", completed: true)
    let stored = try await client(transport).add(task)
    #expect(hasDocument ? stored.itemName == "Buy milk" : stored == task)
  }

  static let names = [
    "Buy milk", "\"quoted\" \\ back/slash", "line\nend\r\n\ttab", "null\u{0}byte",
    "\u{1}\u{1F}\u{7F}\u{85}\u{2028}\u{2029}",
    "Grüße 日本語 العربية 🧑‍🧑‍🧒‍🧒 \u{1F1E8}\u{1F1E6}", "e\u{301} is not é", "\u{FEFF}bom\u{FEFF}", "\u{202E}reversed",
    "{\"task\":\"x\"}", "a&b=c+d%20;e?f#g", " blanks ", "\u{FFFD}", "\u{10FFFF}", "../..", "<script>",
    String(repeating: "ü", count: 32_768),
  ]

  @Test("Any title comes back unchanged", arguments: names)
  func anyTextComesBack(_ name: String) async throws {
    let body = try JSONEncoder().encode(["task": name])
    let stored = try await client(CannedTransport(LocalResponse(status: 201, body: body)))
      .add(TaskItem(itemName: "x"))
    #expect(stored.itemName.utf8.elementsEqual(name.utf8))
  }

  @Test(
    "A task that cannot be sent is refused before anything is sent",
    arguments: [
      (String(repeating: "x", count: 1 << 20), 1.0, "65536"), ("", 1, "title is empty"), ("x", .infinity, "not finite"),
    ])
  func isRefusedBeforeAnythingIsSent(_ name: String, _ weight: Double, _ words: String) async throws {
    let transport = CannedTransport()
    var task = TaskItem(itemName: name)
    task.unknownFields["weight"] = .number(weight)
    let error = await taskError { try await client(transport).add(task) }
    #expect(error?.code == .invalidItem && error?.message.contains(words) == true)
    #expect(error?.outcomeIsUnknown == false && transport.requests.isEmpty)
  }

  @Test(
    "An answer that cannot be read leaves the outcome open",
    arguments: ["", "<html>", "[]", "{}", #"{"task":1}"#, #"{"task":"x""#, "null", "\"x\""], [200, 201])
  func unreadableAnswerLeavesTheOutcomeOpen(_ body: String, _ status: Int) async throws {
    let transport = CannedTransport(.text(status, body))
    let error = await taskError { try await client(transport).add(TaskItem(itemName: "x")) }
    #expect(error?.code == .invalidResponse && error?.outcomeIsUnknown == true)
    #expect(transport.requests.count == 1)
  }

  @Test("A new task is never sent twice", arguments: [408, 500, 502, 503, 504])
  func isNeverSentTwice(_ status: Int) async throws {
    let transport = CannedTransport(.text(status, ""), .text(201, Samples.stored))
    let error = await taskError { try await client(transport).add(TaskItem(itemName: "x")) }
    #expect(error?.status == status && transport.requests.count == 1)
    #expect(error?.outcomeIsUnknown == true)
  }

  @Test("A new task is sent again if the server says that it did nothing")
  func throttled() async throws {
    let transport = CannedTransport(.text(429, ""), .text(429, ""), .text(201, Samples.stored))
    let clock = LeapingClock()
    try await client(transport, clock: clock).add(TaskItem(itemName: "x"))
    #expect(transport.unused == 0 && transport.requests.allSatisfy { $0.httpBody == transport.requests[0].httpBody })
    #expect(clock.sleeps.count == 2 && clock.sleeps.allSatisfy { $0 >= .milliseconds(500) })
  }

  @Test("An error of the app's own transport is named as that, and leaves the outcome open")
  func failsInTheTransportOfTheApp() async throws {
    struct OwnFailure: Error {}
    let transport = CannedTransport([.failure(OwnFailure())])
    let error = await taskError { try await client(transport).add(TaskItem(itemName: "x")) }
    #expect(error?.code == .other && error?.outcomeIsUnknown == true && error?.isRetryable == false)
    #expect(error?.underlying is OwnFailure && error?.message.contains("OwnFailure") == true)
    let read = await taskError { _ = try await client(CannedTransport([.failure(OwnFailure())])).list() }
    #expect(read?.code == .other && read?.outcomeIsUnknown == false && read?.underlying is OwnFailure)
  }
}
