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
  /// - Parameter user: Whose tasks; those of the user who signed in last when `nil`. A server that many users sign
  ///   in to names it with every call.
  /// - Returns: The tasks, as the server orders them.
  /// - Throws: ``ConnectorError``: `interactionRequired` when only a sign-in helps; `configuration`; what the API
  ///   answered.
  public func getTaskList(user: UserInfo? = nil) async throws -> [TaskItem] {
    try await asConnectorError { try await tasks(of: user).list() }
  }

  /// Adds a task.
  ///
  /// It is sent once: a call that failed is reported, and the task is still in the caller's hands.
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
  ///   - user: To whose tasks; those of the user who signed in last when `nil`.
  /// - Returns: The task as the server stored it.
  /// - Throws: ``ConnectorError``; see ``getTaskList(user:)``.
  @discardableResult
  public func addTask(_ task: TaskItem, user: UserInfo? = nil) async throws -> TaskItem {
    try await asConnectorError { try await tasks(of: user).add(task) }
  }

  /// Changes a task, such as whether it is completed.
  ///
  /// ```swift
  /// for var task in try await connector.getTaskList() where !task.completed {
  ///   task.completed = true
  ///   try await connector.updateTask(task)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - task: The task as it shall be.
  ///   - user: Whose task; that of the user who signed in last when `nil`.
  /// - Returns: The task as the server stored it.
  /// - Throws: ``ConnectorError``; see ``getTaskList(user:)``.
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
  ///   - task: The task; by its id where the server gave one, else by its name.
  ///   - user: Whose task; that of the user who signed in last when `nil`.
  /// - Throws: ``ConnectorError``; see ``getTaskList(user:)``.
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
