import B2CCore
import Foundation
import TaskAPI
import Testing

@Suite struct TaskItemTests {
  @Test func readsTheTutorialsDocument() throws {
    let task = try decoded(Samples.stored)
    #expect(task.itemName == "Buy milk")
    #expect(task.id == "564d9a1f6b3c2a0d00a1b2c3")
    #expect(task.ownerName == "o-1")
    #expect(!task.completed)
    #expect(task.creationDate == Date(timeIntervalSince1970: 1_447_926_303.117))
    #expect(task.unknownMembers == ["__v": .integer(0)])
  }

  @Test func newTaskHasWhatOnlyAServerGivesUnset() {
    let task = TaskItem(itemName: "x", ownerName: "o", completed: true)
    #expect(task.id == nil && task.creationDate == nil && task.unknownMembers.isEmpty)
    #expect(task.itemName == "x" && task.ownerName == "o" && task.completed)
  }

  @Test(arguments: [
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
    #expect(try decoded(#"{"task":"x","more":\#(json)}"#).unknownMembers == ["more": value])
  }

  @Test func unknownMembersNestToALimit() throws {
    func document(_ depth: Int) -> String {
      #"{"task":"x","more":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
    }
    #expect(try decoded(document(32)).unknownMembers.count == 1)
    #expect(throws: DecodingError.self) { try decoded(document(33)) }
  }

  @Test func codingKeepsEverything() throws {
    var task = try decoded(
      #"{"_id":"1","task":"a","owner":"o","date":"2015-11-19T09:45:03.117Z","more":[1,{"b":null}]}"#)
    task.completed = true
    let data = try JSONEncoder().encode(task)
    #expect(try JSONDecoder().decode(TaskItem.self, from: data) == task)
  }

  @Test(arguments: [
    "{}", #"{"task":null}"#, #"{"task":1}"#, #"{"Text":["x"]}"#, #"{"task":"x","_id":5}"#, #"{"task":"x","owner":{}}"#,
    #"{"task":"x","completed":"yes"}"#, #"{"task":"x","completed":1}"#, #"{"task":"x","date":1447926303}"#, "[]",
    #"{"Task":"x"}"#,
  ])
  func refusesWrongTypes(_ json: String) {
    #expect(throws: DecodingError.self) { try decoded(json) }
  }

  @Test func nullIsAbsent() throws {
    let task = try decoded(#"{"task":"x","_id":null,"owner":null,"completed":null,"date":null}"#)
    #expect(task == TaskItem(itemName: "x"))
  }
}
