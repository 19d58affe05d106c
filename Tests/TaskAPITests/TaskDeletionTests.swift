import B2CCore
import Foundation
import TaskAPI
import Testing

@Suite struct TaskDeletionTests {
  /// Every text that a server may look for in a request: query, body, and nothing else.
  private func keys(of request: TransportRequest) throws -> [String: String] {
    var keys = query(of: request)
    if request.body != nil {
      for (name, value) in try members(of: request) { keys[name] = value.string }
    }
    return keys
  }

  static let forms: [(TaskDeletion, String?, String, Bool)] = [
    (.automatic, "id-1", "/tasks/id-1", false), (.automatic, nil, "/tasks", true), (.automatic, "", "/tasks", true),
    (.byID, "id-1", "/tasks/id-1", false), (.body, "id-1", "/tasks", true), (.query, "id-1", "/tasks", false),
    (.path, "id-1", "/tasks/o/Buy%20milk%20%2F%20caf%C3%A9%3F", false),
  ]

  @Test(arguments: forms, TaskDialect.allCases)
  func namesTheTask(
    _ form: (deletion: TaskDeletion, id: String?, path: String, hasBody: Bool), _ dialect: TaskDialect
  ) async throws {
    let transport = CannedTransport(.text(204, ""))
    let name = "Buy milk / café?"
    let task = TaskItem(itemName: name, ownerName: "o", creationDate: nil, id: form.id)
    try await client(transport) {
      $0.deletion = form.deletion
      $0.dialect = dialect
    }.delete(task)
    let request = try #require(transport.requests.first)
    #expect(request.method == .delete)
    #expect(request.url.path(percentEncoded: true) == form.path)
    #expect((request.body != nil) == form.hasBody)
    // Whatever the dialect of the server and the form of the request, the server finds the text.
    let id = form.path.hasSuffix("id-1") ? ["_id": "id-1"] : [:]
    #expect(try keys(of: request) == ["task": name, "Text": name].merging(id) { $1 })
  }

