import B2CCore
import B2CTestKit
import Foundation
import TaskAPI
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.hangLimit) struct TaskItemTests {
  @Test("The document of the tutorial's server is read")
  func tutorial() throws {
    let task = try decoded(Samples.stored)
    #expect(task.itemName == "Buy milk" && task.id == "564d9a1f6b3c2a0d00a1b2c3")
    #expect(task.ownerName == "o-1" && !task.completed)
    #expect(task.creationDate == Date(timeIntervalSince1970: 1_447_926_303.117))
    #expect(task.unknownFields == ["__v": .integer(0)])
  }

  @Test("A new task has no values of the server")
  func newTask() {
    let task = TaskItem(itemName: "x", ownerName: "o", completed: true)
    #expect(task.serverID == nil && task.creationDate == nil && task.unknownFields.isEmpty)
    #expect(task.itemName == "x" && task.ownerName == "o" && task.completed)
  }

  @Test("Tasks that are not stored yet are rows of their own in a list, and keep their row when they change")
  func rows() throws {
    let first = TaskItem(itemName: "x")
    let second = TaskItem(itemName: "x")
    #expect(first.id != second.id)
    var changed = first
    changed.itemName = "y"
    #expect(changed.id == first.id && changed != first)
    // Which row shows it is no part of what a task is.
    #expect(first == second && first.hashValue == second.hashValue)
    // As with the server's documents that have no id.
    #expect(try decoded(#"{"task":"x"}"#).id != decoded(#"{"task":"x"}"#).id)
  }

  @Test("A task can be made with the server's id, for one that was listed elsewhere")
  func withID() throws {
    let date = Date(timeIntervalSince1970: 1_447_926_303)
    let task = TaskItem(itemName: "x", completed: true, serverID: "1", creationDate: date)
    #expect(task.id == "1" && task.serverID == "1" && task.creationDate == date)
    #expect(try decoded(#"{"_id":"1","task":"x","completed":true,"date":"2015-11-19T09:45:03Z"}"#) == task)
  }

  @Test("A revision that is not a number is kept too", arguments: [JSONValue.string("a"), .number(1.5), .bool(true)])
  func oddRevision(_ revision: JSONValue) async throws {
    let document = JSONValue.object(["task": .string("x"), "__v": revision])
    let task = try JSONDecoder().decode(TaskItem.self, from: JSONEncoder().encode(document))
    #expect(task.unknownFields == ["__v": revision])
    let transport = CannedTransport(.text(204, ""), .text(204, ""))
    let client = try client(transport)
    // An update sends it back, a new task does not have it.
    try await client.update(TaskItem(task, id: "1"))
    try await client.add(task)
    #expect(try members(of: transport.requests[0])["__v"] == revision)
    #expect(try members(of: transport.requests[1])["__v"] == nil)
  }

  @Test(
    "Fields that the client does not know are kept",
    arguments: [
      (#"null"#, JSONValue.null), ("true", .bool(true)), ("-3", .integer(-3)), ("1.5", .number(1.5)),
      (#""ü\u0000""#, .string("ü\u{0}")), ("[]", .array([])), ("{}", .object([:])),
      (
        #"[1,"a",null,true,0.5,[2],{"b":3}]"#,
        .array([
          .integer(1), .string("a"), .null, .bool(true), .number(0.5), .array([.integer(2)]),
          .object(["b": .integer(3)]),
        ])
      ),
      (#"{"a":{"task":[false]}}"#, .object(["a": .object(["task": .array([.bool(false)])])])),
    ])
  func keepsUnknownMembers(_ json: String, _ value: JSONValue) throws {
    #expect(try decoded(#"{"task":"x","more":\#(json)}"#).unknownFields == ["more": value])
  }

  @Test("A list nests 32 levels deep and no more")
  func depth() async throws {
    func list(_ depth: Int) -> LocalResponse {
      .text(
        200,
        #"[{"task":"x","more":"# + String(repeating: "[", count: depth - 2)
          + String(repeating: "]", count: depth - 2) + "}]")
    }
    #expect(try await client(CannedTransport(list(32))).list().first?.unknownFields.count == 1)
    let error = await taskError { _ = try await client(CannedTransport(list(33))).list() }
    #expect(error?.code == .invalidResponse && error?.message.contains("32") == true)
  }

  @Test("Coding keeps everything")
  func coding() throws {
    var task = try decoded(
      #"{"_id":"1","task":"a","owner":"o","date":"2015-11-19T09:45:03.117Z","more":[1,{"b":null}]}"#)
    task.completed = true
    let data = try JSONEncoder().encode(task)
    #expect(try JSONDecoder().decode(TaskItem.self, from: data) == task)
  }

  @Test("A draft that an app stores keeps its id, and no request has it")
  func storedDraft() async throws {
    let draft = TaskItem(itemName: "Buy milk")
    let stored = try JSONDecoder().decode([TaskItem].self, from: JSONEncoder().encode([draft]))
    #expect(stored.map(\.id) == [draft.id] && stored == [draft] && stored.first?.unknownFields == [:])
    let transport = CannedTransport(.text(204, ""))
    try await client(transport).add(try #require(stored.first))
    let body = try #require(transport.requests.first?.httpBody)
    #expect(try JSONDecoder().decode([String: String].self, from: body) == ["task": "Buy milk"])
  }

  @Test(
    "A field of the wrong type is refused",
    arguments: [
      "{}", #"{"task":null}"#, #"{"task":1}"#, #"{"Text":["x"]}"#, #"{"task":"x","_id":5}"#,
      #"{"task":"x","owner":{}}"#,
      #"{"task":"x","completed":"yes"}"#, #"{"task":"x","completed":1}"#, #"{"task":"x","date":1447926303}"#, "[]",
      #"{"Task":"x"}"#,
    ])
  func refusesWrongTypes(_ json: String) {
    #expect(throws: DecodingError.self) { try decoded(json) }
  }

  @Test("A null is the same as no field")
  func nulls() throws {
    let task = try decoded(#"{"task":"x","_id":null,"owner":null,"completed":null,"date":null}"#)
    #expect(task == TaskItem(itemName: "x"))
  }
}

extension TaskItem {
  /// The same task under an id.
  fileprivate init(_ task: TaskItem, id: String) {
    self.init(itemName: task.itemName, completed: task.completed, serverID: id)
    unknownFields = task.unknownFields
  }
}
