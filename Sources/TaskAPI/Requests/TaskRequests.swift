internal import Foundation

/// Makes the requests of one configuration.
struct TaskRequests: Sendable {
  /// The request for the list, made once.
  let list: TransportRequest
  private let configuration: TaskAPIConfiguration
  private let urls: TaskURLs

  init(_ configuration: TaskAPIConfiguration) throws {
    try configuration.validate()
    self.configuration = configuration
    urls = try TaskURLs(configuration.baseURL)
    list = TransportRequest(url: urls.list, headers: ["Accept": "application/json"], limits: configuration.limits)
  }

  func add(_ item: TaskItem) throws -> TransportRequest {
    try checkName(of: item)
    return try request(.post, urls.list, body: item.draft(in: configuration.dialect))
  }

  func update(_ item: TaskItem) throws -> TransportRequest {
    try checkName(of: item)
    guard let id = item.id, !id.isEmpty else {
      throw TaskAPIError(
        .missingKey, "The task has no id, so the server cannot know which one to change.",
        recoverySuggestion: "Take the task from a list or from what add gave back.")
    }
    switch configuration.update {
    case .put: return try request(.put, urls.item(id), body: item.document(in: configuration.dialect))
    case .patch: return try request(.patch, urls.item(id), body: item.change(in: configuration.dialect))
    }
  }

  func delete(_ item: TaskItem) throws -> (request: TransportRequest, isByID: Bool) {
    // A deletion in which the server finds no text may delete all tasks of the user.
    guard !item.itemName.isEmpty else {
      throw TaskAPIError(
        .missingKey, "The task has no text; the server might take that for all tasks.",
        recoverySuggestion: "Take the task from a list.")
    }
    let id = item.id.flatMap { $0.isEmpty ? nil : $0 }
    switch (configuration.deletion, id) {
    case (.automatic, let id?), (.byID, let id?):
      return (try deleteByID(id, item), true)
    case (.byID, nil):
      throw TaskAPIError(
        .missingKey, "The task has no id, and deletion is set to .byID.",
        recoverySuggestion: "Take the task from a list, or choose the deletion .automatic.")
    case (.query, _):
      return (try request(.delete, urls.list(adding: shortKeys(of: item))), false)
    case (.path, _):
      return (try request(.delete, urls.item(owner(of: item), item.itemName, adding: shortKeys(of: item))), false)
    case (.automatic, nil), (.body, _):
      return (try request(.delete, urls.list, body: Self.document(keys(of: item))), false)
    }
  }

  /// The id goes along as a parameter too: a server that would take the text for the key then finds the better one.
  private func deleteByID(_ id: String, _ item: TaskItem) throws -> TransportRequest {
    let keys = [(name: "_id", value: id)] + keys(of: item)
    return FormEncoding.escape(item.itemName).utf8.count <= TaskURLs.maximumTextBytes
      ? try request(.delete, urls.item(id, adding: keys))
      : try request(.delete, urls.item(id), body: Self.document(keys))
  }

  private func owner(of item: TaskItem) throws -> String {
    guard let owner = item.ownerName ?? configuration.ownerFilter, !owner.isEmpty else {
      throw TaskAPIError(
        .missingKey, "The deletion .path needs the task's owner, and neither the task nor the configuration has one.",
        recoverySuggestion: "Take the task from a list, or set ownerFilter.")
    }
    return owner
  }

  /// The text under both names: a server that knows only the other dialect's finds it too.
  private func keys(of item: TaskItem) -> [(name: String, value: String)] {
    let other: TaskDialect = configuration.dialect == .tutorial ? .repository : .tutorial
    return [configuration.dialect, other].map { ($0.nameKey, item.itemName) }
  }

  private func shortKeys(of item: TaskItem) throws -> [(name: String, value: String)] {
    guard FormEncoding.escape(item.itemName).utf8.count <= TaskURLs.maximumTextBytes else {
      throw TaskAPIError(
        .invalidItem, "The task's text is too long for a URL: more than \(TaskURLs.maximumTextBytes) bytes, escaped.",
        recoverySuggestion: "Choose the deletion .body.")
    }
    return keys(of: item)
  }

  private static func document(_ keys: [(name: String, value: String)]) -> JSONValue {
    .object(Dictionary(uniqueKeysWithValues: keys.map { ($0.name, .string($0.value)) }))
  }

  private func checkName(of item: TaskItem) throws {
    guard !item.itemName.isEmpty else {
      throw TaskAPIError(.invalidItem, "The task has no text.", recoverySuggestion: "Give it an itemName.")
    }
    let count = item.itemName.utf8.count
    guard count <= configuration.maximumNameBytes else {
      throw TaskAPIError(
        .invalidItem, "The task's text has \(count) bytes; the limit is \(configuration.maximumNameBytes).",
        recoverySuggestion: "Shorten it, or raise maximumNameBytes.")
    }
  }

  private func request(_ method: HTTPMethod, _ url: URL, body: JSONValue? = nil) throws -> TransportRequest {
    var request = list
    request.method = method
    request.url = url
    if let body {
      request.headers.append(name: "Content-Type", value: "application/json")
      request.body = try Self.encode(body)
    }
    return request
  }

  private static func encode(_ body: JSONValue) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(body)
    } catch {
      throw TaskAPIError(
        .invalidItem, "The task cannot be written as JSON: a number among its unknown members is not finite.",
        underlying: error)
    }
  }
}
