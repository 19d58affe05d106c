internal import B2CCore
public import Foundation

/// Lists, adds, changes and deletes the user's tasks on a task server, with a bearer token on every request.
///
/// ```swift
/// let client = try TaskAPIClient(baseURL: url) { try await myAccessToken() }
/// for task in try await client.list() { print(task.itemName) }
/// ```
///
/// A call makes its request (`TaskRequestBuilder`), sends it with a token and with retries, and reads the answer: what a status
/// means is in `TaskRequest`, what a document means in ``TaskItem``. There is no offline queue: a call that fails says so,
/// and the task is still in the caller's hands.
/// Errors are `ConnectorError`, `CancellationError` when the calling task was cancelled, or an own one of the closure,
/// unchanged; after a try that may have changed something, that is the `underlying` of an error `other` with
/// `outcomeIsUnknown`. A `CancellationError` that the closure throws in a task that was not cancelled is the `underlying`
/// of an error `other`, too.
public struct TaskAPIClient: Sendable {
  private let requests: TaskRequestBuilder
  private let transport: AuthorizedTransport

  /// 32 MiB of body, 30 seconds in all, 15 seconds of silence.
  package static let standardLimits = TransportLimits(maximumBodyBytes: 32 << 20)

  /// Makes a client.
  ///
  /// The token goes to the origin of the base URL only. Without `transport` the requests go to the real network by a session
  /// of the client's own, also in a test whose connector has a local network: pass that as `transport`.
  ///
  /// - Parameters:
  ///   - baseURL: The URL of the list of tasks: https, or http to this machine. Its query, if any, is sent with every
  ///     request.
  ///   - dialect: The field names and routes of the server.
  ///   - limits: The deadline of a call with all its tries, and the largest answer; 30 seconds and 32 MiB when `nil`.
  ///   - retry: The rules by which a failed request is sent again.
  ///   - transport: The carrier of the requests.
  ///   - accessToken: Returns a valid access token; called for every call, and once more after a `401`. The request is
  ///     repeated only when it then returns another one.
  /// - Throws: `ConnectorError` with the code `configuration` when the URL is neither https nor http to this machine, has
  ///   no host, or contains user name, password or fragment.
  public init(
    baseURL: URL, dialect: TaskDialect = .tutorial,
    limits: TransportLimits? = nil, retry: RetryPolicy = RetryPolicy(),
    transport: any HTTPTransport = URLSessionTransport(),
    accessToken: @escaping @Sendable () async throws -> String
  ) throws {
    let url = baseURL.absoluteURL
    guard let origin = Origin(allowed: url), url.fragment == nil else {
      throw ConnectorError(
        own: .configuration, "The base URL \(url.redacted) of the task server cannot be used.",
        recoverySuggestion: "Use https, or http to this machine, without user name, password and fragment.")
    }
    self.init(
      baseURL: url, dialect: dialect, limits: limits ?? Self.standardLimits,
      transport: AuthorizedTransport(
        RetryingTransport(transport: transport, policy: retry),
        tokens: { _ in (Secret(try await accessToken()), nil) }, allowedOrigins: [origin]))
  }

  /// Makes a client from its parts, with a base URL that was checked.
  package init(
    baseURL: URL, dialect: TaskDialect = .tutorial, limits: TransportLimits = standardLimits,
    transport: AuthorizedTransport
  ) {
    requests = TaskRequestBuilder(baseURL: baseURL, dialect: dialect, limits: limits)
    self.transport = transport
  }

  /// Returns the tasks that the server sends, in its order.
  ///
  /// The known servers send the 20 oldest at most, and can mix up the tasks of users who call at the same time.
  ///
  /// - Returns: The tasks.
  /// - Throws: `ConnectorError` when there is no answer, a refusal, or a list that cannot be read; `CancellationError`;
  ///   the closure's error.
  public func list() async throws -> [TaskItem] {
    try await call(requests.list()) { try TaskItem.list($0.json(), in: requests.dialect) }
  }

  /// Stores a new task.
  ///
  /// It is not sent again after a failure, since the server may have stored it: the error's `outcomeIsUnknown` says
  /// whether it may. The exception is `429`, which servers send before they do anything.
  ///
  /// - Parameter item: The task; its owner, id and date are assigned by the server.
  /// - Returns: The task as the server stored it, or as it was sent when the server returns no document.
  /// - Throws: `ConnectorError`, with the code `invalidItem` before anything is sent when the title is empty
  ///   or longer than 64 KiB; `CancellationError`, after which the task may be
  ///   stored or not; the closure's error.
  @discardableResult
  public func add(_ item: TaskItem) async throws -> TaskItem {
    try await call(requests.add(item)) { answer in
      answer.body.isEmpty && [202, 204, 205].contains(answer.status)
        ? item : try TaskItem(answer.json(), in: requests.dialect)
    }
  }

  /// Writes a changed task, such as one that is now completed.
  ///
  /// The servers of the tutorial cannot do this: the call ends in an error with the code `unsupported` there.
  ///
  /// - Parameter item: The task with its new values; it needs its id.
  /// - Returns: The task as the server stored it, or as it was sent when the server returns no document.
  /// - Throws: `ConnectorError`, with the code `invalidItem` before anything is sent when the task has no id;
  ///   `CancellationError`; the closure's error.
  @discardableResult
  public func update(_ item: TaskItem) async throws -> TaskItem {
    try await call(requests.update(item)) { answer in
      answer.body.isEmpty ? item : try TaskItem(answer.json(), in: requests.dialect)
    }
  }

  /// Deletes a task.
  ///
  /// With ``TaskDialect/rest``, by its id, and again after a lost answer. The known servers delete by *title*: other
  /// tasks of the user with the same title are deleted too, and the request is not sent again.
  ///
  /// - Parameter item: The task, best taken from a list or from ``add(_:)``.
  /// - Throws: `ConnectorError`, with the code `invalidItem` before anything is sent when nothing tells the
  ///   server which task is meant, and `invalidResponse` for a success that is neither empty nor
  ///   readable; `CancellationError`; the closure's error.
  public func delete(_ item: TaskItem) async throws {
    do {
      try await call(requests.delete(item)) { answer in
        if !answer.body.isEmpty, !answer.isPlainText { _ = try answer.json() }
      }
    } catch let error as ConnectorError where error.code == .notFound && error.outcomeIsUnknown {
      // Only an idempotent deletion has a second try: the first one deleted the task, and its answer was lost.
    }
  }

  /// Sends a request with a token, again where that is allowed, and reads a success.
  private func call<Value>(_ request: TaskRequest, read: (TaskAnswer) throws -> Value) async throws -> Value {
    var history = RequestHistory()
    let (body, response) = try await transport.send(
      request.message, limits: requests.limits, isIdempotent: request.isIdempotent, noting: &history)
    let answer = TaskAnswer(body: body, response: response)
    guard (200..<300).contains(answer.status) else { throw request.refusal(answer, history) }
    do {
      return try read(answer)
    } catch let error as UnreadableAnswer {
      throw request.unreadable(answer, error, history)
    }
  }
}
