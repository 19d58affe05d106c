internal import B2CCore
public import B2CHTTP
public import Foundation

/// The tutorial's task API for tests and demonstrations: bearer tokens of a ``LocalTenant`` are checked, every person
/// has tasks of their own.
///
/// ```swift
/// let tenant = LocalTenant()
/// let server = LocalTaskServer(tenant: tenant)
/// let network = LocalNetwork(tenant, server)
/// ```
/// Like the tenant it answers in memory, and after ``start()`` over loopback HTTP too.
public final class LocalTaskServer: LocalService, Sendable {
  /// The tenant whose tokens are good here.
  public let tenant: LocalTenant
  /// Which of the two published servers is spoken.
  public let dialect: Dialect
  /// The client ids that access tokens may be for.
  public let audiences: Set<String>
  /// The scopes that a token has to have, by their short names, such as `write`; none for an empty set.
  public let requiredScopes: Set<String>

  let now: @Sendable () -> Date
  let exchange: LocalExchange
  let state: Locked<LocalTaskState>

  /// Makes a server; nothing listens before ``start()``.
  ///
  /// - Parameters:
  ///   - tenant: The tenant whose tokens are good here.
  ///   - dialect: Which of the two published servers is spoken.
  ///   - audiences: The client ids that access tokens may be for; the tenant's API and app for `nil`.
  ///   - requiredScopes: The scopes that a token has to have, by their short names.
  ///   - rateLimit: How many requests are taken; all of them for `nil`.
  ///   - listLimit: How many tasks the plain list shows; all of them for `nil`.
  ///   - bugs: What the server does wrong.
  ///   - now: The server's clock; the tenant's for `nil`.
  public init(
    tenant: LocalTenant, dialect: Dialect = .tutorial, audiences: Set<String>? = nil,
    requiredScopes: Set<String> = [], rateLimit: RateLimit? = nil, listLimit: Int? = 20, bugs: Bugs = Bugs(),
    now: (@Sendable () -> Date)? = nil
  ) {
    self.tenant = tenant
    self.dialect = dialect
    self.audiences = audiences ?? [tenant.apiClientID, tenant.clientID]
    self.requiredScopes = requiredScopes
    self.now = now ?? tenant.now
    exchange = LocalExchange(now: self.now)
    state = Locked(LocalTaskState(rateLimit: rateLimit, listLimit: listLimit, bugs: bugs))
  }

  /// Answers a request, with whatever faults are set.
  ///
  /// - Parameter request: The request.
  /// - Returns: What happens on the wire.
  public func answer(_ request: TransportRequest) async -> LocalAnswer {
    await exchange.run(request) { self.respond(to: $0) }
  }
}

/// Where the server is.
extension LocalTaskServer {
  /// The origin for requests in memory: `https://tasks.example`.
  public static let inMemoryOrigin = LocalURL.make("https://tasks.example")

  /// The origin over loopback HTTP while the server is started, else ``inMemoryOrigin``.
  public var origin: URL { state.withLock { $0.front }?.url ?? Self.inMemoryOrigin }

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

/// What a test can look at and change.
extension LocalTaskServer {
  /// All tasks of everybody, oldest first.
  public var tasks: [LocalTask] {
    get { state.withLock { $0.tasks } }
    set { state.withLock { $0.tasks = newValue } }
  }

  /// The tasks of one person, oldest first.
  ///
  /// - Parameter owner: The person's object id.
  /// - Returns: The tasks.
  public func tasks(of owner: String) -> [LocalTask] { tasks.filter { $0.owner == owner } }

  /// What the server does wrong.
  public var bugs: Bugs {
    get { state.withLock { $0.bugs } }
    set { state.withLock { $0.bugs = newValue } }
  }

  /// How many requests are taken; all of them for `nil`.
  public var rateLimit: RateLimit? {
    get { state.withLock { $0.rateLimit } }
    set { state.withLock { $0.rateLimit = newValue } }
  }

  /// How many tasks the plain list shows; all of them for `nil`.
  public var listLimit: Int? {
    get { state.withLock { $0.listLimit } }
    set { state.withLock { $0.listLimit = newValue } }
  }

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
