public import Foundation

/// Lists, adds, changes and deletes the user's tasks on a task server, with a bearer token on every request.
///
/// ```swift
/// let client = try TaskAPIClient(baseURL: url) { try await myAccessToken() }
/// for task in try await client.list() { print(task.itemName) }
/// ```
///
/// A call makes its request (`TaskRequest`), sends it with a token and with retries (`TaskCall`), and decodes the answer
/// (``TaskItem``). There is no offline queue: a call that fails says so, and the task is still in the caller's hands.
/// Errors are ``TaskAPIError``, `CancellationError`, or an own one of the closure or the transport, unchanged; after a try
/// that may have changed something, that is the `underlying` of an error `other` with ``TaskAPIError/outcomeIsUnknown``.
public struct TaskAPIClient: Sendable {
  package let configuration: TaskAPIConfiguration

  let transport: any HTTPTransport
  /// Where tokens are sent to: the origin of the base URL.
  let origins: Set<Origin>
  private(set) var tokens: any AccessTokenProvider
  let clock: any Clock<Duration>
  let now: @Sendable () -> Date
  private let requests: TaskRequestBuilder

  /// Makes a client.
  ///
  /// The token goes to the origin of the base URL only. Without `transport` the requests go to the real network by a session
  /// of the client's own, also in a test whose connector has a local network: pass that as `transport`.
  ///
  /// - Parameters:
  ///   - baseURL: The URL of the list of tasks: https, or http to this machine. Its query, if any, is sent with every
  ///     request.
  ///   - dialect: The field names and routes of the server.
  ///   - limits: The deadline of a call with all its tries, and the largest answer; 30 seconds and 32 MiB unless said
  ///     otherwise.
  ///   - retry: The rules by which a failed request is sent again.
  ///   - transport: The carrier of the requests.
  ///   - accessToken: Returns a valid access token; called for every call, and once more after a `401`. The request is
  ///     repeated only when it then returns another one.
  /// - Throws: ``TaskAPIError`` with ``ErrorCode/invalidConfiguration`` when the URL is neither https nor http to this
  ///   machine, has no host, contains user name, password or fragment, or has its port in the path; or when a limit is
  ///   not above zero.
  public init(
    baseURL: URL, dialect: TaskDialect = .tutorial,
    limits: TransportLimits = TransportLimits(maximumBodyBytes: 32 << 20), retry: RetryPolicy = RetryPolicy(),
    transport: any HTTPTransport = URLSessionTransport(),
    accessToken: @escaping @Sendable () async throws -> String
  ) throws(TaskAPIError) {
    var configuration = try TaskAPIConfiguration(baseURL: baseURL, dialect: dialect)
    configuration.limits = limits
    configuration.retry = retry
    try self.init(configuration: configuration, transport: transport, tokens: ClosureTokens(accessToken))
  }

  /// Makes a client from its parts.
  package init(
    configuration: TaskAPIConfiguration, transport: any HTTPTransport, tokens: any AccessTokenProvider
  ) throws(TaskAPIError) {
    try self.init(
      configuration: configuration, transport: transport, tokens: tokens, clock: ContinuousClock(), now: { Date() })
  }

  /// As the other initialisers, with clocks.
  package init(
    configuration: TaskAPIConfiguration, transport: any HTTPTransport, tokens: any AccessTokenProvider,
    clock: any Clock<Duration>, now: @escaping @Sendable () -> Date
  ) throws(TaskAPIError) {
    requests = try TaskRequestBuilder(configuration)
    self.configuration = configuration
    self.transport = transport
    origins = Set([Origin(configuration.baseURL.absoluteURL)].compactMap(\.self))
    self.tokens = tokens
    self.clock = clock
    self.now = now
  }

  /// Returns the same client with another source of access tokens.
  package func with(tokens: any AccessTokenProvider) -> TaskAPIClient {
    var copy = self
    copy.tokens = tokens
    return copy
  }

