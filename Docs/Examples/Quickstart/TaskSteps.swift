import B2CConnector

/// The steps with tasks, which tours have in common: what is added is deleted again, also when a step fails.
struct TaskSteps: Sendable {
  let connector: Connector
  let story: Story
  /// The beginning of every title: on a server that deletes by title no task of the user may have the same.
  let mark: String

  /// Adds three tasks, lists them and deletes one; after more steps the others too.
  func run(then more: () async throws -> Void) async throws {
    var added: [TaskItem] = []
    do {
      try await story.step("addTask(_:)") {
        for title in ["Buy milk", "Feed the cat", "Call Grandma"] {
          added.append(try await connector.addTask(TaskItem(itemName: mark + title)))
        }
        return Self.titles(added)
      }
      try await story.step("getTaskList()") { Self.summary(try await connector.getTaskList()) }
      let task = added[1]
      try await story.step("deleteTask(_:)") {
        try await connector.deleteTask(task)
        added.remove(at: 1)
        let left = try await connector.getTaskList()
        // A server may show the beginning of a long list only, so that a missing task proves nothing.
        guard !left.contains(where: { $0.serverID == task.serverID && $0.itemName == task.itemName }) else {
          throw ConnectorError(.invalidResponse, "The server still lists the task that it deleted.")
        }
        return "\(task.itemName); then \(Self.summary(left))"
      }
      try await more()
    } catch {
      for task in added { try? await connector.deleteTask(task) }
      throw error
    }
    try await story.step("deleteTask(_:)") {
      for task in added { try await connector.deleteTask(task) }
      return "\(Self.titles(added)): cleaned up"
    }
  }

  /// Makes a call after the sign-out: it has to ask for a sign-in.
  func callAfterSignOut() async throws {
    try await story.step("getTaskList()") {
      do {
        _ = try await connector.getTaskList()
        throw ConnectorError(.other, "The server answered a call after the sign-out.")
      } catch let error as ConnectorError where error.needsInteraction {
        return "asks for a sign-in: \(error.code.rawValue)"
      }
    }
  }

  /// How many tasks, and which.
  static func summary(_ tasks: [TaskItem]) -> String {
    tasks.isEmpty ? "no tasks" : "\(tasks.count) \(tasks.count == 1 ? "task" : "tasks"): \(titles(tasks))"
  }

  private static func titles(_ tasks: [TaskItem]) -> String { tasks.map(\.itemName).joined(separator: ", ") }
}
