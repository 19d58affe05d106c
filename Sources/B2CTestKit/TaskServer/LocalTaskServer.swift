internal import B2CCore
public import B2CHTTP
public import Foundation

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
  /// The routes and names it has.
  public let dialect: Dialect
  /// The client ids that access tokens may be for.
  public let audiences: Set<String>
  /// The scopes that a token has to have, by their short names, such as `write`; none for an empty set.
  public let requiredScopes: Set<String>
  /// How many tasks the plain list shows; all of them for `nil`.
  public let listLimit: Int?

  let now: @Sendable () -> Date
  let exchange: LocalExchange
  let state = Locked<[LocalTask]>([])
  let front = LocalFrontSwitch()

  /// Makes a server; nothing listens before ``start(port:)``.
  ///
  /// - Parameters:
  ///   - tenant: The tenant whose tokens are good here.
  ///   - dialect: The routes and names it has.
  ///   - audiences: The client ids that access tokens may be for; the tenant's API and app for `nil`.
  ///   - requiredScopes: The scopes that a token has to have, by their short names.
  ///   - listLimit: How many tasks the plain list shows; all of them for `nil`.
  ///   - now: The server's clock; the tenant's for `nil`.
  public init(
    tenant: LocalTenant, dialect: Dialect = .tutorial, audiences: Set<String>? = nil,
    requiredScopes: Set<String> = [], listLimit: Int? = 20, now: (@Sendable () -> Date)? = nil
  ) {
    self.tenant = tenant
    self.dialect = dialect
    self.audiences = audiences ?? [tenant.apiClientID, tenant.clientID]
    self.requiredScopes = requiredScopes
    self.now = now ?? tenant.now
    exchange = LocalExchange(now: self.now)
    self.listLimit = listLimit
  }

  /// Answers a request, with whatever faults are set.
  ///
  /// - Parameter request: The request.
  /// - Returns: The answer.
  /// - Throws: `TransportError` where a fault leaves the request without one.
  public func answer(_ request: TransportRequest) async throws -> TransportResponse {
    try await exchange.run(request) { respond(to: $0) }
  }
}

/// Where the server is.
extension LocalTaskServer {
  /// The origin for requests in memory: `https://tasks.example`.
  public static let inMemoryOrigin = LocalURL.make("https://tasks.example")

  /// The origin over loopback HTTP while the server is started, else ``inMemoryOrigin``.
  public var origin: URL { front.url ?? Self.inMemoryOrigin }

  /// The URL of the tasks: what settings have as `taskWebAPI`.
  public var url: URL { LocalURL.make(LocalOrigin.text(origin) + dialect.basePath) }

  /// Whether a request is meant for this server, by scheme, host and port.
  ///
  /// - Parameter url: Where the request goes.
  /// - Returns: Whether the server answers for that origin.
  public func serves(_ url: URL) -> Bool {
    [origin, Self.inMemoryOrigin].contains { LocalOrigin.text($0) == LocalOrigin.text(url) }
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
  /// - Parameter owner: The person's object id.
  /// - Returns: The tasks.
  public func tasks(of owner: String) -> [LocalTask] { tasks.filter { $0.owner == owner } }

  /// The rules by which the server's answers go wrong.
  public var faults: [LocalFault] {
    get { exchange.faults }
    set { exchange.faults = newValue }
  }

  /// Everything the server was asked, on both fronts, in order; of a long run the newest 10,000 requests at
  /// least.
  public var requests: [RecordedRequest] { exchange.records }

  /// Forgets what the server was asked; the tasks stay.
  public func clearRequests() { exchange.clearRecords() }
}

extension LocalTaskServer {
  /// The routes and names of a task server.
  public struct Dialect: Sendable, Hashable {
    /// The path of the tasks, such as `/tasks`.
    public var basePath: String
    /// The JSON key of a task's title.
    public var textKey: String
    /// The claims that name the owner; the first one present counts.
    public var ownerClaims: [String]
    /// Whether `base/{id}` names one task; otherwise tasks are deleted by title, as the published servers do.
    public var routesByID: Bool

    /// Makes a dialect.
    ///
    /// - Parameters:
    ///   - basePath: The path of the tasks, without a slash at its end.
    ///   - textKey: The JSON key of a task's title.
    ///   - ownerClaims: The claims that name the owner; the first one present counts.
    ///   - routesByID: Whether `base/{id}` names one task.
    public init(basePath: String, textKey: String, ownerClaims: [String], routesByID: Bool = false) {
      self.basePath = basePath
      self.textKey = textKey
      self.ownerClaims = ownerClaims
      self.routesByID = routesByID
    }

    /// The tutorial's server: `/tasks`, `task`, the owner is `sub`; deletes by title.
    public static let tutorial = Dialect(basePath: "/tasks", textKey: "task", ownerClaims: ["sub"])
    /// The repository's server: `/api/tasks`, `Text`, the owner is `oid`, else `sub`; deletes by title.
    public static let repository = Dialect(basePath: "/api/tasks", textKey: "Text", ownerClaims: ["oid", "sub"])
    /// An own server: `/tasks`, `task`, the owner is `oid`, else `sub`; `GET`, `PUT`, `PATCH` and `DELETE /tasks/{id}`.
    public static let rest = Dialect(
      basePath: "/tasks", textKey: "task", ownerClaims: ["oid", "sub"], routesByID: true)
  }
}
