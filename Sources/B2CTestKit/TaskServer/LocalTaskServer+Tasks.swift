internal import B2CCore
internal import B2CHTTP
public import Foundation
internal import TaskAPI

/// The operations on tasks.
extension LocalTaskServer {
  func list(of owner: String, id: String?) -> LocalResponse {
    let own = tasks(of: owner).sorted { $0.date < $1.date }
    // The published servers ignore what the path names: only the token counts.
    guard dialect.routesByID, let id else { return json(.array(own.map { .object(document($0)) })) }
    return own.first { $0.id == id }.map { json(.object(document($0))) } ?? taskNotFound
  }

  func add(_ fields: [String: JSONValue], of owner: String) -> LocalResponse {
    guard let title = title(fields) else { return missingTask }
    // The published servers never store it when a task is added.
    let completed = dialect.routesByID ? fields["completed"]?.bool : nil
    let task = LocalTask(owner: owner, text: title, completed: completed, date: now())
    state.withLock { $0.append(task) }
    return json(.object(document(task)), status: 201)
  }

  func update(_ fields: [String: JSONValue], of owner: String, id: String?) -> LocalResponse {
    let changed: LocalTask? = state.withLock { tasks in
      guard let index = tasks.firstIndex(where: { $0.id == id && $0.owner == owner }) else { return nil }
      if let flag = fields["completed"]?.bool { tasks[index].completed = flag }
      if let title = title(fields) { tasks[index].text = title }
      return tasks[index]
    }
    return changed.map { json(.object(document($0))) } ?? taskNotFound
  }

  func delete(_ fields: [String: JSONValue], of owner: String, id: String?) -> LocalResponse {
    state.withLock { tasks in
      if dialect.routesByID {
        let count = tasks.count
        tasks.removeAll { $0.owner == owner && $0.id == id }
        return tasks.count < count ? LocalResponse(status: 204) : taskNotFound
      }
      // The published servers delete by title, and so every task that has it; an id in path or body means nothing.
      guard let title = title(fields) else { return missingTask }
      tasks.removeAll { $0.owner == owner && $0.text == title }
      return LocalResponse(status: 204)
    }
  }

  /// The title among the fields of a body, unless it is empty.
  private func title(_ fields: [String: JSONValue]) -> String? {
    guard let text = fields[dialect.titleKey]?.string, !text.isEmpty else { return nil }
    return text
  }

  private var missingTask: LocalResponse {
    error(409, "MissingTask", "\"\(dialect.titleKey)\" is a required parameter")
  }

  private var taskNotFound: LocalResponse {
    error(404, "TaskNotFound", "The task was not found")
  }

  /// A task as the document that the database would return.
  private func document(_ task: LocalTask) -> [String: JSONValue] {
    var fields: [String: JSONValue] = [
      "_id": .string(task.id), "owner": .string(task.owner), dialect.titleKey: .string(task.text),
      "date": .string(Dates.internet(task.date)), "__v": .integer(0),
    ]
    fields["completed"] = task.completed.map(JSONValue.bool)
    return fields
  }
}

/// A task as the server keeps it.
public struct LocalTask: Sendable, Hashable, Identifiable {
  /// The server's id, 24 hexadecimal digits.
  public let id: String
  /// Whose task it is, as the token said.
  public var owner: String
  /// The operation.
  public var text: String
  /// Whether it is done; absent until it is set.
  public var completed: Bool?
  /// When it was added.
  public var date: Date

  /// Makes a task.
  ///
  /// - Parameters:
  ///   - id: The server's id, 24 hexadecimal digits; drawn at random unless said otherwise.
  ///   - owner: Whose task it is.
  ///   - text: What is to be done.
  ///   - completed: Whether it is done.
  ///   - date: When it was added.
  public init(id: String? = nil, owner: String, text: String, completed: Bool? = nil, date: Date) {
    self.id = id ?? String(RandomText.guid().filter { $0 != "-" }.prefix(24))
    self.owner = owner
    self.text = text
    self.completed = completed
    self.date = date
  }
}