  @Test(arguments: TaskAddTests.names, [TaskDeletion.body, .query, .byID])
  func anyTextGoesThere(_ name: String, _ deletion: TaskDeletion) async throws {
    let isTooLong = name.utf8.count > 4096
    let transport = CannedTransport(.text(204, ""))
    let task = TaskItem(itemName: name, creationDate: nil, id: "1")
    let client = try client(transport) { $0.deletion = deletion }
    if isTooLong && deletion == .query {
      #expect(await taskError { try await client.delete(task) }?.code == .invalidItem)
      #expect(transport.requests.isEmpty)
      return
    }
    try await client.delete(task)
    let sent = try keys(of: #require(transport.requests.first))
    for key in ["task", "Text"] {
      #expect(try #require(sent[key]).utf8.elementsEqual(name.utf8))
    }
  }

  @Test(arguments: TaskDeletion.allCases, [String?.none, "", "id-1"])
  func neverWithoutAKey(_ deletion: TaskDeletion, _ id: String?) async throws {
    let transport = CannedTransport()
    let task = TaskItem(itemName: "", ownerName: "o", creationDate: nil, id: id)
    let error = await taskError { try await client(transport) { $0.deletion = deletion }.delete(task) }
    #expect(error?.code == .missingKey && error?.outcomeIsUnknown == false)
    #expect(transport.requests.isEmpty)
  }

  @Test(arguments: [
    (TaskDeletion.byID, String?.none, String?.none, TaskAPIError.Code.missingKey), (.byID, "", nil, .missingKey),
    (.byID, "..", nil, .invalidItem), (.automatic, ".", nil, .invalidItem), (.path, "1", nil, .missingKey),
    (.path, "1", "", .missingKey), (.path, "1", "..", .invalidItem),
  ])
  func unusableKeyIsRefusedBeforeAnythingIsSent(
    _ deletion: TaskDeletion, _ id: String?, _ owner: String?, _ code: TaskAPIError.Code
  ) async throws {
    let transport = CannedTransport()
    let task = TaskItem(itemName: "x", ownerName: owner, creationDate: nil, id: id)
    let error = await taskError { try await client(transport) { $0.deletion = deletion }.delete(task) }
    #expect(error?.code == code)
    #expect(transport.requests.isEmpty)
  }

  @Test(arguments: [".", ".."])
  func dotsMakeNoPath(_ name: String) async throws {
    let transport = CannedTransport()
    let error = await taskError {
      try await client(transport) { $0.deletion = .path }.delete(TaskItem(itemName: name, ownerName: "o"))
    }
    #expect(error?.code == .invalidItem && transport.requests.isEmpty)
  }

  @Test func pathTakesTheOwnerOfTheConfiguration() async throws {
    let transport = CannedTransport(.text(204, ""))
    try await client(transport) {
      $0.deletion = .path
      $0.ownerFilter = "me"
    }.delete(TaskItem(itemName: "x"))
    #expect(transport.requests.first?.url.path == "/tasks/me/x")
  }

  @Test(arguments: [200, 202, 204], ["", "<html>", "{}"])
  func everySuccessIsOne(_ status: Int, _ body: String) async throws {
    let transport = CannedTransport(.text(status, body))
    try await client(transport).delete(TaskItem(itemName: "x"))
    #expect(transport.requests.count == 1)
  }

  @Test(arguments: [404, 410])
  func listDecidesWhetherAMissingTaskIsGone(_ status: Int) async throws {
    let refusal = TransportResponse.text(status, #"{"code":"TaskNotFound","message":"gone"}"#)
    let task = try decoded(Samples.stored)
    let gone = CannedTransport(refusal, .text(200, "[]"))
    try await client(gone).delete(task)
    #expect(gone.requests.map(\.method) == [.delete, .get])

    let others = (0..<20).map { #"{"_id":"\#($0)","task":"other"}"# }.joined(separator: ",")
    for list in [
      TransportResponse.text(200, "[\(Samples.stored)]"), .text(200, "[\(others)]"), .text(404, ""), .text(200, ""),
    ] {
      let error = await taskError { try await client(CannedTransport(refusal, list)).delete(task) }
      #expect(error?.code == .notFound && error?.serverCode == "TaskNotFound")
    }
  }

  static let lists: [(String, TaskItem, Bool)] = [
    ("[]", TaskItem(itemName: "x"), true), (#"[{"task":"y"}]"#, TaskItem(itemName: "x"), true),
    (#"[{"task":"x"}]"#, TaskItem(itemName: "x"), false), (#"[{"Text":"x"}]"#, TaskItem(itemName: "x"), false),
    (#"[{"task":"x","owner":"b"}]"#, TaskItem(itemName: "x", ownerName: "a"), true),
    (#"[{"task":"x","owner":"a"}]"#, TaskItem(itemName: "x", ownerName: "a"), false),
    (#"[{"task":"x","_id":"2"}]"#, TaskItem(itemName: "x", creationDate: nil, id: "1"), true),
    (#"[{"task":"z","_id":"1"}]"#, TaskItem(itemName: "x", creationDate: nil, id: "1"), false),
    (#"[{"task":"x"}]"#, TaskItem(itemName: "x", creationDate: nil, id: "1"), false),
    // Two spellings of one text.
    (#"[{"task":"é"}]"#, TaskItem(itemName: "e\u{301}"), true),
  ]

  @Test(arguments: lists)
  func verifiesWhenAsked(_ list: String, _ task: TaskItem, _ isGone: Bool) async throws {
    let transport = CannedTransport(.text(204, ""), .text(200, list))
    let error = await taskError { try await client(transport) { $0.verifiesDeletion = true }.delete(task) }
    #expect(error?.code == (isGone ? nil : .notDeleted))
    #expect(transport.requests.count == 2)
  }

  @Test func ownerFilterHidesNothingFromTheVerification() async throws {
    let transport = CannedTransport(.text(204, ""), .text(200, #"[{"task":"x","owner":"someone"}]"#))
    let error = await taskError {
      try await client(transport) {
        $0.verifiesDeletion = true
        $0.ownerFilter = "me"
      }.delete(TaskItem(itemName: "x"))
    }
    #expect(error?.code == .notDeleted)
  }
}
