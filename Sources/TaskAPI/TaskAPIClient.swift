public import Foundation

/// Lists, adds, changes and deletes the user's tasks on a task server, with a bearer token on every request.
///
/// ```swift
/// let client = try TaskAPIClient(
///   configuration: TaskAPIConfiguration(baseURL: url), transport: transport, tokens: oauthClient)
/// for task in try await client.list() { print(task.itemName) }
/// ```
///
/// There is no queue for later: a call that fails says so, and the task is still in the caller's hands. Errors are
/// ``TaskAPIError``, `CancellationError`, or what the token provider threw, unchanged.
public struct TaskAPIClient: Sendable {
  /// Where the server is and how it is spoken to.
  public let configuration: TaskAPIConfiguration

  let requests: TaskRequests
  let exchange: TaskExchange
  let decoding: TaskDecoding

  /// Makes a client.
  ///
  /// The token goes to the origin of the base URL only. Lists, deletions by id and updates by `PUT` are tried again as
  /// ``TaskAPIConfiguration/retry`` says. Nothing else is, but for what a server throttles with `429` and so has not
  /// carried out.
  ///
  /// - Parameters:
  ///   - configuration: Where the server is and how it is spoken to.
  ///   - transport: What carries the requests.
  ///   - tokens: Where the bearer tokens come from. No request leaves without one.
  ///   - clock: What waits between tries, and measures deadlines.
  ///   - now: The wall clock, for a `Retry-After` that is a date.
  ///   - random: Gives a number from 0 up to but not including 1, which spreads the waits between tries.
  /// - Throws: ``TaskAPIError`` with ``TaskAPIError/Code/invalidConfiguration``, as the configuration's initialiser.
  public init(
    configuration: TaskAPIConfiguration, transport: any HTTPTransport, tokens: any AccessTokenProvider,
    clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date = { Date() },
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
  ) throws {
    try self.init(
      configuration: configuration, transport: transport, tokens: tokens, clock: clock, now: now, random: random,
      retryBudget: nil)
  }

  /// As the public initialiser, with the remaining retries shared with other clients.
  package init(
    configuration: TaskAPIConfiguration, transport: any HTTPTransport, tokens: any AccessTokenProvider,
    clock: any Clock<Duration>, now: @escaping @Sendable () -> Date,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }, retryBudget: RetryBudget?
  ) throws {
    self.configuration = configuration
    requests = try TaskRequests(configuration)
    exchange = TaskExchange(
      configuration, transport: transport, tokens: tokens, clock: clock, now: now, random: random,
      retryBudget: retryBudget)
    decoding = TaskDecoding(configuration.dialect)
  }

  /// Gives the tasks that the server sends, in its order.
  ///
  /// The tutorial's servers give the 20 oldest at most.
  ///
  /// - Parameter owner: Whose tasks to give; `nil` for the configuration's ``TaskAPIConfiguration/ownerFilter``, and
  ///   without one for all. A task whose owner the server does not tell belongs to nobody.
  /// - Returns: The tasks.
  /// - Throws: ``TaskAPIError`` when there is no answer, a refusal, or a list that cannot be read; `CancellationError`;
  ///   what the token provider threw.
  public func list(owner: String? = nil) async throws -> [TaskItem] {
    let tasks = try await wholeList()
    guard let owner = owner ?? configuration.ownerFilter else { return tasks }
    return tasks.filter { $0.ownerName == owner }
  }

  /// Stores a new task.
  ///
  /// A task that failed to be added is not sent again behind the caller's back, since the server may have stored it:
  /// ``TaskAPIError/outcomeIsUnknown`` says whether that can be. One that a server throttled (`429`) was not stored; it is
  /// sent again after a wait, so that adding many tasks in a loop works.
  ///
  /// - Parameter item: The task; its owner, id and date are the server's to give.
  /// - Returns: The task as the server stored it, or as it was sent when the server gives no document back.
  /// - Throws: ``TaskAPIError``, with ``TaskAPIError/Code/invalidItem`` before anything is sent when the text is empty
  ///   or longer than ``TaskAPIConfiguration/maximumNameBytes``; `CancellationError`, after which the task may be
  ///   stored or not; what the token provider threw.
  @discardableResult
  public func add(_ item: TaskItem) async throws -> TaskItem {
    let response = try await exchange.response(to: requests.add(item), .add)
    return try stored(item, in: response, .add)
  }

  /// Writes a changed task, such as one that is now completed.
  ///
  /// Neither of the tutorial's servers can do this; see ``TaskUpdate``.
  ///
  /// - Parameter item: The task with its new values, taken from a list or from ``add(_:)``.
  /// - Returns: The task as the server stored it, or as it was sent when the server gives no document back.
  /// - Throws: ``TaskAPIError``, with ``TaskAPIError/Code/missingKey`` before anything is sent when the task has no id;
  ///   `CancellationError`; what the token provider threw.
  @discardableResult
  public func update(_ item: TaskItem) async throws -> TaskItem {
    // A document put twice is there once; what a second PATCH does is for the server to say (RFC 5789 section 2).
    let operation = TaskOperation.update.idempotent(configuration.update == .put)
    let response = try await exchange.response(to: requests.update(item), operation)
    return try stored(item, in: response, .update)
  }

  private func stored(
    _ item: TaskItem, in response: TransportResponse, _ operation: TaskOperation
  ) throws -> TaskItem {
    let mayBeEmpty = [202, 204, 205].contains(response.status) || operation == .update
    if mayBeEmpty && response.body.isEmpty { return item }
    do {
      return try decoding.item(response.body)
    } catch {
      throw exchange.errors(operation).unreadable(response, error.reason)
    }
  }

  /// The tasks of all owners.
  func wholeList() async throws -> [TaskItem] {
    let response = try await exchange.response(to: requests.list, .list)
    do {
      return try decoding.list(response.body)
    } catch {
      throw exchange.errors(.list).unreadable(response, error.reason)
    }
  }
}
