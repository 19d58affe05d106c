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
    #expect(request.method == "DELETE" && request.url?.absoluteString == Self.base + path)
    #expect(try request.httpBody.map { _ in try members(of: request) } == fields)
  }

  @Test(
    "No title is part of a URL, and any title arrives unchanged", arguments: TaskAPIClientAddTests.names, allDialects)
  func titles(_ name: String, _ dialect: TaskDialect) async throws {
    let transport = CannedTransport(.text(204, ""), .text(204, ""), .text(204, ""))
    let client = try client(transport) { $0.dialect = dialect }
    let task = TaskItem(itemName: name, ownerName: "o", serverID: "1")
    try await client.add(task)
    try await client.update(task)
    try await client.delete(task)
    #expect(transport.requests.map(\.url?.absoluteString) == [Self.base, Self.base + "/1", Self.base + "/1"])
    let titles = dialect.routesByID ? [] : [(2, "task"), (2, "Text")]
    for (index, key) in [(0, dialect.titleKey)] + titles {
      #expect(try #require(members(of: transport.requests[index])[key]?.string).utf8.elementsEqual(name.utf8))
    }
  }

  static let unusable: [(TaskDialect, TaskItem, ErrorCode)] = [
    (.tutorial, TaskItem(itemName: ""), .invalidItem), (.tutorial, TaskItem(itemName: "", serverID: "1"), .invalidItem),
    (.repository, TaskItem(itemName: ""), .invalidItem),
    (.repository, TaskItem(itemName: "", serverID: "1"), .invalidItem),
    (.rest, TaskItem(itemName: "x"), .invalidItem), (.rest, TaskItem(itemName: "x", serverID: ""), .invalidItem),
    (.rest, TaskItem(itemName: "x", serverID: "."), .invalidItem),
    (.tutorial, TaskItem(itemName: "x", serverID: ".."), .invalidItem),
  ]

  @Test("A task that the server could mistake for others is refused before anything is sent", arguments: unusable)
  func unusableKey(_ dialect: TaskDialect, _ task: TaskItem, _ code: ErrorCode) async throws {
    let transport = CannedTransport()
    let error = await taskError { try await client(transport) { $0.dialect = dialect }.delete(task) }
    #expect(error?.code == code && error?.outcomeIsUnknown == false && error?.recoverySuggestion?.isEmpty != true)
    #expect(transport.requests.isEmpty)
  }

  static let successes: [LocalResponse] = [
    .text(204, ""), .text(200, ""), .text(202, "  {} "), .text(200, Samples.stored), .text(200, "[]"), .text(200, "1"),
    .text(200, "OK", headers: ["Content-Type": "text/plain; charset=utf-8"]),
  ]

  @Test("A success without a body, with JSON or with plain text is one", arguments: successes, allDialects)
  func success(_ answer: LocalResponse, _ dialect: TaskDialect) async throws {
    let transport = CannedTransport(answer)
    try await client(transport) { $0.dialect = dialect }.delete(TaskItem(itemName: "x", serverID: "1"))
    #expect(transport.requests.count == 1)
  }

  @Test(
    "A success that cannot be read is an error, and leaves the outcome open",
    arguments: [
      ("<html>Sign in</html>", "HTML"), ("{", "byte 1"), ("deleted", "is not JSON"), (#"{"a":1,"a":2}"#, "twice"),
      (String(repeating: "[", count: 33) + String(repeating: "]", count: 33), "32"), ("\n", "empty"),
    ])
  func unreadable(_ body: String, _ reason: String) async throws {
    let transport = CannedTransport(.text(200, body))
    let error = try #require(
      await taskError {
        try await client(transport) { $0.dialect = .rest }.delete(TaskItem(itemName: "x", serverID: "1"))
      })
    #expect(error.code == .invalidResponse && error.outcomeIsUnknown && !error.isRetryable)
    #expect(error.message.hasPrefix("The server answered 200 to DELETE \(Self.base)/1: the response "))
    #expect(error.message.contains(reason), "\(error.message)")
  }

  @Test("A task that does not exist is an error", arguments: [404, 410], allDialects)
  func missing(_ status: Int, _ dialect: TaskDialect) async throws {
    let transport = CannedTransport(.text(status, #"{"code":"TaskNotFound","message":"gone"}"#))
    let error = await taskError {
      try await client(transport) { $0.dialect = dialect }.delete(TaskItem(itemName: "x", serverID: "1"))
    }
    #expect(error?.code == .notFound && error?.serverCode == "TaskNotFound" && error?.outcomeIsUnknown == false)
    #expect(error?.message.contains("the task does not exist, or the server does not support deleting by id") == true)
    #expect(transport.requests.count == 1)
  }

  static let firstTries: [(CannedTransport.Outcome, isLost: Bool)] = [
    (.failure(URLError(.networkConnectionLost)), true), (.failure(URLError(.timedOut)), true),
    (.success(.text(503, "")), true), (.success(.text(408, "")), true),
    (.failure(URLError(.cannotConnectToHost)), false), (.success(.text(429, "")), false),
    (.success(.text(401, "")), false),
  ]

  @Test("A deletion whose answer was lost is settled by the next try", arguments: firstTries, [404, 410])
  func lostAnswer(
    _ first: (CannedTransport.Outcome, isLost: Bool), _ status: Int
  ) async throws {
    let transport = CannedTransport([first.0, .success(.text(status, ""))])
    let error = await taskError {
      try await client(transport) { $0.dialect = .rest }.delete(TaskItem(itemName: "x", serverID: "1"))
    }
    #expect(error?.code == (first.isLost ? nil : .notFound))
    #expect(transport.unused == 0)
  }

  @Test(
    "A deletion by title is sent once, unless the server throttles it", arguments: [TaskDialect.tutorial, .repository])
  func byTitle(_ dialect: TaskDialect) async throws {
    let task = TaskItem(itemName: "x", serverID: "1")
    for failure in [.success(.text(503, "")), .failure(URLError(.networkConnectionLost))]
      as [CannedTransport.Outcome]
    {
      let transport = CannedTransport([failure, .success(.text(204, ""))])
      let error = await taskError { try await client(transport) { $0.dialect = dialect }.delete(task) }
      #expect(error?.outcomeIsUnknown == true && error?.isRetryable == true)
      #expect(transport.unused == 1)
    }
    let throttled = CannedTransport(.text(429, ""), .text(204, ""))
    try await client(throttled) { $0.dialect = dialect }.delete(task)
    #expect(throttled.unused == 0)
  }

  @Test("One deadline covers a deletion with all its tries")
  func deadline() async throws {
    let clock = LeapingClock()
    let transport = SlowTransport(
      clock: clock, answers: CannedTransport(Array(repeating: .success(.text(503, "")), count: 9)))
    let client = try client(transport, clock: clock) {
      $0.dialect = .rest
      $0.limits.deadline = .seconds(30)
    }
    let error = await taskError { try await client.delete(TaskItem(itemName: "x", serverID: "1")) }
    let deadlines = transport.answers.limits.map(\.deadline)
    #expect(error?.status == 503)
    // Ten seconds a try: the third ends after the deadline, which its own limits say.
    #expect(deadlines.count == 3 && deadlines[0] == .seconds(30))
    #expect(deadlines[1] < .seconds(20) && deadlines[2] < .seconds(10))
  }
}

/// Answers after ten seconds of a clock.
private struct SlowTransport: HTTPTransport {
  let clock: LeapingClock
  let answers: CannedTransport

  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    try await clock.sleep(for: .seconds(10))
    return try await answers.send(request, limits: limits)
  }
}
