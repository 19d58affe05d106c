import B2CCore
import B2CHTTP
import Foundation
import TaskAPI
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.hangLimit) struct TaskAPIClientUpdateTests {
  static let document = """
    {"_id":"a b/ü","owner":"o","task":"old","date":"2015-11-19T09:45:03.117Z","__v":0,"more":{"n":1}}
    """

  @Test("An update sends the whole document", arguments: allDialects)
  func putsTheWholeDocument(_ dialect: TaskDialect) async throws {
    let transport = CannedTransport(.text(200, Samples.stored))
    var task = try decoded(Self.document)
    task.itemName = "new"
    task.completed = true
    let stored = try await client(transport) { $0.dialect = dialect }.update(task)
    let request = try #require(transport.requests.first)
    #expect(request.method == "PUT" && request.url?.absoluteString == "https://tasks.example.com/tasks/a%20b%2F%C3%BC")
    #expect(
      try members(of: request) == [
        "_id": .string("a b/ü"), "owner": .string("o"), dialect.titleKey: .string("new"), "completed": .bool(true),
        "date": .string("2015-11-19T09:45:03.117Z"), "__v": .integer(0), "more": .object(["n": .integer(1)]),
      ])
    #expect(stored.itemName == "Buy milk")
  }

  @Test(
    "A task without an id is refused before anything is sent", arguments: [#"{"task":"x"}"#, #"{"task":"x","_id":""}"#])
  func taskWithoutIDIsRefusedBeforeAnythingIsSent(_ json: String) async throws {
    let transport = CannedTransport()
    let error = await taskError { try await client(transport).update(decoded(json)) }
    #expect(error?.code == .invalidItem && transport.requests.isEmpty)
  }

  @Test(
    "A server that cannot update says so",
    arguments: [(404, ErrorCode.notFound), (405, .unsupported), (501, .unsupported), (409, .conflict)])
  func serverThatCannotSaysSo(_ status: Int, _ code: ErrorCode) async throws {
    let transport = CannedTransport(.text(status, #"{"code":"MethodNotAllowed","message":"PUT is not allowed"}"#))
    let error = await taskError { try await client(transport).update(decoded(Self.document)) }
    #expect(error?.code == code && error?.serverCode == "MethodNotAllowed" && error?.isRetryable == false)
  }
}
