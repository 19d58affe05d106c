public import Foundation

/// A task as the task server keeps it.
///
/// A value made here has no ``id`` and no ``creationDate``: the server gives both.
///
/// ```swift
/// var task = try await client.add(TaskItem(itemName: "Buy milk"))
/// task.completed = true
/// try await client.update(task)
/// ```
public struct TaskItem: Sendable, Hashable, Identifiable {
  /// What is to be done; any Unicode text that is not empty.
  public var itemName: String
  /// Whose task it is.
  ///
  /// The server takes it from the token; ``TaskAPIClient/add(_:)`` does not send it.
  public var ownerName: String?
  /// Whether it is done.
  public var completed: Bool
  /// When the server stored it; `nil` for a task that no server has stored.
  public let creationDate: Date?
  /// The server's id (`_id`); `nil` for a task that no server has stored, or whose server gives no ids.
  public let id: String?
  /// Mongoose's `__v`, which is in every document of the known servers: a dictionary for it alone would cost a tenth of
  /// the time it takes to read a task.
  var revision: Int64?
  var otherMembers: [String: JSONValue]

  /// The document's other members, as they came.
  ///
  /// They go back to the server with an update.
  public var unknownMembers: [String: JSONValue] {
    get {
      var members = otherMembers
      if let revision { members[TaskMember.version.stringValue] = .integer(revision) }
      return members
    }
    set {
      (revision, otherMembers) = Self.split(newValue)
    }
  }

  /// Makes a task that no server has stored yet.
  ///
  /// - Parameters:
  ///   - itemName: What is to be done.
  ///   - ownerName: Whose task it is, for display; the server decides.
  ///   - completed: Whether it is done.
  public init(itemName: String, ownerName: String? = nil, completed: Bool = false) {
    self.init(itemName: itemName, ownerName: ownerName, completed: completed, creationDate: nil, id: nil)
  }

  /// Makes a task as a server stores it, for local servers and tests.
  package init(
    itemName: String, ownerName: String? = nil, completed: Bool = false, creationDate: Date?, id: String?,
    unknownMembers: [String: JSONValue] = [:]
  ) {
    self.itemName = itemName
    self.ownerName = ownerName
    self.completed = completed
    self.creationDate = creationDate
    self.id = id
    (revision, otherMembers) = Self.split(unknownMembers)
  }

  private static func split(_ members: [String: JSONValue]) -> (revision: Int64?, others: [String: JSONValue]) {
    guard case .integer(let revision) = members[TaskMember.version.stringValue] else { return (nil, members) }
    var others = members
    others[TaskMember.version.stringValue] = nil
    return (revision, others)
  }
}
