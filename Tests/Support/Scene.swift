package import B2CConnector
package import B2CCore
package import B2CTestKit
package import Foundation

/// The tenant, task server, network, clock and token cache of a test, from which it makes its connectors.
///
/// ```swift
/// let scene = Scene()
/// let connector = try await scene.signedIn()
/// await scene.clock.advance(by: .seconds(4_000))    // the access token has expired
/// scene.tenant.faults = [LocalFault(on: .tokenRefresh, .offline)]
/// ```
package struct Scene: Sendable {
  package let clock: TestClock
  package let tenant: LocalTenant
  package let tasks: LocalTaskServer
  package let network: LocalNetwork
  /// The network as the connectors reach it: a test can hold requests here, or answer them.
  package let transport: GatedTransport
  /// The cache of every connector that is not given its own.
  package let cache: any TokenCache
  package let events = Recorder<Connector.Event>()
  /// The seconds by which the device's clock was set back.
  package let setBack = Locked<TimeInterval>(0)
  private let limits: TransportLimits

  package static let signIn = "B2C_1_SignIn"
  package static let redirect = LocalTenant.standardRedirectURI

  /// Makes a scene; with `holdsTime` its clock stands still until the test moves it.
  ///
  /// A test may hold an answer back for any time, so no clock ends a request unless the scene has other `limits`.
  package init(
    shape: LocalTenant.Shape = .b2c, dialect: TaskDialect = .tutorial, cache: any TokenCache = .memory(),
    redirectURIs: [String] = [Scene.redirect], lifetime: Duration = .seconds(3600),
    tenantID: String = "22222222-2222-4222-8222-222222222222", clientID: String = LocalTenant.standardClientID,
    policies: [LocalPolicy] = LocalPolicy.standard, holdsTime: Bool = false, limits: TransportLimits = .patient,
    behavior: (inout LocalTenant.Behavior) -> Void = { _ in }
  ) {
    var changed = LocalTenant.Behavior()
    behavior(&changed)
    let clock = TestClock(advancesItself: !holdsTime)
    self.clock = clock
    tenant = LocalTenant(
      shape: shape, tenantID: tenantID, policies: policies, clientID: clientID, redirectURIs: redirectURIs,
      accessTokenLifetime: lifetime, behavior: changed, now: { clock.date })
    tasks = LocalTaskServer(tenant: tenant, dialect: dialect)
    network = LocalNetwork(tenant, tasks, clock: clock)
    transport = GatedTransport(network)
    self.cache = cache
    self.limits = limits
  }

  /// Returns the settings of an app that signs users up and in; `change` makes them other ones.
  package func settings(
    form: LocalTenant.AuthorityForm = .query, _ change: (inout ConnectorSettings) throws -> Void = { _ in }
  ) throws -> ConnectorSettings {
    var settings = try tenant.settings(taskServer: tasks, form: form)
    settings.policies = .init(emailSignUp: settings.policies.emailSignUp, emailSignIn: settings.policies.emailSignIn)
    try change(&settings)
    return settings
  }

  /// Makes a connector; each has an engine of its own.
  package func connector(
    _ settings: ConnectorSettings? = nil, presenter: (any SignInPresenter)? = nil, cache: (any TokenCache)? = nil,
    transport: (any HTTPTransport)? = nil, waitingOn waits: (any Clock<Duration>)? = nil,
    configure: (inout Connector.Options) -> Void = { _ in }
  ) throws -> Connector {
    try Connector(
      settings: try settings ?? self.settings(),
      environment: environment(presenter: presenter, cache: cache, transport: transport, waitingOn: waits)
    ) {
      $0.taskDialect = tasks.dialect
      $0.limits = limits
      configure(&$0)
    }
  }

  /// Returns the parts of a connector, for a test that changes another one of them.
  package func environment(
    presenter: (any SignInPresenter)? = nil, cache: (any TokenCache)? = nil, transport: (any HTTPTransport)? = nil,
    waitingOn waits: (any Clock<Duration>)? = nil
  ) -> Connector.Environment {
    Connector.Environment(
      presenter: presenter ?? script(.signIn(.alice)), cache: cache ?? self.cache,
      transport: transport ?? self.transport, clock: waits ?? clock,
      now: { [clock, setBack] in clock.date.addingTimeInterval(-setBack.withLock { $0 }) },
      onEvent: { [events] in events.record($0) })
  }

  /// Makes a connector at which Alice has signed in, so many seconds ago.
  package func signedIn(
    after seconds: Int = 0, presenter: (any SignInPresenter)? = nil, waitingOn waits: (any Clock<Duration>)? = nil,
    configure: (inout Connector.Options) -> Void = { _ in }
  ) async throws -> Connector {
    let connector = try connector(presenter: presenter, waitingOn: waits, configure: configure)
    try await connector.signIn()
    if seconds > 0 { await clock.advance(by: .seconds(seconds)) }
    return connector
  }

  /// A user who fills in the tenant's pages: one action for every page.
  package func script(_ action: ScriptedPresenter.Action) -> ScriptedPresenter {
    ScriptedPresenter(transport: network, action)
  }

  /// The one record that is stored.
  package func record() async throws -> TokenRecord {
    let key = try require(try await cache.keys().first)
    return try require(try await cache.record(for: key))
  }

  /// Runs something while the clock moves on for the sleepers.
  package func passingTime<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let clock = clock
    let passing = Task {
      while !Task.isCancelled {
        await clock.waitForSleepers()
        await clock.advance(by: .seconds(1))
      }
    }
    defer { passing.cancel() }
    return try await body()
  }

  /// Sends a request to an API that answers one token with 401, and returns the token that the API takes.
  ///
  /// `meanwhile` happens before the token is refused.
  package func token(
    of connector: Connector, scopes: [String]? = nil, user: UserInfo? = nil, refusing refused: Secret,
    meanwhile: @escaping @Sendable () async throws -> Void = {}
  ) async throws -> Secret {
    let call = UUID().uuidString
    transport.intercept { request in
      guard request.value(forHTTPHeaderField: "X-Call") == call else { return nil }
      let token = request.value(forHTTPHeaderField: "Authorization")?.dropFirst("Bearer ".count) ?? ""
      guard token == refused.value else { return LocalResponse(status: 200, body: Data(token.utf8)) }
      try await meanwhile()
      return LocalResponse(status: 401, headers: ["WWW-Authenticate": "Bearer"])
    }
    var request = URLRequest(url: tasks.url)
    request.setValue(call, forHTTPHeaderField: "X-Call")
    let (body, _) = try await connector.data(for: request, scopes: scopes, user: user)
    return Secret(String(decoding: body, as: UTF8.self))
  }
}

extension SessionState {
  package var user: UserInfo? {
    switch self {
    case .signedOut: nil
    case .signedIn(let user), .expired(let user): user
    }
  }
}

/// Returns a value that a test cannot go on without.
package func require<Value>(_ value: Value?) throws -> Value {
  guard let value else { throw Failure("A value is missing.") }
  return value
}

package func url(_ text: String) throws -> URL { try require(URL(string: text)) }
