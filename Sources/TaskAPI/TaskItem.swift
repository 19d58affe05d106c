public import Foundation

/// A task as the task server keeps it.
///
/// ```swift
/// var task = try await client.add(TaskItem(itemName: "Buy milk"))
/// task.completed = true
/// try await client.update(task)
/// ```
public struct TaskItem: Sendable, Hashable, Identifiable {
  /// The title; any Unicode text that is not empty.
  public var itemName: String
  /// The id of the task's owner.
  ///
  /// The server takes it from the token; ``TaskAPIClient/add(_:)`` does not send it.
  public var ownerName: String?
  /// Whether the task is done.
  public var completed: Bool
  /// The time at which the server stored it; `nil` before that.
  public let creationDate: Date?
  /// The server's id, or one made here for a task that has none yet, so that a list tells its rows apart.
  ///
  /// An id made here is sent to no server, and is no part of what `==` compares: the copies of a task have the same one,
  /// and two tasks made alike are equal and have two.
  public var id: String { serverID ?? row.text }
  /// The server's id (`_id`); `nil` before the server stored it.
  public let serverID: String?
  /// The document's other fields as received; an update sends them back.
  public var unknownFields: [String: JSONValue] = [:]
  private var row: Row

  /// Makes a task.
  ///
  /// A new task has neither the server's id nor a date: the server assigns both. Pass its id to update or delete a task that another
  /// part of the app, or an earlier launch, has listed.
  ///
  /// - Parameters:
  ///   - itemName: The title.
  ///   - ownerName: The owner, for display; the server decides.
  ///   - completed: Whether it is done.
  ///   - serverID: The server's id, never the ``id`` of a task without one.
  ///   - creationDate: The time at which the server stored it.
  public init(
    itemName: String, ownerName: String? = nil, completed: Bool = false, serverID: String? = nil,
    creationDate: Date? = nil
  ) {
    self.itemName = itemName
    self.ownerName = ownerName
    self.completed = completed
    self.serverID = serverID
    self.creationDate = creationDate
    row = Row(serverID)
  }

  /// The id of a task that has none of a server; all are equal, so that a task is compared by everything else.
  private struct Row: Hashable {
    /// The field that keeps the id of a draft where an app stores it; no request has it.
    static let key = "_row"

    var text: String

    /// Makes an id unless there is one of a server: each reads the system's source of random numbers (row 6 of the benchmarks).
    init(_ serverID: String?) { text = serverID == nil ? UUID().uuidString.lowercased() : "" }

    static func == (_: Row, _: Row) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
  }
}

// MARK: - Reading

extension TaskItem {
  /// Reads a list of documents.
  static func list(_ json: JSONValue, in dialect: TaskDialect) throws -> [TaskItem] {
    guard let documents = json.array else { throw UnreadableAnswer(reason: "the response is \(json.kind), not a list") }
    return try documents.enumerated().map { index, document in
      try TaskItem(document, in: dialect, at: "[\(index)]")
    }
  }

  /// Reads one document; of two titles the dialect's own counts, and the other is kept as an unknown field.
  init(_ document: JSONValue, in dialect: TaskDialect, at place: String = "") throws {
    let name = place.isEmpty ? "the task" : place
    guard case .object(var fields) = document else {
      throw UnreadableAnswer(reason: "\(name) is \(document.kind), not an object")
    }
    func take<Value>(_ key: String, _ expected: String, _ value: (JSONValue) -> Value?) throws -> Value? {
      guard let field = fields.removeValue(forKey: key), field != .null else { return nil }
      guard let value = value(field) else {
        let path = place.isEmpty ? key : "\(place).\(key)"
        throw UnreadableAnswer(reason: "\(path) is \(field.kind), not \(expected)")
      }
      return value
    }
    serverID = try take("_id", "a string", \.string)
    ownerName = try take("owner", "a string", \.string)
    completed = try take("completed", "true or false", \.bool) ?? false
    creationDate = try take("date", "an ISO 8601 date with seconds") { $0.string.flatMap { Dates.internet($0) } }
    let otherKey = dialect.titleKey == "task" ? "Text" : "task"
    guard let title = try take(dialect.titleKey, "a string", \.string) ?? take(otherKey, "a string", \.string)
    else { throw UnreadableAnswer(reason: "\(name) has no title (task or Text)") }
    itemName = title
    unknownFields = fields
    row = Row(serverID)
  }
}

/// The reason why a success cannot be read, as a clause: "[0]._id is a number; a string is expected".
struct UnreadableAnswer: Error {
  let reason: String
  var suggestion = "Check that the base URL is that of a list of tasks."
}

extension JSONValue {
  /// The kind of value, as the errors of a task name it.
  fileprivate var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .integer, .number: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

// MARK: - Writing

extension TaskItem {
  /// The whole document, with the fields that only the server sets.
  func document(in dialect: TaskDialect) -> JSONValue {
    var fields = unknownFields
    fields[dialect.titleKey] = .string(itemName)
    fields["completed"] = .bool(completed)
    fields["_id"] = serverID.map(JSONValue.string)
    fields["owner"] = ownerName.map(JSONValue.string)
    fields["date"] = creationDate.map { .string(Dates.internet($0)) }
    return .object(fields)
  }

  /// The document of a new task, without the fields that only the server sets.
  func draft(in dialect: TaskDialect) -> JSONValue {
    var fields = unknownFields.filter { name, _ in
      // Names with an underscore, such as `_id` and `__v`, belong to the database.
      !name.hasPrefix("_") && !["owner", "date", "task", "Text", "completed"].contains(name)
    }
    fields[dialect.titleKey] = .string(itemName)
    if completed { fields["completed"] = .bool(true) }
    return .object(fields)
  }
}

extension TaskItem: Codable {
  /// Reads a document of either dialect; fields with other names go into ``unknownFields``.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` when the title is missing, a field has the wrong type, or the date is not ISO 8601.
  public init(from decoder: any Decoder) throws {
    let document = try JSONValue(from: decoder)
    do {
      try self.init(document, in: .tutorial)
      if let text = unknownFields.removeValue(forKey: Row.key)?.string { row.text = text }
    } catch let error as UnreadableAnswer {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "The JSON is not a task, because \(error.reason)."))
    }
  }

  /// Writes the whole document with the field names of ``TaskDialect/tutorial``.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: `EncodingError` when a number in ``unknownFields`` is not finite.
  public func encode(to encoder: any Encoder) throws {
    var fields = document(in: .tutorial).object ?? [:]
    // An app that keeps a draft finds it again by its id.
    if serverID == nil { fields[Row.key] = .string(row.text) }
    try fields.encode(to: encoder)
  }
}

/// The field names and routes of a task server.
///
/// Titles are read under either name; the dialect says which one is written.
public struct TaskDialect: Sendable, Hashable {
  /// The JSON key of a task's title.
  package let titleKey: String
  /// Whether `base/{id}` names one task, so that the server deletes by id.
  package let routesByID: Bool

  /// The server of Microsoft's tutorial: the title is `task`, and tasks are deleted by title.
  public static let tutorial = TaskDialect(titleKey: "task", routesByID: false)
  /// The server of the sample's repository: the title is `Text`.
  public static let repository = TaskDialect(titleKey: "Text", routesByID: false)
  /// Own servers: `GET`/`POST base`, `PUT`/`DELETE base/{id}`; the title is `task`.
  public static let rest = TaskDialect(titleKey: "task", routesByID: true)
}
