internal import B2CCore
public import Foundation

/// A client that lists, adds, changes and deletes the user's tasks on a task server, with a bearer token.
///
/// ```swift
/// let client = try TaskAPIClient(baseURL: url) { try await myAccessToken() }
/// for task in try await client.list() { print(task.itemName) }
/// ```
///
/// There is no offline queue. If a call fails, it throws, and the task is still in your hands.
///
/// Besides `ConnectorError`, calls throw `CancellationError` if the task is cancelled, and the errors of your closure.
/// If an earlier try of the same call may have changed something, your closure's error is the `underlying` error of a
/// `ConnectorError` with code `other` and `outcomeIsUnknown`. A `CancellationError` that your closure throws although
/// the task was not cancelled is also the `underlying` error of such an error.
public struct TaskAPIClient: Sendable {
  private let requests: TaskRequestBuilder
  private let transport: AuthorizedTransport

  /// The default limits: a body of 32 MiB, 30 seconds for a call, and 15 seconds without data.
  package static let standardLimits = TransportLimits(maximumBodyBytes: 32 << 20)

  /// Creates a client.
  ///
  /// The token is only sent to the origin of the base URL. Without `transport`, the client creates its own session and
  /// uses the real network, even in a test whose connector has a local network. In such a test, pass the local network
  /// as `transport`.
  ///
  /// - Parameters:
  ///   - baseURL: The URL of the list of tasks, which must be https, or http to this machine. Its query, if any, is
  ///     sent with every request.
  ///   - dialect: The field names and routes of the server, by default those of the tutorial.
  ///   - limits: The time limit of a call with all its tries, and the largest body of a response. With `nil`, the
  ///     default, they are 30 seconds and 32 MiB.
  ///   - retry: The rules by which a failed request is sent again, by default at most three times in all.
  ///   - transport: The transport for the requests, by default a `URLSession`.
  ///   - accessToken: Returns a valid access token. It is called for every call, and again after a `401`. The request
  ///     is repeated only if it then returns another token.
  /// - Throws: `ConnectorError` with code `configuration` if the URL is neither https nor http to this machine, has no
  ///   host, or contains a user name, a password or a fragment.
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

  /// Creates a client from its parts, with a base URL that was checked.
  package init(
    baseURL: URL, dialect: TaskDialect = .tutorial, limits: TransportLimits = standardLimits,
    transport: AuthorizedTransport
  ) {
    requests = TaskRequestBuilder(baseURL: baseURL, dialect: dialect, limits: limits)
    self.transport = transport
  }

  /// Returns the tasks of the user, in the server's order.
  ///
  /// Microsoft's sample servers return only the 20 oldest tasks, and can mix up the tasks of users who call at the same
  /// time.
  ///
  /// - Returns: The tasks.
  /// - Throws: `ConnectorError` if the server does not respond or refuses the request, or if the list cannot be read;
  ///   `CancellationError`; the closure's error.
  public func list() async throws -> [TaskItem] {
    try await call(requests.list()) { try TaskItem.list($0.json(), in: requests.dialect) }
  }

  /// Adds a task.
  ///
  /// A request that failed is not sent again, because the server may have stored the task. The error's
  /// `outcomeIsUnknown` says whether that is possible. Only after `429` it is sent again, because servers send that
  /// before they do anything.
  ///
  /// - Parameter item: The task. The server assigns its owner, id and date.
  /// - Returns: The task as the server stored it, or the task that was sent if the server returns none.
  /// - Throws: `ConnectorError`, with code `invalidItem` before anything is sent if the title is empty or longer than
  ///   64 KiB; `CancellationError`, after which the task may have been stored; the closure's error.
  @discardableResult
  public func add(_ item: TaskItem) async throws -> TaskItem {
    try await call(requests.add(item)) { answer in
      answer.body.isEmpty && [202, 204, 205].contains(answer.status)
        ? item : try TaskItem(answer.json(), in: requests.dialect)
    }
  }

  /// Updates a task, for example one that is now completed.
  ///
  /// The tutorial's servers cannot do this, so the call throws an error with code `unsupported` there.
  ///
  /// - Parameter item: The task with its new values and the server's id.
  /// - Returns: The task as the server stored it, or the task that was sent if the server returns none.
  /// - Throws: `ConnectorError`, with code `invalidItem` before anything is sent if the task has no server's id;
  ///   `CancellationError`; the closure's error.
  @discardableResult
  public func update(_ item: TaskItem) async throws -> TaskItem {
    try await call(requests.update(item)) { answer in
      answer.body.isEmpty ? item : try TaskItem(answer.json(), in: requests.dialect)
    }
  }

  /// Deletes a task.
  ///
  /// With ``TaskDialect/rest`` the server deletes by id, so the request is sent again if its response is lost.
  /// Microsoft's sample servers delete by *title*, so they also delete the user's other tasks with the same title, and
  /// the request is not sent again.
  ///
  /// - Parameter item: The task, which you should take from a list or from ``add(_:)``.
  /// - Throws: `ConnectorError`, with code `invalidItem` before anything is sent if the task has neither an id nor a
  ///   title that the server could use, and with code `invalidResponse` if the server reports success with a body that
  ///   cannot be read; `CancellationError`; the closure's error.
  public func delete(_ item: TaskItem) async throws {
    do {
      try await call(requests.delete(item)) { answer in
        if !answer.body.isEmpty, !answer.isPlainText { _ = try answer.json() }
      }
    } catch let error as ConnectorError where error.code == .notFound && error.outcomeIsUnknown {
      // A deletion by id was sent twice. The first one deleted the task, but its response was lost, so this is a
      // success.
    }
  }

  /// Sends a request with a token, repeats it if that is allowed, and reads a successful response.
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
