internal import B2CCore
internal import Foundation

/// A request of the task client, and the errors that it can end in.
struct TaskRequest: Sendable {
  let message: URLRequest
  /// Whether sending it twice has the effect of sending it once.
  var isIdempotent = false
  /// Whether the URL names one task by its id.
  var namesID = false
  /// The operation, in words that follow "does not support".
  let action: String
  /// The advice if the server does not support the operation.
  var alternative = "Check the path of the base URL."
}

/// Builds the requests of a client; every URL that the task client calls is made here.
///
/// A title is never part of a URL: it would end up in access logs.
struct TaskRequestBuilder: Sendable {
  /// The most bytes of UTF-8 in a title that is sent.
  private static let maximumNameBytes = 65_536

  let baseURL: URL
  let dialect: TaskDialect
  let limits: TransportLimits

  func list() throws -> TaskRequest { TaskRequest(message: try message("GET"), isIdempotent: true, action: "lists") }

  func add(_ item: TaskItem) throws -> TaskRequest {
    try checkName(of: item)
    return TaskRequest(message: try message("POST", body: item.draft(in: dialect)), action: "adding tasks")
  }

  func update(_ item: TaskItem) throws -> TaskRequest {
    try checkName(of: item)
    return TaskRequest(
      message: try message("PUT", id: id(of: item), body: item.document(in: dialect)), isIdempotent: true,
      namesID: true, action: "updates", alternative: "Use another server. Those of the tutorial cannot update tasks.")
  }

  func delete(_ item: TaskItem) throws -> TaskRequest {
    let namesID = dialect.routesByID || item.serverID?.isEmpty == false
    let id = namesID ? try id(of: item) : nil
    var body: JSONValue?
    if !dialect.routesByID {
      // A known server that finds no title in a deletion may delete all tasks of the user.
      guard !item.itemName.isEmpty else {
        throw Self.invalid(
          "The task has no title, so the server could delete all tasks.", "Use a task from a list.")
      }
      // Both names, so that a server of the other dialect finds a title too.
      var fields: [String: JSONValue] = ["task": .string(item.itemName), "Text": .string(item.itemName)]
      fields["_id"] = item.serverID.map(JSONValue.string)
      body = .object(fields)
    }
    return TaskRequest(
      message: try message("DELETE", id: id, body: body),
      // Known servers ignore the id and delete by the title in the body: a second try could delete a new task.
      isIdempotent: dialect.routesByID, namesID: namesID, action: namesID ? "deletion by id" : "deletion by title",
      alternative: "Choose the dialect of the server. `.rest` deletes by id, and the others delete by title.")
  }

  private func id(of item: TaskItem) throws -> String {
    guard let id = item.serverID, !id.isEmpty else {
      throw Self.invalid(
        "The task has no id (_id), so the server cannot find it.",
        "Use a task from a list, or the task that `addTask` returned.")
    }
    // An escaped dot is a dot: servers and clients drop such segments, and the rest names something else.
    guard id != ".", id != ".." else { throw Self.invalid("The task's id “\(id)” cannot be part of a URL.") }
    return id
  }

  private func checkName(of item: TaskItem) throws {
    guard !item.itemName.isEmpty else { throw Self.invalid("The task's title is empty.", "Set itemName.") }
    let count = item.itemName.utf8.count
    guard count <= Self.maximumNameBytes else {
      throw Self.invalid("The task's title has \(count) of at most \(Self.maximumNameBytes) bytes.", "Shorten it.")
    }
  }

  private func message(_ method: String, id: String? = nil, body: JSONValue? = nil) throws -> URLRequest {
    var message = URLRequest(method: method, url: try url(id), headers: ["Accept": "application/json"])
    guard let body else { return message }
    message.setValue("application/json", forHTTPHeaderField: "Content-Type")
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      message.httpBody = try encoder.encode(body)
    } catch {
      throw Self.invalid(
        "The task cannot be written as JSON, because a number in its unknown fields is not finite.", underlying: error)
    }
    return message
  }

  /// The URL of the list, or of one task; the base URL's query goes along.
  private func url(_ id: String?) throws -> URL {
    var parts = URLComponents(url: baseURL, resolvingAgainstBaseURL: true)
    var path = parts?.percentEncodedPath ?? ""
    while path.hasSuffix("/") { path.removeLast() }
    // A server's root keeps its slash, which is the whole path.
    parts?.percentEncodedPath = path + (id.map { "/" + FormEncoding.escape($0) } ?? (path.isEmpty ? "/" : ""))
    if parts?.percentEncodedQuery?.isEmpty == true { parts?.percentEncodedQuery = nil }
    guard let url = parts?.url else {
      throw ConnectorError(own: .configuration, "The base URL and the task's id do not form a URL.")
    }
    return url
  }

  private static func invalid(
    _ message: String, _ suggestion: String? = nil, underlying: (any Error)? = nil
  ) -> ConnectorError {
    ConnectorError(own: .invalidItem, message, recoverySuggestion: suggestion, underlying: underlying)
  }
}
