internal import Foundation

/// A request of the task client, and what its retries and errors depend on.
struct TaskRequest: Sendable {
  enum Operation: Sendable {
    case list, add, update, delete
  }

  let operation: Operation
  let message: TransportRequest
  /// Whether sending it twice has the effect of sending it once.
  var isIdempotent = false
  /// Whether the URL names one task by its id.
  var namesID = false
}

/// Builds the requests of one configuration; every URL that the task client calls is made here.
///
/// A title is never part of a URL: it would end up in access logs.
struct TaskRequestBuilder: Sendable {
  private let configuration: TaskAPIConfiguration
  private let listURL: URL
  /// The base URL up to its path, without a slash at the end.
  private let base: String
  /// The base URL's query with its question mark, or nothing.
  private let query: String

  init(_ configuration: TaskAPIConfiguration) throws(TaskAPIError) {
    try configuration.validate()
    self.configuration = configuration
    let url = configuration.baseURL.absoluteURL
    let parts = url.absoluteString.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var base = parts[0]
    while base.hasSuffix("/") { base.removeLast() }
    self.base = String(base)
    query = parts.count > 1 && !parts[1].isEmpty ? "?" + parts[1] : ""
    // A server's root keeps its slash, which is the whole path.
    let isRoot = url.path.allSatisfy { $0 == "/" }
    listURL = try Self.url(base + (isRoot ? "/" : "") + query)
  }

  func list() throws(TaskAPIError) -> TaskRequest {
    TaskRequest(operation: .list, message: try message(.get, listURL), isIdempotent: true)
  }

  func add(_ item: TaskItem) throws(TaskAPIError) -> TaskRequest {
    try checkName(of: item)
    return TaskRequest(
      operation: .add, message: try message(.post, listURL, body: item.draft(in: configuration.dialect)))
  }

  func update(_ item: TaskItem) throws(TaskAPIError) -> TaskRequest {
    try checkName(of: item)
    return TaskRequest(
      operation: .update,
      message: try message(.put, itemURL(of: item), body: item.document(in: configuration.dialect)),
      isIdempotent: true, namesID: true)
  }

  func delete(_ item: TaskItem) throws(TaskAPIError) -> TaskRequest {
    if configuration.dialect.routesByID {
      return TaskRequest(
        operation: .delete, message: try message(.delete, itemURL(of: item)), isIdempotent: true, namesID: true)
    }
    // A known server that finds no title in a deletion may delete all tasks of the user.
    guard !item.itemName.isEmpty else {
      throw TaskAPIError(
        .missingKey, "The task has no title; the server could take that for all tasks.",
        recoverySuggestion: "Use a task from a list.")
    }
    // Both names, so that a server of the other dialect finds a title too.
    var fields: [String: JSONValue] = ["task": .string(item.itemName), "Text": .string(item.itemName)]
    fields["_id"] = item.serverID.map(JSONValue.string)
    let namesID = item.serverID?.isEmpty == false
    // Known servers ignore the id and delete by the title in the body: a second try could delete a new task.
    return TaskRequest(
      operation: .delete, message: try message(.delete, namesID ? itemURL(of: item) : listURL, body: .object(fields)),
      namesID: namesID)
  }

  private func itemURL(of item: TaskItem) throws(TaskAPIError) -> URL {
    guard let id = item.serverID, !id.isEmpty else {
      throw TaskAPIError(
        .missingKey, "The task has no id (_id), so the server cannot know which one is meant.",
        recoverySuggestion: "Use a task from a list, or the one that add returned.")
    }
    // An escaped dot is a dot: servers and clients drop such segments, and the rest names something else.
    guard id != ".", id != ".." else {
      throw TaskAPIError(.invalidItem, "The task's id is “\(id)”, which no URL can contain.")
    }
    return try Self.url(base + "/" + FormEncoding.escape(id) + query)
  }

  private func checkName(of item: TaskItem) throws(TaskAPIError) {
    guard !item.itemName.isEmpty else {
      throw TaskAPIError(.invalidItem, "The task's title is empty.", recoverySuggestion: "Set itemName.")
    }
    let count = item.itemName.utf8.count
    guard count <= configuration.maximumNameBytes else {
      throw TaskAPIError(
        .invalidItem, "The task's title has \(count) bytes; the limit is \(configuration.maximumNameBytes).",
        recoverySuggestion: "Shorten it.")
    }
  }

  private func message(
    _ method: TransportRequest.Method, _ url: URL, body: JSONValue? = nil
  ) throws(TaskAPIError) -> TransportRequest {
    var message = TransportRequest(
      method: method, url: url, headers: ["Accept": "application/json"], limits: configuration.limits)
    guard let body else { return message }
    message.headers.append(name: "Content-Type", value: "application/json")
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      message.body = try encoder.encode(body)
    } catch {
      throw TaskAPIError(
        .invalidItem, "The task cannot be written as JSON: a number among its unknown fields is not finite.",
        underlying: error)
    }
    return message
  }

  private static func url(_ text: String) throws(TaskAPIError) -> URL {
    guard let url = URL(string: text), Loopback.isAllowed(url) else {
      throw TaskAPIError(.invalidConfiguration, "The base URL and the task's id do not form a URL.")
    }
    return url
  }
}
