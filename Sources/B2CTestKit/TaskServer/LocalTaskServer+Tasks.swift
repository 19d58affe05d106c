internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// The four things one can do with tasks.
extension LocalTaskServer {
  func list(_ call: LocalTaskCall) -> LocalAnswer {
    let (tasks, bugs, limit) = state.withLock { ($0.tasks, $0.bugs, $0.listLimit) }
    if call.owner == nil, bugs.neverAnswersWithoutOwner { return .never }
    // The owner in the path is ignored, as by the published servers: only the token counts.
    let own = tasks.filter { bugs.mixesOwners || $0.owner == call.owner }.sorted { $0.date < $1.date }
    let shown = call.segments.isEmpty ? Array(own.prefix(limit ?? own.count)) : own
    return .response(json(.array(shown.map { .object(document($0)) })))
  }

  func add(_ call: LocalTaskCall) -> TransportResponse {
    // The published server reads the path's task under another name and so never finds it.
    guard let text = call.text(dialect.textKey) else { return missingTask }
    guard let owner = call.owner else { return error(409, "MissingOwner", "The token names no owner") }
    let task = LocalTask(owner: owner, text: text, date: now())
    state.withLock { $0.tasks.append(task) }
    return json(.object(document(task)), status: 201)
  }

  func update(_ call: LocalTaskCall) -> TransportResponse {
    let changed: LocalTask? = state.withLock { state in
      let id = call.segments.last ?? call.text("_id") ?? call.text("id") ?? ""
      guard let index = state.tasks.firstIndex(where: { $0.id == id && $0.owner == call.owner }) else { return nil }
      if let flag = call.parameters["completed"]?.bool { state.tasks[index].completed = flag }
      if let text = call.text(dialect.textKey) { state.tasks[index].text = text }
      return state.tasks[index]
    }
    guard let changed else { return error(404, "TaskNotFound", "The task was not found") }
    return json(.object(document(changed)))
  }

  func delete(_ call: LocalTaskCall) -> TransportResponse {
    let isDone: Bool = state.withLock { state in
      guard let key = key(call) else {
        guard state.bugs.deletesAllWithoutKey else { return false }
        state.tasks.removeAll { $0.owner == call.owner }
        return true
      }
      if case .text = key, state.bugs.deletesNothingByText { return true }
      state.tasks.removeAll { $0.owner == call.owner && key.matches($0) }
      return true
    }
    return isDone ? TransportResponse(status: 204) : missingTask
  }

  private enum Key {
    case id(String)
    case text(String)

    func matches(_ task: LocalTask) -> Bool {
      switch self {
      case .id(let id): task.id == id
      case .text(let text): task.text == text
      }
    }
  }

  /// What a DELETE names: an id or a text, in the body, the query or the path.
  private func key(_ call: LocalTaskCall) -> Key? {
    if let id = call.text("_id") ?? call.text("id") { return .id(id) }
    if let text = call.text(dialect.textKey) { return .text(text) }
    guard let last = call.segments.last else { return nil }
    if call.segments.count == 1, last == call.owner { return nil }
    let isID = last.utf8.count == 24 && last.allSatisfy { $0.isHexDigit }
    return isID ? .id(last) : .text(last)
  }

  private var missingTask: TransportResponse {
    error(409, "MissingTask", "\"\(dialect.textKey)\" is a required parameter")
  }

  /// A task as the document that the database would give.
  private func document(_ task: LocalTask) -> [String: JSONValue] {
    var members: [String: JSONValue] = [
      "_id": .string(task.id), "owner": .string(task.owner), dialect.textKey: .string(task.text),
      "date": .string(LocalDates.iso8601(task.date)), "__v": .integer(0),
    ]
    members["completed"] = task.completed.map(JSONValue.bool)
    return members
  }
}
