extension TaskAPIClient {
  /// The tutorial's servers list so many tasks at most.
  private static let shortestCutList = 20

  /// Deletes a task.
  ///
  /// The known servers delete by text: other tasks of the same text go too. A success is any status of the 200s. On
  /// `404` or `410` a list decides: a task that is not on it is gone, which is what was asked for, perhaps by an earlier
  /// try whose answer was lost. A list of 20 tasks or more may be cut, so it decides nothing.
  ///
  /// - Parameter item: The task, best taken from a list or from ``add(_:)``.
  /// - Throws: ``TaskAPIError``, with ``TaskAPIError/Code/missingKey`` before anything is sent when nothing tells the
  ///   server which task is meant, and ``TaskAPIError/Code/notDeleted`` when
  ///   ``TaskAPIConfiguration/verifiesDeletion`` is set and the server still lists the task; `CancellationError`; what
  ///   the token provider threw.
  public func delete(_ item: TaskItem) async throws {
    do {
      let (request, isByID) = try requests.delete(item)
      // By text, a second try could meet a new task of the same text.
      _ = try await exchange.response(to: request, .delete.idempotent(isByID))
    } catch let error as TaskAPIError where error.code == .notFound {
      guard try await isGone(item, after: error) else { throw error }
      return
    }
    guard configuration.verifiesDeletion else { return }
    guard try await !Self.contains(item, in: wholeList()) else {
      throw TaskAPIError(
        .notDeleted, "The task server said that the task is deleted, but still lists it.",
        recoverySuggestion: "Choose the other dialect or another deletion in the configuration.")
    }
  }

  /// A list that fails too tells nothing: the first error then stands.
  private func isGone(_ item: TaskItem, after error: TaskAPIError) async throws -> Bool {
    do {
      let tasks = try await wholeList()
      return tasks.count < Self.shortestCutList && !Self.contains(item, in: tasks)
    } catch is TaskAPIError {
      throw error
    }
  }

  private static func contains(_ item: TaskItem, in tasks: [TaskItem]) -> Bool {
    tasks.contains { other in
      if let id = item.id, let otherID = other.id { return id == otherID }
      // Bytes, not characters: two spellings of one text are two texts to the server.
      return other.itemName.utf8.elementsEqual(item.itemName.utf8)
        && (item.ownerName == nil || other.ownerName == nil || item.ownerName == other.ownerName)
    }
  }
}
