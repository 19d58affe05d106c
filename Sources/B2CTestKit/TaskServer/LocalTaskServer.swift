internal import B2CCore
public import Foundation
public import TaskAPI

/// The tutorial's task API for tests and demonstrations: bearer tokens of a ``LocalTenant`` are checked, every person
/// has separate tasks.
///
/// ```swift
/// let tenant = LocalTenant()
/// let server = LocalTaskServer(tenant: tenant)
/// let network = LocalNetwork(tenant, server)
/// ```
/// Like the tenant it answers in memory, and after ``start(port:)`` over loopback HTTP too.
public final class LocalTaskServer: LocalService, Sendable {
  /// The tenant whose tokens are good here.
  public let tenant: LocalTenant
  /// The routes and names it has: `/tasks`, or `/api/tasks` for `.repository`; the known servers delete by title.
  public let dialect: TaskDialect
  /// The client ids that access tokens may be for.
  let audiences: Set<String>
  /// The scopes that a token has to have, by their short names, such as `write`; none for an empty set.
  let requiredScopes: Set<String>

  let now: @Sendable () -> Date
  let exchange: LocalExchange
  let state = Locked<[LocalTask]>([])
  let front = LocalFront()

  /// Makes a server; nothing listens before ``start(port:)``.
  ///
  /// - Parameters:
  ///   - tenant: The tenant whose tokens are good here.
  ///   - dialect: The routes and names it has.
  ///   - audiences: The client ids that access tokens may be for; the tenant's API and app for `nil`.
  ///   - requiredScopes: The scopes that a token has to have, by their short names.
  ///   - now: The server's clock; the tenant's for `nil`.
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

  /// Answers a request, with whatever faults are set.
  ///
  /// - Parameter request: The request.
  /// - Returns: The answer.
  /// - Throws: `URLError` where a fault leaves the request without one.
  public func answer(_ request: URLRequest) async throws -> LocalResponse {
    try await exchange.run(request) { respond(to: $0) }
  }

  /// Answers over HTTP on a loopback port too, from now until ``stop()``; ``url`` tells where.
  ///
  /// - Parameter port: The port; the system chooses one for 0.
  /// - Throws: `ConnectorError` with code `portInUse`, or `presentationFailed` when the system refuses another way.
  public func start(port: UInt16 = 0) async throws {
    try await front.start(port: port) { [weak self] in try await self?.answer($0) }
  }

  /// Stops answering over HTTP.
  ///
  /// The port is free when this returns; in memory the server answers on.
  public func stop() async { await front.stop() }
}

/// The place of the server.
extension LocalTaskServer {
  /// The origin for requests in memory: `https://tasks.example`.
  package static let inMemoryOrigin = LocalURL.make("https://tasks.example")

  /// The origin over loopback HTTP while the server is started, else that for requests in memory.
  public var origin: URL { front.url ?? Self.inMemoryOrigin }

  var basePath: String { dialect.titleKey == "Text" ? "/api/tasks" : "/tasks" }

  /// The URL of the tasks: what settings have as `taskWebAPI`.
  public var url: URL { LocalURL.make(LocalURL.origin(origin) + basePath) }

  /// Whether a request is meant for this server, by scheme, host and port.
  ///
  /// - Parameter url: The URL of the request.
  /// - Returns: Whether the server answers for that origin.
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

  /// The tasks of one person, oldest first.
  ///
  /// - Parameter owner: The person's object id, as `LocalUser.id` is, or the id of a `UserInfo`, which names the tenant too.
  /// - Returns: The tasks.
  public func tasks(of owner: String) -> [LocalTask] {
    tasks.filter { $0.isOf(owner) || ASCIIText.isSame("\($0.owner).\(tenant.tenantID)", owner) }
  }

  /// The rules by which the server's answers go wrong.
  public var faults: [LocalFault] {
    get { exchange.state.withLock { $0.faults } }
    set { exchange.state.withLock { $0.faults = newValue } }
  }

  /// Everything the server was asked, on both fronts, in order; of a long run the newest 10,000 requests at
  /// least.
  public var requests: [RecordedRequest] { exchange.state.withLock { $0.log.records } }

  /// Forgets what the server was asked; the tasks stay.
  public func clearRequests() { exchange.state.withLock { $0.log.clear() } }
}

/// A task as the server keeps it.
public struct LocalTask: Sendable, Hashable, Identifiable {
  /// The server's id, 24 hexadecimal digits.
  public let id: String
  /// The user to whom the task belongs, as the token named them.
  public var owner: String
  /// The operation.
  public var text: String
  /// Whether it is done; absent until it is set.
  public var completed: Bool?
  /// When it was added.
  public var date: Date

  /// Makes a task.
  ///
  /// - Parameters:
  ///   - id: The server's id, 24 hexadecimal digits; drawn at random unless said otherwise.
  ///   - owner: The user to whom the task belongs.
  ///   - text: The text of the task.
  ///   - completed: Whether it is done.
  ///   - date: When it was added.
  public init(id: String? = nil, owner: String, text: String, completed: Bool? = nil, date: Date) {
    self.id = id ?? String(RandomText.guid().filter { $0 != "-" }.prefix(24))
    self.owner = owner
    self.text = text
    self.completed = completed
    self.date = date
  }

  /// Compares owners as a database does, by their bytes.
  func isOf(_ owner: String) -> Bool { ASCIIText.isSame(self.owner, owner) }
}
