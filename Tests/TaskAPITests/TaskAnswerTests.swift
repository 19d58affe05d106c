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

@Suite(.hangLimit) struct TaskAnswerTests {
  static let statuses: [(Int, ErrorCode, Bool)] = [
    (301, .invalidResponse, false), (302, .invalidResponse, false), (304, .invalidResponse, false),
    (307, .invalidResponse, false),
    (308, .invalidResponse, false), (400, .server, false), (402, .server, false), (403, .forbidden, false),
    (404, .notFound, false), (405, .unsupported, false), (406, .server, false), (408, .timedOut, true),
    (409, .conflict, false), (410, .notFound, false), (413, .tooLarge, false), (415, .server, false),
    (422, .server, false), (429, .throttled, true), (500, .serviceUnavailable, true), (501, .unsupported, false),
    (502, .serviceUnavailable, true), (503, .serviceUnavailable, true), (504, .serviceUnavailable, true),
    (505, .serviceUnavailable, false),
    (100, .invalidResponse, false),
    (600, .invalidResponse, false), (0, .invalidResponse, false), (-1, .invalidResponse, false),
  ]

  @Test("Every status has its code", arguments: statuses)
  func codes(_ status: Int, _ code: ErrorCode, _ isRetryable: Bool) async throws {
    let transport = CannedTransport(.text(status, ""))
    let client = try client(transport) { $0.retry = .none }
    let error = try #require(await taskError { try await client.add(TaskItem(itemName: "x")) })
    #expect(error.code == code && error.isRetryable == isRetryable && error.status == status)
    #expect(error.serverDescription == nil && error.serverCode == nil && transport.unused == 0)
  }

