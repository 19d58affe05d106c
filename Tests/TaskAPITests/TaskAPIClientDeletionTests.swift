import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit) struct TaskAPIClientDeletionTests {
  private static let base = "https://tasks.example.com/tasks"

  static let forms: [(TaskDialect, id: String?, path: String, fields: [String: JSONValue]?)] =
    [TaskDialect.tutorial, .repository].flatMap { dialect -> [(TaskDialect, String?, String, [String: JSONValue]?)] in
      let titles: [String: JSONValue] = ["task": .string("Buy milk"), "Text": .string("Buy milk")]
      return [
        (dialect, nil, "", titles), (dialect, "", "", titles.merging(["_id": .string("")]) { $1 }),
        (dialect, "a/b?ü", "/a%2Fb%3F%C3%BC", titles.merging(["_id": .string("a/b?ü")]) { $1 }),
      ]
    } + [(.rest, "a/b?ü", "/a%2Fb%3F%C3%BC", nil)]

  @Test("A deletion names the task by its id, and where the server needs it by the title in the body", arguments: forms)
  func form(_ dialect: TaskDialect, _ id: String?, _ path: String, _ fields: [String: JSONValue]?) async throws {
    let transport = CannedTransport(.text(204, ""))
    try await client(transport) { $0.dialect = dialect }.delete(TaskItem(itemName: "Buy milk", serverID: id))
    let request = try #require(transport.requests.first)
    #expect(request.url?.absoluteString == Self.base + path)
    #expect(try request.httpBody.map { _ in try members(of: request) } == fields)
  }

  static let successes: [LocalResponse] = [
    .text(204, ""), .text(200, ""), .text(202, "  {} "), .text(200, Samples.stored), .text(200, "[]"), .text(200, "1"),
    .text(200, "OK", headers: ["Content-Type": "text/plain; charset=utf-8"]),
  ]

  @Test("A success without a body, with JSON or with plain text is one", arguments: successes, allDialects)
  func success(_ answer: LocalResponse, _ dialect: TaskDialect) async throws {
    let transport = CannedTransport(answer)
    try await TaskCall.delete.run(client(transport) { $0.dialect = dialect })
    #expect(transport.requests.count == 1)
  }

  @Test(
    "A success that cannot be read is an error, and leaves the outcome open",
    arguments: [
      ("<html>Sign in</html>", "HTML"), ("{", "byte 1"), ("deleted", "is not JSON"), (#"{"a":1,"a":2}"#, "twice"),
      (String(repeating: "[", count: 33) + String(repeating: "]", count: 33), "32"), ("\n", "empty"),
    ])
  func unreadable(_ body: String, _ reason: String) async throws {
    let client = try client(CannedTransport(.text(200, body))) { $0.dialect = .rest }
    let error = try #require(await taskError { try await TaskCall.delete.run(client) })
    #expect(error.code == .invalidResponse && error.outcomeIsUnknown && !error.isRetryable)
    #expect(error.message.hasPrefix("The server answered 200 to DELETE \(Self.base)/1: the response "))
    #expect(error.message.contains(reason), "\(error.message)")
  }

  static let firstTries: [(CannedTransport.Outcome, isLost: Bool)] = [
    (.failure(URLError(.networkConnectionLost)), true), (.failure(URLError(.timedOut)), true),
    (.success(.text(503, "")), true), (.success(.text(408, "")), true),
    (.failure(URLError(.cannotConnectToHost)), false), (.success(.text(429, "")), false),
    (.success(.text(401, "")), false),
  ]

  @Test("A deletion whose answer was lost is settled by the next try", arguments: firstTries, [404, 410])
  func lostAnswer(_ first: (CannedTransport.Outcome, isLost: Bool), _ status: Int) async throws {
    let transport = CannedTransport([first.0, .success(.text(status, ""))])
    let error = await taskError { try await TaskCall.delete.run(client(transport) { $0.dialect = .rest }) }
    #expect(error?.code == (first.isLost ? nil : .notFound) && transport.unused == 0)
  }
}
