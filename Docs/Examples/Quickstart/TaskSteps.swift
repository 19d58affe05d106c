import B2CConnector

/// The steps that every tour has in common.
struct TaskSteps: Sendable {
  let connector: Connector
  let narrator: Narrator

  /// Adds three tasks, lists them, deletes one and lists again; three steps from a number on.
  func addListDelete(from number: Int) async throws {
    narrator.step("\(number). addTask(_:), three times.")
    for name in ["Buy milk", "Feed the cat", "Call Grandma"] {
      let task = try await connector.addTask(TaskItem(itemName: name))
      narrator.result("added \(task.itemName)")
    }
    narrator.step("\(number + 1). getTaskList()")
    let tasks = try await connector.getTaskList()
    narrator.tasks(tasks)

    narrator.step("\(number + 2). deleteTask(_:) and getTaskList()")
    guard let last = tasks.last(where: { $0.itemName == "Feed the cat" }) else {
      throw ConnectorError(.invalidResponse, "The list lacks a task that was just added.")
    }
    try await connector.deleteTask(last)
    narrator.result("deleted \(last.itemName)")
    narrator.tasks(try await connector.getTaskList())
  }

  /// Signs out and shows what a call answers then.
  func callAfterSignOut(number: Int) async throws {
    narrator.step("\(number). signOut(), and what a call answers after it.")
    try await connector.signOut()
    do {
      narrator.tasks(try await connector.getTaskList())
      throw ConnectorError(.other, "A call after the sign-out was answered with tasks.")
    } catch let error as ConnectorError where error.needsInteraction {
      narrator.result("\(error)")
    }
  }
}
