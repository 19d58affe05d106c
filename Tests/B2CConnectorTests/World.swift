import B2CConnector
import B2CTestKit
import Foundation
import TestSupport

/// A tenant, a task server and the settings that name them, for one test.
struct World: Sendable {
  let clock = TestClock()
  let tenant: LocalTenant
  let tasks: LocalTaskServer
  let network: LocalNetwork

  init(dialect: TaskDialect = .tutorial, policies: [LocalPolicy] = LocalPolicy.standard) {
    let clock = clock
    tenant = LocalTenant(policies: policies, now: { clock.date })
    tasks = LocalTaskServer(tenant: tenant, dialect: dialect)
    network = LocalNetwork(tenant, tasks, clock: clock)
  }

  func script(_ action: ScriptedPresenter.Action) -> ScriptedPresenter {
    ScriptedPresenter(transport: network, action)
  }

  func settings(form: LocalTenant.AuthorityForm = .query) throws -> ConnectorSettings {
    ConnectorSettings(
      authority: try Authority(tenant.authority(form: form, policy: form == .query ? nil : .signIn)),
      clientID: tenant.clientID, scopes: tenant.apiScopes, redirectURI: try url(LocalTenant.standardRedirectURI),
      taskWebAPI: tasks.url,
      policies: .init(
        emailSignUp: try Policy(id: "B2C_1_SignUp", kind: .signUp), emailSignIn: try Policy("B2C_1_SignIn")))
  }

  func connector(
    _ settings: ConnectorSettings? = nil, presenter: (any SignInPresenter)? = nil,
    cache: any TokenCache = .memory(), transport: (any HTTPTransport)? = nil,
    allowedAPIs: [URL] = [],
    waitingOn waits: (any Clock<Duration>)? = nil, configure: (inout Connector.Options) -> Void = { _ in }
  ) throws -> Connector {
    try Connector(
      settings: try settings ?? self.settings(),
      environment: environment(presenter: presenter, cache: cache, transport: transport, waitingOn: waits)
    ) {
      $0.allowedAPIs = allowedAPIs
      configure(&$0)
    }
  }

  /// The world with a connector at which Alice has signed in.
  func signedIn(
    cache: any TokenCache = .memory(), waitingOn waits: (any Clock<Duration>)? = nil
  ) async throws -> (World, Connector) {
    let connector = try connector(cache: cache, waitingOn: waits)
    try await connector.doPolicy(.signIn)
    return (self, connector)
  }

  func environment(
    presenter: (any SignInPresenter)? = nil, cache: any TokenCache = .memory(),
    transport: (any HTTPTransport)? = nil, waitingOn waits: (any Clock<Duration>)? = nil
  ) -> Connector.Environment {
    let clock = clock
    return Connector.Environment(
      presenter: presenter ?? script(.signIn(.alice)), cache: cache, transport: transport ?? network,
      clock: waits ?? clock, now: { clock.date })
  }
}

/// A URL from a text that is one.
func url(_ text: String) throws -> URL {
  guard let url = URL(string: text) else { throw URLError(.badURL) }
  return url
}
