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
