internal import B2CCore

/// The tutorial's calls of the task API.
extension Connector {
  /// Lists the tasks of a user.
  ///
  /// ```swift
  /// let tasks = try await connector.getTaskList()
  /// for task in tasks where !task.completed { print(task.itemName) }
  /// ```
  ///
  /// - Parameter user: The user whose tasks are listed. With `nil`, it is the user who signed in most recently. A
  ///   server with many users passes it in every call.
  /// - Returns: The tasks in the server's order.
  /// - Throws: ``ConnectorError``: `interactionRequired` if the user must sign in; `configuration` if the settings name
  ///   no task API; the error of the API's response.
  public func getTaskList(user: UserInfo? = nil) async throws -> [TaskItem] {
    try await asConnectorError { try await tasks(of: user).list() }
  }

  /// Adds a task.
  ///
  /// The SDK sends the request only once, because a second request could add the task twice. If the call fails, you
  /// still have the task and can add it again.
  ///
  /// ```swift
  /// do {
  ///   try await connector.addTask(TaskItem(itemName: "Buy milk"))
  /// } catch let error as ConnectorError where error.outcomeIsUnknown {
  ///   let tasks = try await connector.getTaskList()    // the task may have been added
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - user: The user whose task it is. With `nil`, it is the user who signed in most recently.
  /// - Returns: The task as the server stored it.
  /// - Throws: ``ConnectorError``, as ``getTaskList(user:)`` does.
  @discardableResult
  public func addTask(_ task: TaskItem, user: UserInfo? = nil) async throws -> TaskItem {
    try await asConnectorError { try await tasks(of: user).add(task) }
  }

  /// Changes a task, for example whether it is completed.
  ///
  /// ```swift
  /// for var task in try await connector.getTaskList() where !task.completed {
  ///   task.completed = true
  ///   try await connector.updateTask(task)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - task: The changed task.
  ///   - user: The user whose task it is. With `nil`, it is the user who signed in most recently.
  /// - Returns: The task as the server stored it.
  /// - Throws: ``ConnectorError``, as ``getTaskList(user:)`` does.
  @discardableResult
  public func updateTask(_ task: TaskItem, user: UserInfo? = nil) async throws -> TaskItem {
    try await asConnectorError { try await tasks(of: user).update(task) }
  }

  /// Deletes a task.
  ///
  /// ```swift
  /// for task in try await connector.getTaskList() where task.completed {
  ///   try await connector.deleteTask(task)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - task: The task, which the server finds by its id or, if it has none from the server, by its name.
  ///   - user: The user whose task it is. With `nil`, it is the user who signed in most recently.
  /// - Throws: ``ConnectorError``, as ``getTaskList(user:)`` does.
  public func deleteTask(_ task: TaskItem, user: UserInfo? = nil) async throws {
    try await asConnectorError { try await tasks(of: user).delete(task) }
  }

  private func tasks(of user: UserInfo?) throws(ConnectorError) -> TaskAPIClient {
    guard let url = settings.taskWebAPI else {
      throw ConnectorError(
        own: .configuration, "The settings name no task API.", recoverySuggestion: "Add taskWebAPI to the settings.")
    }
    return TaskAPIClient(
      baseURL: url, dialect: options.taskDialect, limits: options.taskLimits, transport: authorizedTransport(nil, user))
  }
}