  /// Returns the tasks that the server sends, in its order.
  ///
  /// The known servers send the 20 oldest at most.
  ///
  /// - Parameter owner: The owner whose tasks to return, since the known servers can mix up the tasks of users who call at
  ///   the same time; a task without an owner is then left out. `nil` for all.
  /// - Returns: The tasks.
  /// - Throws: ``TaskAPIError`` when there is no answer, a refusal, or a list that cannot be read; `CancellationError`;
  ///   the closure's error.
  public func list(owner: String? = nil) async throws -> [TaskItem] {
    var call = TaskCall(try requests.list(), self)
    let tasks = try call.read(try await call.answer()) { json throws(UnreadableAnswer) in
      try TaskItem.list(json, in: configuration.dialect)
    }
    guard let owner else { return tasks }
    return tasks.filter { $0.ownerName == owner }
  }

  /// Stores a new task.
  ///
  /// It is not sent again after a failure, since the server may have stored it: ``TaskAPIError/outcomeIsUnknown`` says
  /// whether it may. The exception is `429`, which servers send before they do anything.
  ///
  /// - Parameter item: The task; its owner, id and date are assigned by the server.
  /// - Returns: The task as the server stored it, or as it was sent when the server returns no document.
  /// - Throws: ``TaskAPIError``, with ``ErrorCode/invalidItem`` before anything is sent when the title is empty
  ///   or longer than 64 KiB; `CancellationError`, after which the task may be
  ///   stored or not; the closure's error.
  @discardableResult
  public func add(_ item: TaskItem) async throws -> TaskItem {
    var call = TaskCall(try requests.add(item), self)
    let answer = try await call.answer()
    if answer.body.isEmpty, [202, 204, 205].contains(answer.status) { return item }
    return try stored(answer, of: call)
  }

  /// Writes a changed task, such as one that is now completed.
  ///
  /// The servers of the tutorial cannot do this: the call ends in ``ErrorCode/unsupported`` there.
  ///
  /// - Parameter item: The task with its new values; it needs its id.
  /// - Returns: The task as the server stored it, or as it was sent when the server returns no document.
  /// - Throws: ``TaskAPIError``, with ``ErrorCode/missingKey`` before anything is sent when the task has no id;
  ///   `CancellationError`; the closure's error.
  @discardableResult
  public func update(_ item: TaskItem) async throws -> TaskItem {
    var call = TaskCall(try requests.update(item), self)
    let answer = try await call.answer()
    return answer.body.isEmpty ? item : try stored(answer, of: call)
  }

  /// Deletes a task.
  ///
  /// With ``TaskDialect/rest``, by its id, and again after a lost answer. The known servers delete by *title*: other
  /// tasks of the user with the same title are deleted too, and the request is not sent again.
  ///
  /// - Parameter item: The task, best taken from a list or from ``add(_:)``.
  /// - Throws: ``TaskAPIError``, with ``ErrorCode/missingKey`` before anything is sent when nothing tells the
  ///   server which task is meant, and ``ErrorCode/invalidResponse`` for a success that is neither empty nor
  ///   readable; `CancellationError`; the closure's error.
  public func delete(_ item: TaskItem) async throws {
    var call = TaskCall(try requests.delete(item), self)
    let answer: TransportResponse
    do {
      answer = try await call.answer()
    } catch let error as TaskAPIError where error.code == .notFound && call.mayHaveTakenEffect {
      // Only an idempotent deletion has a second try: the first one deleted the task, and its answer was lost.
      return
    }
    if !answer.body.isEmpty, !TaskCall.isPlainText(answer) {
      try call.read(answer) { _ throws(UnreadableAnswer) in }
    }
  }

  private func stored(_ answer: TransportResponse, of call: TaskCall) throws -> TaskItem {
    try call.read(answer) { json throws(UnreadableAnswer) in try TaskItem(json, in: configuration.dialect) }
  }
}

/// Tokens from a closure, which decides by itself whether to return a new one.
package struct ClosureTokens: AccessTokenProvider {
  private let accessToken: @Sendable () async throws -> String

  package init(_ accessToken: @escaping @Sendable () async throws -> String) {
    self.accessToken = accessToken
  }

  package func accessToken(replacing refused: BearerToken?) async throws -> BearerToken {
    BearerToken(Secret(try await accessToken()))
  }
}
