import B2CTestKit
import Foundation
import TestSupport
import Testing

func url(_ text: String) throws -> URL {
  try #require(URL(string: text))
}

/// A client of `https://tasks.example.com/tasks` over canned answers.
func client(
  _ transport: any HTTPTransport, base: String = "https://tasks.example.com/tasks",
  tokens: CannedTokens = CannedTokens("opaque-token-1", "opaque-token-2"), clock: any Clock<Duration> = LeapingClock(),
  change: (inout ClientOptions) -> Void = { _ in }
) throws -> TaskAPIClient {
  var options = ClientOptions()
  change(&options)
  return TaskAPIClient(
    baseURL: try url(base), dialect: options.dialect, limits: options.limits,
    transport: AuthorizedTransport(
      RetryingTransport(transport: transport, policy: options.retry, clock: clock),
      tokens: options.tokens ?? tokens.source, allowedOrigins: Set([Origin(try url(base))].compactMap(\.self))))
}

/// The options of a client that a test may set.
struct ClientOptions {
  var dialect = TaskDialect.tutorial
  var limits = TaskAPIClient.standardLimits
  var retry = RetryPolicy()
  /// In place of canned tokens.
  var tokens: BearerTokens?
}

/// A call of a client, by the method of its request.
enum TaskCall: String, CaseIterable {
  case list = "GET"
  case add = "POST"
  case update = "PUT"
  case delete = "DELETE"

  func run(_ client: TaskAPIClient, _ task: TaskItem = TaskItem(itemName: "x", serverID: "1")) async throws {
    switch self {
    case .list: _ = try await client.list()
    case .add: try await client.add(task)
    case .update: try await client.update(task)
    case .delete: try await client.delete(task)
    }
  }

  /// A success without a document, as far as there may be one.
  var success: LocalResponse { self == .list ? .text(200, "[]") : .text(204, "") }
}

/// The JSON fields of a request's body.
func members(of request: URLRequest) throws -> [String: JSONValue] {
  try JSONDecoder().decode([String: JSONValue].self, from: #require(request.httpBody))
}

let allDialects: [TaskDialect] = [.tutorial, .repository, .rest]

/// A task from a document, as a server sends it.
func decoded(_ json: String) throws -> TaskItem {
  try JSONDecoder().decode(TaskItem.self, from: Data(json.utf8))
}

/// The error that a call ends with.
func taskError(_ body: () async throws -> Void) async -> ConnectorError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? ConnectorError
  }
}

enum Samples {
  /// As the tutorial's server gives a list.
  static let tutorialList = """
    [{"_id":"564d9a1f6b3c2a0d00a1b2c3","owner":"6f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0","task":"Buy milk",\
    "date":"2015-11-19T09:45:03.117Z","__v":0},{"_id":"564d9a206b3c2a0d00a1b2c4",\
    "owner":"00000000-0000-0000-0000-000000000002","task":"Walk the \\"dog\\"\\n\\u00e9 🐕","completed":true,\
    "date":"2015-11-19T09:45:04Z","__v":0}]
    """
  /// As the server of the sample's repository gives it.
  static let repositoryList = """
    [
      {"_id": "57c5a0b1c2d3e4f5a6b7c8d9", "owner": "o-1", "Text": "Buy milk", "date": "2016-08-30T15:05:21.000Z",
       "__v": 0},
      {"_id": "57c5a0b1c2d3e4f5a6b7c8da", "owner": "o-2", "Text": "", "completed": false, "date": null, "__v": 2}
    ]
    """
  static let stored = """
    {"__v":0,"owner":"o-1","task":"Buy milk","_id":"564d9a1f6b3c2a0d00a1b2c3","date":"2015-11-19T09:45:03.117Z"}
    """
}

/// Why there is no token to give.
struct SignedOut: Error, Equatable {}

extension LocalResponse {
  static func text(_ status: Int, _ body: String, headers: [String: String] = [:]) -> LocalResponse {
    LocalResponse(status: status, headers: headers, body: Data(body.utf8))
  }
}
