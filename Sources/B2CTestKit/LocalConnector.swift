internal import B2CAuthority
public import B2CConnector
internal import B2CHTTP
internal import B2COAuth
public import B2CSettings
public import B2CTokenCache
public import Foundation

extension LocalTenant {
  /// Returns the settings of an app of this tenant.
  ///
  /// If the tenant imitates Azure AD B2C, the settings have its first policy of each kind.
  ///
  /// - Parameters:
  ///   - taskServer: The task server, whose URL becomes `taskWebAPI`. By default there is none.
  ///   - form: How the authority names the policy, by default ``AuthorityForm/query``.
  /// - Returns: The settings.
  /// - Throws: ``ConnectorError`` if the tenant's name or a policy cannot be part of an authority.
  public func settings(taskServer: LocalTaskServer? = nil, form: AuthorityForm = .query) throws -> ConnectorSettings {
    func policy(_ kind: Policy.Kind, _ isWanted: (LocalPolicy) -> Bool = { _ in true }) throws -> Policy? {
      guard shape == .b2c, let policy = policies.first(where: { $0.kind == kind && isWanted($0) }) else { return nil }
      // The settings reader also derives the domain hint from the identity provider.
      return try Policy(id: policy.id, kind: kind, domainHint: kind == .federatedSignIn ? policy.identityProvider : nil)
    }
    let signIn = policies.first { $0.kind == .signIn } ?? policies.first
    // The host of a real service shows which kind of authority it is. A loopback host does not, so the settings name the
    // kind for Entra ID and OpenID Connect. If they name none, a loopback authority counts as Azure AD B2C if it has
    // policies, and as External ID if it has none.
    let kinds: [Shape: Authority.Kind] = [.entra: .entra, .openIDConnect: .openIDConnect]
    let authority = authority(form: form, policy: form == .query ? nil : signIn)
    return ConnectorSettings(
      authority: try Authority(authority, kind: origin == inMemoryOrigin ? nil : kinds[shape]),
      clientID: clientID, scopes: apiScopes, redirectURI: LocalURL.make(redirectURIs.first ?? Self.standardRedirectURI),
      taskWebAPI: taskServer?.url,
      policies: .init(
        emailSignUp: try policy(.signUp), emailSignIn: try policy(.signIn),
        facebookSignIn: try policy(.federatedSignIn) { $0.identityProvider == "facebook.com" },
        others: try [
          policy(.signUpOrSignIn), policy(.profileEdit), policy(.passwordReset),
          policy(.federatedSignIn) { $0.identityProvider != "facebook.com" },
        ].compactMap(\.self)))
  }
}

extension Connector.Environment {
  /// Replaces the clocks of a connector, so that a test can move time instead of waiting.
  ///
  /// ```swift
  /// let clock = TestClock()
  /// environment.setTime(clock: clock) { clock.date }
  /// ```
  /// - Parameters:
  ///   - clock: The clock for deadlines and the pauses before retries, by default the system's.
  ///   - now: Returns the current date, by which the lifetimes of tokens are measured.
  public mutating func setTime(clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date) {
    self.clock = clock
    self.now = now
  }
}

extension Connector {
  /// Creates a connector for a test, with a local tenant and task server in memory and a scripted user.
  ///
  /// ```swift
  /// let connector = try Connector.local(LocalTenant(), taskServer)
  /// try await connector.doPolicy(.signIn)
  /// ```
  /// - Parameters:
  ///   - tenant: The tenant to sign in at. Its clock is also the connector's clock for the lifetimes of tokens.
  ///   - taskServer: The task server, or `nil`, the default, if the app has none.
  ///   - presenter: The presenter of the sign-in page. With `nil`, the default, a ``ScriptedPresenter`` signs in as
  ///     Alice.
  ///   - cache: The token cache, by default in memory.
  ///   - clock: The clock for deadlines and the pauses before retries, by default a ``TestClock`` that moves by itself.
  /// - Returns: The connector.
  /// - Throws: ``ConnectorError`` if the tenant's name or a policy cannot be part of an authority, or if the connector
  ///   refuses the settings.
  public static func local(
    _ tenant: LocalTenant, _ taskServer: LocalTaskServer? = nil, presenter: (any SignInPresenter)? = nil,
    cache: any TokenCache = .memory(), clock: any Clock<Duration> = TestClock()
  ) throws -> Connector {
    let network =
      if let taskServer { LocalNetwork(tenant, taskServer, clock: clock) } else { LocalNetwork(tenant, clock: clock) }
    var environment = Connector.Environment()
    environment.presenter = presenter ?? ScriptedPresenter(transport: network, .signIn(.alice))
    environment.cache = cache
    environment.transport = network
    environment.setTime(clock: clock, now: tenant.now)
    return try Connector(settings: tenant.settings(taskServer: taskServer), environment: environment) { options in
      if let dialect = taskServer?.dialect { options.taskDialect = dialect }
    }
  }
}
