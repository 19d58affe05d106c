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
  public let id: String
  /// The server's id (`_id`); `nil` before the server stored it.
  public let serverID: String?
  /// The document's other fields as received; an update sends them back.
  public var unknownFields: [String: JSONValue]

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
    id = serverID ?? Self.rowID()
    self.serverID = serverID
    self.creationDate = creationDate
    unknownFields = [:]
  }

  private static func rowID() -> String { UUID().uuidString.lowercased() }
}

extension TaskItem {
  /// Compares everything but the id of a task that is not stored yet.
  ///
  /// - Parameters:
  ///   - left: One task.
  ///   - right: The other.
  /// - Returns: Whether they are the same task with the same values.
  public static func == (left: TaskItem, right: TaskItem) -> Bool {
    left.serverID == right.serverID && left.itemName == right.itemName && left.ownerName == right.ownerName
      && left.completed == right.completed && left.creationDate == right.creationDate
      && left.unknownFields == right.unknownFields
  }

  /// Hashes what `==` compares.
  ///
  /// - Parameter hasher: The hasher to use.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(serverID)
    hasher.combine(itemName)
    hasher.combine(ownerName)
    hasher.combine(completed)
    hasher.combine(creationDate)
    hasher.combine(unknownFields)
  }
}

// MARK: - Reading

/// The reason why an answer cannot be read, in words that follow "the answer".
struct UnreadableAnswer: Error {
  let reason: String
}

extension TaskItem {
  /// Reads a list of documents.
  static func list(_ json: JSONValue, in dialect: TaskDialect) throws(UnreadableAnswer) -> [TaskItem] {
    guard case .array(let documents) = json else { throw UnreadableAnswer(reason: "is not a list") }
    var tasks: [TaskItem] = []
    tasks.reserveCapacity(documents.count)
    for (index, document) in documents.enumerated() {
      tasks.append(try TaskItem(document, in: dialect, at: "[\(index)]"))
    }
    return tasks
  }

  /// Reads one document; of two titles the dialect's own counts, and the other is kept as an unknown field.
  init(_ document: JSONValue, in dialect: TaskDialect, at path: String = "") throws(UnreadableAnswer) {
    guard case .object(var fields) = document else {
      throw UnreadableAnswer(reason: path.isEmpty ? "is not a JSON object" : "has no JSON object at \(path)")
    }
    func take<Value>(
      _ key: String, _ value: (JSONValue) -> Value?
    ) throws(UnreadableAnswer) -> Value? {
      guard let field = fields.removeValue(forKey: key), field != .null else { return nil }
      guard let value = value(field) else {
        throw UnreadableAnswer(reason: "has an invalid value at \(path).\(key)")
      }
      return value
    }
    serverID = try take("_id", \.string)
    id = serverID ?? Self.rowID()
    ownerName = try take("owner", \.string)
    completed = try take("completed", \.bool) ?? false
    creationDate = try take("date") { $0.string.flatMap { Dates.internet($0) } }
    if let title = try take(dialect.titleKey, \.string) {
      itemName = title
    } else if let title = try take(dialect.otherTitleKey, \.string) {
      itemName = title
    } else {
      throw UnreadableAnswer(reason: "has no title (task or Text) at \(path.isEmpty ? "the top" : path)")
    }
    unknownFields = fields
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
    do throws(UnreadableAnswer) {
      try self.init(document, in: .tutorial)
    } catch {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "The task \(error.reason)."))
    }
  }

  /// Writes the whole document with the field names of ``TaskDialect/tutorial``.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: `EncodingError` when a number in ``unknownFields`` is not finite.
  public func encode(to encoder: any Encoder) throws {
    try document(in: .tutorial).encode(to: encoder)
  }
}
