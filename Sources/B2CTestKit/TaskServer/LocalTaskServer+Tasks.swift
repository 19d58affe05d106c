internal import B2CCore
internal import B2CHTTP
public import Foundation
internal import TaskAPI

/// The operations on tasks.
extension LocalTaskServer {
  func list(_ call: LocalTaskCall) -> TransportResponse {
    let own = tasks.filter { $0.owner == call.owner }.sorted { $0.date < $1.date }
    if dialect.routesByID, let id = call.segments.first {
      guard let task = own.first(where: { $0.id == id }) else { return taskNotFound }
      return json(.object(document(task)))
    }
    // The published servers ignore the owner in the path: only the token counts.
    let shown = call.segments.isEmpty ? Array(own.prefix(listLimit ?? own.count)) : own
    return json(.array(shown.map { .object(document($0)) }))
  }

  func add(_ call: LocalTaskCall) -> TransportResponse {
    guard let title = title(call) else { return missingTask }
    guard let owner = call.owner else { return error(409, "MissingOwner", "The token names no owner") }
    // The published servers never store it when a task is added.
    let completed = dialect.routesByID ? call.parameters["completed"]?.bool : nil
    let task = LocalTask(owner: owner, text: title, completed: completed, date: now())
    state.withLock { $0.append(task) }
    return json(.object(document(task)), status: 201)
  }

  func update(_ call: LocalTaskCall) -> TransportResponse {
    let changed: LocalTask? = state.withLock { tasks in
      guard let index = tasks.firstIndex(where: { $0.id == call.segments.first && $0.owner == call.owner })
      else { return nil }
      if let flag = call.parameters["completed"]?.bool { tasks[index].completed = flag }
      if let title = call.text(dialect.titleKey) { tasks[index].text = title }
      return tasks[index]
    }
    guard let changed else { return taskNotFound }
    return json(.object(document(changed)))
  }

  func delete(_ call: LocalTaskCall) -> TransportResponse {
    state.withLock { tasks in
      if dialect.routesByID {
        let count = tasks.count
        tasks.removeAll { $0.owner == call.owner && $0.id == call.segments.first }
        return tasks.count < count ? TransportResponse(status: 204) : taskNotFound
      }
      // The published servers delete by title, and so every task that has it; an id in path or body means nothing.
      guard let title = title(call) else { return missingTask }
      tasks.removeAll { $0.owner == call.owner && $0.text == title }
      return TransportResponse(status: 204)
    }
  }

  /// The title that a request names: the path's second part, which the routes call `task`, or a field.
  private func title(_ call: LocalTaskCall) -> String? {
    // The repository's server looks for `Text`, and so never finds the path's.
    if dialect.titleKey == "task", call.segments.count == 2 { return call.segments[1] }
    return call.text(dialect.titleKey)
  }

  private var missingTask: TransportResponse {
    error(409, "MissingTask", "\"\(dialect.titleKey)\" is a required parameter")
  }

  private var taskNotFound: TransportResponse {
    error(404, "TaskNotFound", "The task was not found")
  }

  /// A task as the document that the database would return.
  private func document(_ task: LocalTask) -> [String: JSONValue] {
    var fields: [String: JSONValue] = [
      "_id": .string(task.id), "owner": .string(task.owner), dialect.titleKey: .string(task.text),
      "date": .string(LocalDates.iso8601(task.date)), "__v": .integer(0),
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
    self.id = id ?? LocalTask.newID()
    self.owner = owner
    self.text = text
    self.completed = completed
    self.date = date
  }

  private static func newID() -> String {
    let digits = Array("0123456789abcdef")
    return String((0..<24).map { _ in digits.randomElement() ?? "0" })
  }
}
