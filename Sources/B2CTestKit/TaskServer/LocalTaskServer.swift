internal import B2CCore
public import Foundation
public import TaskAPI

/// The tutorial's task API for tests and demonstrations, which checks the bearer tokens of a ``LocalTenant`` and keeps
/// each user's tasks apart.
///
/// ```swift
/// let tenant = LocalTenant()
/// let server = LocalTaskServer(tenant: tenant)
/// let network = LocalNetwork(tenant, server)
/// ```
/// Like the tenant, it is reached in memory and, after ``start(port:)``, also over loopback HTTP.
public final class LocalTaskServer: LocalService, Sendable {
  /// The tenant whose tokens the server accepts.
  public let tenant: LocalTenant
  /// The routes and names of the API, whose path is `/tasks`, or `/api/tasks` for `.repository`.
  public let dialect: TaskDialect
  /// The client IDs that the server accepts as audience of a token.
  let audiences: Set<String>
  /// The scopes that a token must have, by their short names, for example `write`.
  let requiredScopes: Set<String>

  let now: @Sendable () -> Date
  let exchange: LocalExchange
  let state = Locked<[LocalTask]>([])
  let front = LocalFront()

  /// Creates a server, which is reached in memory until ``start(port:)`` is called.
  ///
  /// - Parameters:
  ///   - tenant: The tenant whose tokens the server accepts.
  ///   - dialect: The routes and names of the API, by default those of the tutorial.
  ///   - audiences: The client IDs that the server accepts as audience of a token. With `nil`, the default, they are
  ///     those of the tenant's API and app.
  ///   - requiredScopes: The scopes that a token must have, by their short names, for example `write`. By default no
  ///     scope is required.
  ///   - now: Returns the current date for the server. With `nil`, the default, it is the tenant's.
  public init(
    tenant: LocalTenant, dialect: TaskDialect = .tutorial, audiences: Set<String>? = nil,
    requiredScopes: Set<String> = [], now: (@Sendable () -> Date)? = nil
  ) {
    self.tenant = tenant
    self.dialect = dialect
    self.audiences = audiences ?? [tenant.apiClientID, tenant.clientID]
    self.requiredScopes = requiredScopes
    self.now = now ?? tenant.now
    exchange = LocalExchange(now: self.now)
  }

  /// Responds to a request, after applying the faults that are set.
  ///
  /// - Parameter request: The request.
  /// - Returns: The response.
  /// - Throws: `URLError` if a fault leaves the request without a response.
  public func answer(_ request: URLRequest) async throws -> LocalResponse {
    try await exchange.run(request) { respond(to: $0) }
  }

  /// Also listens for HTTP requests on a loopback port, which ``url`` then contains, until ``stop()`` is called.
  ///
  /// - Parameter port: The port, or 0, the default, to let the system choose one.
  /// - Throws: ``ConnectorError`` with code `portInUse` if another program uses the port, or `presentationFailed` if
  ///   the system refuses to listen for another reason.
  public func start(port: UInt16 = 0) async throws {
    try await front.start(port: port) { [weak self] in try await self?.answer($0) }
  }

  /// Stops listening for HTTP requests.
  ///
  /// The port is free when this returns. In memory, the server can still be reached.
  public func stop() async { await front.stop() }
}

/// The addresses of the server.
extension LocalTaskServer {
  /// The origin for requests in memory, which is `https://tasks.example`.
  package static let inMemoryOrigin = LocalURL.make("https://tasks.example")

  /// The origin over loopback HTTP while the server is started, and otherwise the origin for requests in memory.
  public var origin: URL { front.url ?? Self.inMemoryOrigin }

  var basePath: String { dialect.titleKey == "Text" ? "/api/tasks" : "/tasks" }

  /// The URL of the tasks, for `taskWebAPI` in the settings.
  public var url: URL { LocalURL.make(LocalURL.origin(origin) + basePath) }

  /// Returns whether the server serves a URL's scheme, host and port.
  ///
  /// - Parameter url: The URL of a request.
  /// - Returns: Whether requests to the URL are for this server.
  public func serves(_ url: URL) -> Bool {
    [origin, Self.inMemoryOrigin].contains { LocalURL.origin($0) == LocalURL.origin(url) }
  }
}

/// The state that a test can read and change.
extension LocalTaskServer {
  /// The tasks of all users, oldest first.
  public var tasks: [LocalTask] {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// Returns the tasks of a user, oldest first.
  ///
  /// - Parameter owner: The user's object id, as in ``LocalUser/id``, or the id of a `UserInfo`, which also contains
  ///   the tenant's.
  /// - Returns: The tasks.
  public func tasks(of owner: String) -> [LocalTask] {
    tasks.filter { $0.isOf(owner) || ASCIIText.isSame("\($0.owner).\(tenant.tenantID)", owner) }
  }

  /// The faults that apply to requests, by default none.
  public var faults: [LocalFault] {
    get { exchange.state.withLock { $0.faults } }
    set { exchange.state.withLock { $0.faults = newValue } }
  }

  /// The requests that the server received in memory and over HTTP, in order, of a long run at least the newest 10,000.
  public var requests: [RecordedRequest] { exchange.state.withLock { $0.log.records } }

  /// Clears ``requests``, but keeps the tasks.
  public func clearRequests() { exchange.state.withLock { $0.log.clear() } }
}

/// A task that the server stores.
public struct LocalTask: Sendable, Hashable, Identifiable {
  /// The server's id of the task, 24 hexadecimal digits.
  public let id: String
  /// The object id of the user to whom the task belongs.
  public var owner: String
  /// The text of the task.
  public var text: String
  /// Whether the task is done, or `nil` if that was never set.
  public var completed: Bool?
  /// The date when the task was added.
  public var date: Date

  /// Creates a task.
  ///
  /// - Parameters:
  ///   - id: The server's id of the task, 24 hexadecimal digits, or `nil`, the default, for a random one.
  ///   - owner: The object id of the user to whom the task belongs.
  ///   - text: The text of the task.
  ///   - completed: Whether the task is done, or `nil`, the default, if that was never set.
  ///   - date: The date when the task was added.
  public init(id: String? = nil, owner: String, text: String, completed: Bool? = nil, date: Date) {
    self.id = id ?? String(RandomText.guid().filter { $0 != "-" }.prefix(24))
    self.owner = owner
    self.text = text
    self.completed = completed
    self.date = date
  }

  /// Whether the task belongs to a user, whose id is compared by its bytes, as a database compares it.
  func isOf(_ owner: String) -> Bool { ASCIIText.isSame(self.owner, owner) }
}
