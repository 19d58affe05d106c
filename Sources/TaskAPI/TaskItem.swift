public import Foundation

/// A task of the task server.
///
/// ```swift
/// var task = try await client.add(TaskItem(itemName: "Buy milk"))
/// task.completed = true
/// try await client.update(task)
/// ```
public struct TaskItem: Sendable, Hashable, Identifiable {
  /// The title, which must not be empty.
  public var itemName: String
  /// The id of the task's owner.
  ///
  /// The server takes the owner from the token, so ``TaskAPIClient/add(_:)`` does not send this value.
  public var ownerName: String?
  /// Whether the task is done.
  public var completed: Bool
  /// The date when the server stored the task, or `nil` before that.
  public let creationDate: Date?
  /// The server's id or, for a task that the server has not stored yet, a random one, so that a SwiftUI list can
  /// identify its rows.
  ///
  /// A random id is never sent to a server, and `==` ignores it. Copies of a task have the same id, and two tasks that
  /// are created with the same values are equal but have different ids.
  public var id: String { serverID ?? row.text }
  /// The server's id (`_id`), or `nil` before the server has stored the task.
  public let serverID: String?
  /// The other fields of the server's document, which an update sends back unchanged.
  public var unknownFields: [String: JSONValue] = [:]
  private var row: Row

  /// Creates a task.
  ///
  /// A new task has neither a server's id nor a date, because the server assigns both. To update or delete a task that
  /// another part of the app or an earlier launch has listed, pass its server's id.
  ///
  /// - Parameters:
  ///   - itemName: The title.
  ///   - ownerName: The id of the owner, which is only for display, because the server takes the owner from the token.
  ///   - completed: Whether the task is done, by default false.
  ///   - serverID: The server's id. Do not pass the ``id`` of a task without one.
  ///   - creationDate: The date when the server stored the task.
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

  /// The random id of a task without a server's id, which `==` ignores because all values are equal.
  private struct Row: Hashable {
    /// The field for the random id in an app's own storage, which no request contains.
    static let key = "_row"

    var text: String

    /// Creates a random id, but only if there is no server's id, because random numbers take time.
    init(_ serverID: String?) { text = serverID == nil ? UUID().uuidString.lowercased() : "" }

    static func == (_: Row, _: Row) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
  }
}

// MARK: - Reading

extension TaskItem {
  /// Reads a list of tasks.
  package static func list(_ json: JSONValue, in dialect: TaskDialect) throws -> [TaskItem] {
    guard let documents = json.array else { throw UnreadableAnswer(reason: "the response is \(json.kind), not a list") }
    return try documents.enumerated().map { index, document in
      try TaskItem(document, in: dialect, at: "[\(index)]")
    }
  }

  /// Reads a task, whose title counts under the dialect's own name if the document has titles under both.
  package init(_ document: JSONValue, in dialect: TaskDialect, at place: String = "") throws {
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

/// The reason why a successful response cannot be read, for example "[0]._id is a number; a string is expected".
struct UnreadableAnswer: Error {
  let reason: String
  var suggestion = "Check that the base URL is that of a list of tasks."
}

extension JSONValue {
  /// The kind of value, in the words of the error messages.
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
  /// Returns the whole document, including the fields that only the server sets.
  package func document(in dialect: TaskDialect) -> JSONValue {
    var fields = unknownFields
    fields[dialect.titleKey] = .string(itemName)
    fields["completed"] = .bool(completed)
    fields["_id"] = serverID.map(JSONValue.string)
    fields["owner"] = ownerName.map(JSONValue.string)
    fields["date"] = creationDate.map { .string(Dates.internet($0)) }
    return .object(fields)
  }

  /// Returns the document of a new task, without the fields that only the server sets.
  package func draft(in dialect: TaskDialect) -> JSONValue {
    var fields = unknownFields.filter { name, _ in
      // Fields that begin with an underscore, for example `_id` and `__v`, belong to the server's database.
      !name.hasPrefix("_") && !["owner", "date", "task", "Text", "completed"].contains(name)
    }
    fields[dialect.titleKey] = .string(itemName)
    if completed { fields["completed"] = .bool(true) }
    return .object(fields)
  }
}

extension TaskItem: Codable {
  /// Decodes a task in one of the two forms of ``TaskDialect``.
  ///
  /// Fields that are not part of a task are kept in ``unknownFields``.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if the title is missing, a field has the wrong type, or the date is not ISO 8601.
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

  /// Encodes the whole document with the field names of ``TaskDialect/tutorial``.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: `EncodingError` if a number in ``unknownFields`` is not finite.
  public func encode(to encoder: any Encoder) throws {
    var fields = document(in: .tutorial).object ?? [:]
    // An app that stores a draft gets the same `id` back when it reads the draft.
    if serverID == nil { fields[Row.key] = .string(row.text) }
    try fields.encode(to: encoder)
  }
}

/// The field names and routes of a task server.
///
/// Titles are read under both names. The dialect decides which one is written.
public struct TaskDialect: Sendable, Hashable {
  /// The JSON key of a task's title.
  package let titleKey: String
  /// Whether `base/{id}` is the URL of one task, so that the server deletes by id.
  package let routesByID: Bool

  /// The server of Microsoft's tutorial, whose titles are named `task` and which deletes by title.
  public static let tutorial = TaskDialect(titleKey: "task", routesByID: false)
  /// The server in the sample's repository, whose titles are named `Text` and which deletes by title.
  public static let repository = TaskDialect(titleKey: "Text", routesByID: false)
  /// A server with `GET` and `POST base` and `PUT` and `DELETE base/{id}`, whose titles are named `task`.
  public static let rest = TaskDialect(titleKey: "task", routesByID: true)
}
