internal import Foundation

/// The tasks of a list, one by one as they arrive.
///
/// Nothing is sent before the first task is asked for. Every iteration is a request of its own; one that is left early,
/// or whose task is cancelled, ends its request.
///
/// ```swift
/// for try await task in client.items() where !task.completed {
///   show(task)
/// }
/// ```
public struct TaskItems: AsyncSequence, Sendable {
  /// What the sequence gives.
  public typealias Element = TaskItem

  let owner: String?
  let decoding: TaskDecoding
  let exchange: TaskExchange
  let request: TransportRequest

  /// Starts an iteration.
  ///
  /// - Returns: An iterator that has not sent anything yet.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(items: self)
  }

  /// Reads one list.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    private enum State {
      case unsent
      case reading(TaskListBody)
      case ended
    }

    private let items: TaskItems
    private var state = State.unsent
    private var splitter = JSONListSplitter()
    private var index = 0

    fileprivate init(items: TaskItems) {
      self.items = items
    }

    /// Gives the next task, waiting for the network when it has not arrived yet.
    ///
    /// - Returns: The task, or `nil` at the end of the list.
    /// - Throws: What ``TaskAPIClient/list(owner:)`` throws; the tasks given before stay good. After an error the
    ///   iteration is at its end.
    public mutating func next() async throws -> TaskItem? {
      let state = self.state
      // Ended unless this call comes to a task; an error then ends the iteration by itself.
      self.state = .ended
      var body: TaskListBody
      switch state {
      case .ended: return nil
      case .unsent: body = try await items.exchange.body(of: items.request, .list)
      case .reading(let begun): body = begun
      }
      while let task = try await nextTask(in: &body) {
        if items.owner == nil || task.ownerName == items.owner {
          self.state = .reading(body)
          return task
        }
      }
      return nil
    }

    private mutating func nextTask(in body: inout TaskListBody) async throws -> TaskItem? {
      while true {
        if let task = try decoded(body) { return task }
        guard let piece = try await nextPiece(of: &body) else { break }
        splitter.append(piece)
      }
      do {
        try splitter.finish()
      } catch {
        throw items.exchange.errors(.list).unreadable(body.answer, error.reason)
      }
      return nil
    }

    private func nextPiece(of body: inout TaskListBody) async throws -> Data? {
      do {
        return try await body.next()
      } catch let error as TransportError {
        throw TaskAPIError(error, .list)
      }
    }

    private mutating func decoded(_ body: TaskListBody) throws -> TaskItem? {
      do throws(TaskDecoding.Unreadable) {
        guard let element = try splitter.next() else { return nil }
        let task = try items.decoding.item(element, at: index)
        index += 1
        return task
      } catch {
        throw items.exchange.errors(.list).unreadable(body.answer, error.reason)
      }
    }
  }
}
