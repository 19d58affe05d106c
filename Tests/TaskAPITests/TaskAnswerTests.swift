import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit) struct TaskAnswerTests {
  /// The error of an addition that is sent once.
  private func error(_ outcome: CannedTransport.Outcome) async throws -> ConnectorError {
    let client = try client(CannedTransport([outcome])) { $0.retry = .none }
    return try #require(await taskError { try await TaskCall.add.run(client) })
  }

  static let statuses: [(Int, ErrorCode, Bool)] = [
    (301, .invalidResponse, false), (302, .invalidResponse, false), (304, .invalidResponse, false),
    (307, .invalidResponse, false), (308, .invalidResponse, false), (400, .server, false), (402, .server, false),
    (403, .forbidden, false), (404, .notFound, false), (405, .unsupported, false), (406, .server, false),
    (408, .timedOut, true), (409, .conflict, false), (410, .notFound, false), (413, .tooLarge, false),
    (415, .server, false), (422, .server, false), (429, .throttled, true), (500, .serviceUnavailable, true),
    (501, .unsupported, false), (502, .serviceUnavailable, true), (503, .serviceUnavailable, true),
    (504, .serviceUnavailable, true), (505, .serviceUnavailable, false), (100, .invalidResponse, false),
    (600, .invalidResponse, false), (0, .invalidResponse, false), (-1, .invalidResponse, false),
  ]

  @Test("Every status has its code", arguments: statuses)
  func codes(_ status: Int, _ code: ErrorCode, _ isRetryable: Bool) async throws {
    let error = try await error(.success(.text(status, "")))
    #expect(error.code == code && error.isRetryable == isRetryable && error.status == status)
    #expect(error.serverDescription == nil && error.serverCode == nil)
  }

  static let bodies: [(String, String?, String?)] = [
    (#"{"code":"MissingTask","message":"\"Text\" is required"}"#, "MissingTask", #""Text" is required"#),
    (#"{"error":{"code":"InvalidToken","message":"empty","innerError":{"id":"r-9"}}}"#, "InvalidToken", "empty"),
    (#"{"error":"invalid_request","error_description":"what"}"#, "invalid_request", "what"),
    (#"{"title":"Bad","detail":"worse","status":400}"#, nil, "worse"), (#"{"code":17}"#, "17", nil),
    (#"{"code":[],"message":{}}"#, nil, nil), ("Unauthorized", nil, nil), ("[]", nil, nil), ("{", nil, nil),
    (String(repeating: #"{"error":"#, count: 5000), nil, nil),
  ]

  @Test("An error contains the code and the words of the server", arguments: bodies)
  func serverWords(_ body: String, _ code: String?, _ message: String?) async throws {
    let error = try await error(.success(.text(409, body)))
    #expect(error.code == .conflict && error.serverCode == code && error.serverDescription == message)
  }

  // `PrintableTextTests` has the words that are and are not shown.
  @Test("Codes, words and ids are on one line and cut, and a page is not shown")
  func isShort() async throws {
    let long = String(repeating: "no, ", count: 100_000)
    let body = #"{"code":"\#(long)","message":"\#(long)"}"#
    let endless = try await error(.success(.text(400, body, headers: ["Request-Id": long])))
    #expect("\(endless)".count < 700)
    let short = long.prefix(900)
    let shown = try await error(.success(.text(400, #"{"code":"\#(short)","message":"\#(short)"}"#)))
    #expect(shown.serverDescription?.count == 199 && shown.serverCode?.count == 99)
    let lines = try await error(.success(.text(400, #"{"message":"a\r\nb\u0000c\u202Ed\u2028"}"#)))
    #expect(lines.serverDescription == "a  b c d")
    #expect(try await !"\(error(.success(.text(400, "<html>canary</html>"))))".contains("canary"))
  }

  @Test(
    "The server's wait and id of the request are in the error, the id as its correlation id where it is a UUID",
    arguments: ["x-request-id", "Request-Id"], ["r-1", UUID().uuidString])
  func headers(_ name: String, _ id: String) async throws {
    let error = try await error(.success(.text(429, "", headers: [name: id, "Retry-After": "11"])))
    #expect("\(error)".contains(id) && error.correlationID == UUID(uuidString: id) && error.retryAfter == 11)
  }

  @Test("The error of a transport that refuses to send says why, and that nothing was sent")
  func refusedByTheTransport() async throws {
    let words = "http_proxy would send plain http to localhost through a proxy. Set no_proxy=localhost,127.0.0.1,::1."
    let error = try await error(.failure(ConnectorError(own: .configuration, words)))
    #expect(error.message == words && !error.outcomeIsUnknown)
    #expect(error.method == "POST" && error.url == "https://tasks.example.com/tasks")
  }

  /// The status, the call, the id of its task, and the words around the request in the message.
  ///
  /// `MessageTests` has the messages with the advice.
  static let messages: [(Int, TaskCall, String?, String)] = [
    (503, .list, nil, "GET @ failed with status 503."), (400, .list, nil, "GET @ failed with status 400."),
    (410, .list, nil, "The server answered 410 to GET @: nothing exists at this URL."),
    (500, .add, nil, "POST @ failed with status 500."),
    (405, .update, "1", "The server answered 405 to PUT @/1: it does not support updating."),
    (405, .delete, "1", "The server answered 405 to DELETE @/1: it does not support deleting by id."),
    (501, .delete, nil, "The server answered 501 to DELETE @: it does not support deleting by title."),
    (
      410, .delete, "1",
      "The server answered 410 to DELETE @/1: the task does not exist, or the server does not support deleting by id."
    ),
  ]

  @Test("An error names method, URL without query, and status", arguments: messages)
  func message(_ status: Int, _ call: TaskCall, _ id: String?, _ words: String) async throws {
    let message = words.replacing("@", with: "https://tasks.example.com/tasks")
    let transport = CannedTransport(Array(repeating: .success(.text(status, "")), count: 3))
    let client = try client(transport, base: "https://tasks.example.com/tasks?code=canary")
    let error = try #require(await taskError { try await call.run(client, TaskItem(itemName: "x", serverID: id)) })
    #expect(error.message == message && error.localizedDescription == message && error.method == call.rawValue)
    #expect(error.url.map { $0 + "?code=canary" } == transport.requests.first?.url?.absoluteString)
    #expect(!"\(error)".contains("canary"))
    #expect("\(error)" == "\(error.code.rawValue): \(message)" + (error.recoverySuggestion.map { " " + $0 } ?? ""))
  }
}
