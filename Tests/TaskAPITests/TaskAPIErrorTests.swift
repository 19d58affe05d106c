import B2CCore
import Foundation
import TaskAPI
import Testing

@Suite struct TaskAPIErrorTests {
  static let statuses: [(Int, TaskAPIError.Code, Bool)] = [
    (301, .redirected, false), (302, .redirected, false), (304, .redirected, false), (307, .redirected, false),
    (308, .redirected, false), (400, .refused, false), (402, .refused, false), (403, .forbidden, false),
    (404, .notFound, false), (405, .unsupported, false), (406, .refused, false), (408, .timedOut, true),
    (409, .conflict, false), (410, .notFound, false), (413, .tooLarge, false), (415, .refused, false),
    (422, .refused, false), (429, .throttled, true), (500, .server, true), (501, .unsupported, false),
    (502, .server, true), (503, .server, true), (504, .server, true), (505, .server, false),
    (100, .invalidResponse, false),
    (600, .invalidResponse, false), (0, .invalidResponse, false), (-1, .invalidResponse, false),
  ]

  @Test(arguments: statuses)
  func everyStatusHasItsCode(_ status: Int, _ code: TaskAPIError.Code, _ isRetryable: Bool) async throws {
    let transport = CannedTransport(.text(status, ""))
    let client = try client(transport) { $0.retry = .none }
    let error = try #require(await taskError { try await client.add(TaskItem(itemName: "x")) })
    #expect(error.code == code && error.isRetryable == isRetryable && error.status == status)
    #expect(error.excerpt == nil && error.serverCode == nil && transport.unused == 0)
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

  @Test(arguments: bodies)
  func keepsWhatTheServerSaid(_ body: String, _ code: String?, _ message: String?) async throws {
    let transport = CannedTransport(.text(409, body))
    let error = try #require(await taskError { try await client(transport).add(TaskItem(itemName: "x")) })
    #expect(error.code == .conflict && error.serverCode == code && error.serverMessage == message)
    #expect(error.requestID == (body.contains("r-9") ? "r-9" : nil))
    #expect(error.excerpt == String(body.prefix(200)))
  }

  @Test(arguments: ["x-request-id", "Request-Id", "x-ms-request-id", "X-Correlation-ID", "client-request-id"])
  func findsTheRequestID(_ name: String) async throws {
    let transport = CannedTransport(.text(400, "", headers: HTTPHeaders([.init(name: name, value: "r-1")])))
    let error = await taskError { try await client(transport).add(TaskItem(itemName: "x")) }
    #expect(error?.requestID == "r-1")
    #expect(error.map { "\($0)" }?.contains("r-1") == true)
  }

  static let transportErrors: [(TransportError.Code, TaskAPIError.Code, Bool, Bool)] = [
    (.timedOut, .timedOut, true, true), (.connectionLost, .network, true, true),
    (.cannotConnect, .network, true, false),
    (.responseTooLarge, .tooLarge, false, true), (.invalidResponse, .invalidResponse, false, true),
    (.untrustedServer, .network, false, false), (.closed, .network, false, false),
    (.insecureURL, .invalidConfiguration, false, false), (.init(rawValue: "other"), .network, false, true),
  ]

  @Test(arguments: transportErrors)
  func everyTransportErrorHasItsCode(
    _ thrown: TransportError.Code, _ code: TaskAPIError.Code, _ isRetryable: Bool, _ isUnknown: Bool
  ) async throws {
    let transport = CannedTransport([.failure(TransportError(thrown, "x"))])
    let error = try #require(await taskError { try await client(transport).add(TaskItem(itemName: "x")) })
    #expect(error.code == code && error.isRetryable == isRetryable && error.outcomeIsUnknown == isUnknown)
    #expect((error.underlying as? TransportError)?.code == thrown)
    #expect(transport.unused == 0)
  }

  @Test func equalByCode() {
    #expect(TaskAPIError(.conflict, "a", status: 409) == TaskAPIError(.conflict, "b"))
    #expect(TaskAPIError(.conflict, "a") != TaskAPIError(.refused, "a"))
  }
}
