internal import B2CAuthority
public import B2CConnector
internal import B2CHTTP
internal import B2COAuth
public import B2CSettings
public import B2CTokenCache
public import Foundation

extension LocalTenant {
  /// Returns the settings of an app of this tenant, as its settings.plist would have them.
  ///
  /// In the shape of Azure AD B2C it has the tenant's first policy of each kind.
  ///
  /// - Parameters:
  ///   - taskServer: The task server, for `taskWebAPI`.
  ///   - form: The place of the policy in the authority.
  /// - Returns: The settings.
  /// - Throws: ``ConnectorError`` for a tenant name or policy that no authority can have.
  public func settings(taskServer: LocalTaskServer? = nil, form: AuthorityForm = .query) throws -> ConnectorSettings {
    func policy(_ kind: Policy.Kind, _ isWanted: (LocalPolicy) -> Bool = { _ in true }) throws -> Policy? {
      guard shape == .b2c, let policy = policies.first(where: { $0.kind == kind && isWanted($0) }) else { return nil }
      // As the settings' reader makes it.
      return try Policy(id: policy.id, kind: kind, domainHint: kind == .federatedSignIn ? policy.identityProvider : nil)
    }
    let signIn = policies.first { $0.kind == .signIn } ?? policies.first
    // On this machine the host does not tell the kind: a tenant alone is External ID, with policies Azure AD B2C.
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
  /// Replaces the clocks of a connector: "an hour later" takes no time in a test.
  ///
  /// ```swift
  /// let clock = TestClock()
  /// environment.setTime(clock: clock) { clock.date }
  /// ```
  /// - Parameters:
  ///   - clock: The clock that deadlines and pauses run on; the system's unless named.
  ///   - now: Returns the wall time that token lifetimes are measured by.
  public mutating func setTime(clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date) {
    self.clock = clock
    self.now = now
  }
}

extension Connector {
  /// Makes a connector for a test: a local tenant and task server in memory, and a scripted person.
  ///
  /// ```swift
  /// let connector = try Connector.local(LocalTenant(), taskServer)
  /// try await connector.doPolicy(.signIn)
  /// ```
  /// - Parameters:
  ///   - tenant: The tenant to sign in at; its clock is the wall clock.
  ///   - taskServer: The task server, if the app has one.
  ///   - presenter: The sign-in page; a ``ScriptedPresenter`` who signs in as Alice by default.
  ///   - cache: The token cache; in memory by default.
  ///   - clock: The clock that deadlines and retries sleep on; one that moves itself by default.
  /// - Returns: The connector.
  /// - Throws: ``ConnectorError``, as its initialisers, and for an unusual tenant.
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
