import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit) struct TaskAPIClientChangeTests {
  private static let base = "https://tasks.example.com/tasks"

  @Test("A new task is written in the dialect", arguments: allDialects)
  func writesTheDialect(_ dialect: TaskDialect) async throws {
    let transport = CannedTransport(.text(201, Samples.stored))
    let client = try client(transport) { $0.dialect = dialect }
    let stored = try await client.add(TaskItem(itemName: "Buy milk", ownerName: "me"))
    let request = try #require(transport.requests.first)
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
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

  @Test("An update sends the whole document, also fields that the client does not know", arguments: allDialects)
  func putsTheWholeDocument(_ dialect: TaskDialect) async throws {
    let transport = CannedTransport(.text(200, Samples.stored))
    var task = try decoded(
      #"{"_id":"a b/ü","owner":"o","task":"old","date":"2015-11-19T09:45:03.117Z","__v":0,"more":{"n":1},"gone":null}"#)
    task.itemName = "new"
    task.completed = true
    let stored = try await client(transport) { $0.dialect = dialect }.update(task)
    let request = try #require(transport.requests.first)
    #expect(request.url?.absoluteString == Self.base + "/a%20b%2F%C3%BC")
    #expect(
      try members(of: request) == [
        "_id": .string("a b/ü"), "owner": .string("o"), dialect.titleKey: .string("new"), "completed": .bool(true),
        "date": .string("2015-11-19T09:45:03.117Z"), "__v": .integer(0), "more": .object(["n": .integer(1)]),
        "gone": .null,
      ])
    #expect(stored.itemName == "Buy milk")
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
    "\u{1}\u{1F}\u{7F}\u{85}\u{2028}\u{2029}", "Grüße 日本語 العربية 🧑‍🧑‍🧒‍🧒 \u{1F1E8}\u{1F1E6}", "e\u{301} is not é",
    "\u{FEFF}bom\u{FEFF}", "\u{202E}reversed", "{\"task\":\"x\"}", "a&b=c+d%20;e?f#g", " blanks ", "\u{FFFD}",
    "\u{10FFFF}", "../..", "<script>", String(repeating: "ü", count: 32_768),
  ]

  @Test("Any title arrives and comes back unchanged, and is part of no URL", arguments: names, allDialects)
  func titles(_ name: String, _ dialect: TaskDialect) async throws {
    let document = LocalResponse(status: 200, body: try JSONEncoder().encode(["task": name]))
    let transport = CannedTransport(document, document, .text(204, ""))
    let client = try client(transport) { $0.dialect = dialect }
    let task = TaskItem(itemName: name, ownerName: "o", serverID: "1")
    #expect(try await client.add(task).itemName.utf8.elementsEqual(name.utf8))
    try await client.update(task)
    try await client.delete(task)
    #expect(transport.requests.map(\.url?.absoluteString) == [Self.base, Self.base + "/1", Self.base + "/1"])
    let deleted = dialect.routesByID ? [] : [(2, "task"), (2, "Text")]
    for (index, key) in [(0, dialect.titleKey), (1, dialect.titleKey)] + deleted {
      #expect(try #require(members(of: transport.requests[index])[key]?.string).utf8.elementsEqual(name.utf8))
    }
  }

  private static let endless: TaskItem = {
    var task = TaskItem(itemName: "x")
    task.unknownFields["weight"] = .number(.infinity)
    return task
  }()

  static let unusable: [(TaskCall, TaskDialect, TaskItem, String)] = [
    (.add, .tutorial, TaskItem(itemName: String(repeating: "x", count: 65_537)), "65536"),
    (.add, .tutorial, TaskItem(itemName: ""), "title is empty"), (.add, .tutorial, endless, "not finite"),
    (.update, .tutorial, TaskItem(itemName: "", serverID: "1"), "title is empty"),
    (.update, .tutorial, TaskItem(itemName: "x"), "has no id"),
    (.update, .tutorial, TaskItem(itemName: "x", serverID: ""), "has no id"),
    (.delete, .tutorial, TaskItem(itemName: ""), "has no title"),
    (.delete, .tutorial, TaskItem(itemName: "", serverID: "1"), "has no title"),
    (.delete, .repository, TaskItem(itemName: ""), "has no title"),
    (.delete, .repository, TaskItem(itemName: "", serverID: "1"), "has no title"),
    (.delete, .rest, TaskItem(itemName: "x"), "has no id"),
    (.delete, .rest, TaskItem(itemName: "x", serverID: ""), "has no id"),
    (.delete, .rest, TaskItem(itemName: "x", serverID: "."), "cannot be part of a URL"),
    (.delete, .tutorial, TaskItem(itemName: "x", serverID: ".."), "cannot be part of a URL"),
  ]

  @Test("A task that the server could mistake for others, or not take, is not sent", arguments: unusable)
  func isNotSent(_ call: TaskCall, _ dialect: TaskDialect, _ task: TaskItem, _ words: String) async throws {
    let transport = CannedTransport()
    let error = await taskError { try await call.run(client(transport) { $0.dialect = dialect }, task) }
    #expect(error?.code == .invalidItem && error?.message.contains(words) == true, "\(error?.message ?? "")")
    #expect(error?.outcomeIsUnknown == false && transport.requests.isEmpty)
  }

  @Test(
    "A success that cannot be read leaves the outcome open",
    arguments: ["", "<html>", "[]", "{}", #"{"task":1}"#, #"{"task":"x""#, "null", "\"x\""], [200, 201])
  func unreadable(_ body: String, _ status: Int) async throws {
    let transport = CannedTransport(.text(status, body))
    let error = await taskError { try await client(transport).add(TaskItem(itemName: "x")) }
    #expect(error?.code == .invalidResponse && error?.outcomeIsUnknown == true && transport.requests.count == 1)
  }
}
