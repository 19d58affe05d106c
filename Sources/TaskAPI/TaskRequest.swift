internal import B2CCore
internal import Foundation

/// A request of the task client, with the words for its error messages.
struct TaskRequest: Sendable {
  let message: URLRequest
  /// Whether sending the request twice has the same effect as sending it once.
  var isIdempotent = false
  /// Whether the URL contains the id of a task.
  var namesID = false
  /// The operation, in words that can follow "does not support".
  let action: String
  /// The advice for a server that does not support the operation.
  var alternative = "Check the path of the base URL."
}

/// The builder of a client's requests, including their URLs.
///
/// A title is never part of a URL, because servers write URLs into their access logs.
struct TaskRequestBuilder: Sendable {
  /// The largest size of a title in bytes of UTF-8.
  private static let maximumNameBytes = 65_536

  let baseURL: URL
  let dialect: TaskDialect
  let limits: TransportLimits

  func list() throws -> TaskRequest { TaskRequest(message: try message("GET"), isIdempotent: true, action: "listing") }

  func add(_ item: TaskItem) throws -> TaskRequest {
    try checkName(of: item)
    return TaskRequest(message: try message("POST", body: item.draft(in: dialect)), action: "adding")
  }

  func update(_ item: TaskItem) throws -> TaskRequest {
    try checkName(of: item)
    return TaskRequest(
      message: try message("PUT", id: id(of: item), body: item.document(in: dialect)), isIdempotent: true,
      namesID: true, action: "updating", alternative: "Use another server. Those of the tutorial cannot update tasks.")
  }

  func delete(_ item: TaskItem) throws -> TaskRequest {
    let namesID = dialect.routesByID || item.serverID?.isEmpty == false
    let id = namesID ? try id(of: item) : nil
    var body: JSONValue?
    if !dialect.routesByID {
      // If a deletion has no title, one of Microsoft's sample servers may delete all tasks of the user.
      guard !item.itemName.isEmpty else {
        throw Self.invalid(
          "The task has no title, so the server could delete all tasks.", "Use a task from a list.")
      }
      // Send the title under both names, so that a server finds it even if the app has chosen the wrong dialect.
      var fields: [String: JSONValue] = ["task": .string(item.itemName), "Text": .string(item.itemName)]
      fields["_id"] = item.serverID.map(JSONValue.string)
      body = .object(fields)
    }
    return TaskRequest(
      message: try message("DELETE", id: id, body: body),
      // Microsoft's sample servers ignore the id and delete by title, so a second try could delete a task that was
      // added meanwhile.
      isIdempotent: dialect.routesByID, namesID: namesID, action: namesID ? "deleting by id" : "deleting by title",
      alternative: "Choose the dialect of the server. `.rest` deletes by id, and the others delete by title.")
  }

  private func id(of item: TaskItem) throws -> String {
    guard let id = item.serverID, !id.isEmpty else {
      throw Self.invalid(
        "The task has no id (_id), so the server cannot find it.",
        "Use a task from a list, or the task that `addTask` returned.")
    }
    // Escaping does not help with these two. Servers and clients remove such path segments, so the URL of the list would
    // remain.
    guard id != ".", id != ".." else { throw Self.invalid("The task's id “\(id)” cannot be part of a URL.") }
    return id
  }

  private func checkName(of item: TaskItem) throws {
    guard !item.itemName.isEmpty else { throw Self.invalid("The task's title is empty.", "Set `itemName`.") }
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

  /// Returns the URL of the list or of one task, with the query of the base URL.
  private func url(_ id: String?) throws -> URL {
    var parts = URLComponents(url: baseURL, resolvingAgainstBaseURL: true)
    var path = parts?.percentEncodedPath ?? ""
    while path.hasSuffix("/") { path.removeLast() }
    // Without a path, the URL of a server's root would be empty after the host, so keep its slash.
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