  static let bodies: [(String, String?, String?)] = [
    (
      #"{"code":"MissingTask","message":"\"Text\" is a required parameter"}"#, "MissingTask",
      #""Text" is a required parameter"#
    ),
    (
      #"{"error":{"code":"InvalidAuthenticationToken","message":"empty","innerError":{"request-id":"r-9"}}}"#,
      "InvalidAuthenticationToken", "empty"
    ),
    (#"{"error":"invalid_request","error_description":"what"}"#, "invalid_request", "what"),
    (#"{"title":"Bad","detail":"worse","status":400}"#, nil, "worse"), (#"{"code":17}"#, "17", nil),
    (#"{"code":[],"message":{}}"#, nil, nil), ("Unauthorized", nil, nil), ("[]", nil, nil), ("{", nil, nil),
    (String(repeating: #"{"error":"#, count: 5000), nil, nil),
  ]

  @Test("An error contains the code and the words of the server", arguments: bodies)
  func serverWords(_ body: String, _ code: String?, _ message: String?) async throws {
    let transport = CannedTransport(.text(409, body))
    let error = try #require(await taskError { try await client(transport).add(TaskItem(itemName: "x")) })
    #expect(error.code == .conflict && error.serverCode == code && error.serverDescription == message)
  }

  @Test(
    "The server's id of the request is in the error, as its correlation id where it is a UUID",
    arguments: ["x-request-id", "Request-Id"], ["r-1", UUID().uuidString])
  func requestID(_ name: String, _ id: String) async throws {
    let transport = CannedTransport(.text(400, "", headers: [name: id]))
    let error = try #require(await taskError { try await client(transport).add(TaskItem(itemName: "x")) })
    #expect("\(error)".contains(id) && error.correlationID == UUID(uuidString: id))
  }

  static let transportErrors: [(URLError.Code, ErrorCode, Bool, Bool)] = [
    (.timedOut, .timedOut, true, true), (.networkConnectionLost, .network, true, true),
    (.cannotConnectToHost, .network, true, false), (.cannotFindHost, .network, true, false),
    (.notConnectedToInternet, .network, true, false),
    (.dataLengthExceedsMaximum, .tooLarge, false, true), (.cannotParseResponse, .invalidResponse, false, true),
    (.serverCertificateUntrusted, .network, false, false), (.secureConnectionFailed, .network, false, false),
    (.cancelled, .network, false, true), (.badURL, .configuration, false, false), (.unknown, .network, true, true),
  ]

  @Test("Every error of the transport has its code", arguments: transportErrors)
  func transportCodes(
    _ thrown: URLError.Code, _ code: ErrorCode, _ isRetryable: Bool, _ isUnknown: Bool
  ) async throws {
    let transport = CannedTransport([.failure(URLError(thrown))])
    let error = try #require(await taskError { try await client(transport).add(TaskItem(itemName: "x")) })
    #expect(error.code == code && error.isRetryable == isRetryable && error.outcomeIsUnknown == isUnknown)
    #expect((error.underlying as? URLError)?.code == thrown)
    #expect(transport.unused == 0)
  }

  @Test("The error of a transport that refuses to send says why, and that nothing was sent")
  func refusedByTheTransport() async throws {
    let words = "http_proxy would send plain http to localhost through a proxy. Set no_proxy=localhost,127.0.0.1,::1."
    let transport = CannedTransport([.failure(ConnectorError(own: .configuration, words))])
    let error = try #require(await taskError { try await client(transport).add(TaskItem(itemName: "x")) })
    #expect(error.message == words && !error.outcomeIsUnknown)
    #expect(error.method == "POST" && error.url == "https://tasks.example.com/tasks")
  }

  private static let list: @Sendable (TaskAPIClient) async throws -> Void = { _ = try await $0.list() }
  private static let add: @Sendable (TaskAPIClient) async throws -> Void = { try await $0.add(TaskItem(itemName: "x")) }
  private static let update: @Sendable (TaskAPIClient) async throws -> Void = { try await $0.update(stored) }
  private static let delete: @Sendable (TaskAPIClient) async throws -> Void = { try await $0.delete(stored) }
  private static let deleteByTitle: @Sendable (TaskAPIClient) async throws -> Void = {
    try await $0.delete(TaskItem(itemName: "x"))
  }
  private static let stored = TaskItem(itemName: "x", serverID: "1")

  /// The status, the call, and the words around the request in the message.
  static let messages: [(Int, @Sendable (TaskAPIClient) async throws -> Void, String)] = [
    (503, list, "GET @ failed with status 503."), (400, list, "GET @ failed with status 400."),
    (404, list, "The server answered 404 to GET @: nothing exists at this URL."),
    (500, add, "POST @ failed with status 500."),
    (405, update, "The server answered 405 to PUT @/1: it does not support updating."),
    (405, delete, "The server answered 405 to DELETE @/1: it does not support deleting by id."),
    (501, deleteByTitle, "The server answered 501 to DELETE @: it does not support deleting by title."),
    (302, list, "The server answered 302 to GET @: a redirect, which is not followed."),
    (429, add, "The server answered 429 to POST @: too many requests."),
  ]

  @Test("An error names method, URL without query, and status", arguments: messages.indices)
  func message(_ index: Int) async throws {
    let (status, call, words) = Self.messages[index]
    let message = words.replacing("@", with: "https://tasks.example.com/tasks")
    let transport = CannedTransport(Array(repeating: .success(.text(status, "")), count: 5))
    let client = try client(transport, base: "https://tasks.example.com/tasks?code=canary") {
      $0.retry.maximumAttempts = 3
    }
    let error = try #require(await taskError { try await call(client) })
    #expect(error.message == message && error.localizedDescription == message)
    let request = try #require(transport.requests.first)
    #expect(error.method == request.method)
    #expect(error.url.map { $0 + "?code=canary" } == request.url?.absoluteString)
    #expect(!"\(error)".contains("canary"))
    #expect("\(error)" == "\(error.code.rawValue): \(message)" + (error.recoverySuggestion.map { " " + $0 } ?? ""))
  }

  @Test("An error without an answer names the request too")
  func noAnswer() async throws {
    let words = "No response to GET https://tasks.example.com/tasks: tasks.example.com refused the connection."
    let transport = CannedTransport(Array(repeating: .failure(URLError(.cannotConnectToHost)), count: 3))
    let error = await taskError { _ = try await client(transport) { $0.retry.maximumAttempts = 3 }.list() }
    #expect(error.map { "\($0)" } == "network: \(words) Check the connection, then try again.")
    #expect(error?.status == nil)
  }

  @Test("An error about the token names the request and what the API said")
  func token() async throws {
    let refusal = LocalResponse.text(
      401, "", headers: ["WWW-Authenticate": #"Bearer realm="Users", error="invalid_token""#])
    let error = await taskError { _ = try await client(CannedTransport(refusal, refusal)).list() }
    #expect(error.map { "\($0)" }?.contains("(GET https://tasks.example.com/tasks, status 401)") == true)
    #expect(error?.message.contains("invalid_token") == true && error?.oauthError == "invalid_token")
  }
}
