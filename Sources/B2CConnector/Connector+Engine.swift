internal import B2CCore
internal import Foundation

extension Connector {
  /// The flows of a connector, each made of the parts that it uses: the only place that knows them all.
  package final class Engine: Sendable {
    /// The policy of a call that names none; `nil` at an authority without policies.
    package let signInPolicy: Policy?
    package let passwordResetPolicy: Policy?
    package let options: Options
    package let sessions: UserSessions
    package let tokens: TokenSource
    package let calls: APICalls
    package let userInfo: UserInfoEndpoint
    package let signIn: SignIn
    package let deviceFlow: DeviceFlow
    package let signOut: SignOut
    package let check: ProviderCheck
    let presenter: any SignInPresenter

    package init(_ settings: ConnectorSettings, _ environment: Environment, _ options: Options) throws {
      let authority = settings.authority
      signInPolicy = settings.policies.forSignIn ?? authority.policy
      passwordResetPolicy = settings.policies.policy(of: .passwordReset)
      self.options = options
      if let retired = authority.retirement(for: signInPolicy) { throw retired.error }
      // A sign-in in two calls needs none, so the platform's own is looked at when it is used.
      try environment.presenter?.validate(redirectURI: settings.redirectURI)
      presenter = environment.presenter ?? DefaultPresenter.make()
      let isMicrosoft = authority.kind(for: signInPolicy).isMicrosoft
      // Every key and request uses this one and not the settings' own. Microsoft's services answer in small letters, whatever
      // was registered; elsewhere every byte counts.
      let clientID = isMicrosoft ? ASCIIText.lowercased(settings.clientID) : settings.clientID
      let (transport, clock, now) = (environment.transport, environment.clock, environment.now)
      let events = OAuthEvents(correlationID: settings.correlationID, environment.report)
      let serverClock = ServerClock(localNow: now)
      let providers = ProviderDirectory(
        authority: authority, transport: transport, retry: options.retry, limits: options.limits, clock: clock,
        now: now, serverClock: serverClock, events: events)
      let endpoint = TokenEndpoint(
        clientID: clientID, signInPolicy: signInPolicy, transport: transport, limits: options.limits, clock: clock,
        serverClock: serverClock)
      sessions = UserSessions(
        store: SessionStore.of(try environment.cache ?? Self.defaultCache()),
        client: SessionStore.Client(
          authority: authority.cacheID, clientID: clientID,
          requiredUser: settings.userID.flatMap { $0.isEmpty ? nil : $0 }, isMicrosoft: isMicrosoft),
        wait: SessionStore.Wait(requestLimit: options.limits.deadline, clock: clock), now: now)
      tokens = TokenSource(
        sessions: sessions, endpoint: endpoint, events: events, backgroundTime: environment.backgroundTime,
        scopes: settings.scopes, expiryMargin: max(.zero, options.expiryMargin),
        clockSkew: max(.zero, options.clockSkew),
        // An extension that the system ends would lose a rotated token.
        refreshesTokens: options.refreshesTokens && !environment.isAppExtension, beforeRefresh: options.beforeRefresh
      ) { try await providers.tokenRoute(for: $0, namesIssuer: $1, correlationID: $2) }
      calls = APICalls(tokens: tokens, transport: transport)
      userInfo = UserInfoEndpoint(sessions: sessions, calls: calls, providers: providers, limits: options.limits)
      let completion = SignInCompletion(
        sessions: sessions,
        idTokens: IDTokenCheck(
          clientID: clientID, providers: providers, serverClock: serverClock, clockSkew: max(.zero, options.clockSkew)),
        userInfo: userInfo)
      let request = AuthorizationRequest(
        authority: authority, clientID: clientID, redirectURI: settings.redirectURI, scopes: settings.scopes,
        additionalScopes: settings.additionalScopes, requiredUser: settings.userID)
      signIn = SignIn(
        request: request, passwordResetPolicy: passwordResetPolicy, providers: providers, endpoint: endpoint,
        presenter: presenter, completion: completion, events: events)
      deviceFlow = DeviceFlow(
        policy: signInPolicy, providers: providers, endpoint: endpoint, completion: completion, events: events)
      signOut = SignOut(
        sessions: sessions, providers: providers, endpoint: endpoint, presenter: presenter,
        redirectURI: settings.redirectURI, host: authority.host, events: events)
      check = ProviderCheck(
        request: request, policy: signInPolicy, providers: providers, transport: transport, clock: clock,
        limits: options.limits, events: events, now: now)
    }

    /// Returns the keychain, or else private files in the user's state directory.
    private static func defaultCache() throws -> any TokenCache {
      #if canImport(Security)
        StoredTokenCache.keychain()
      #else
        try StoredTokenCache.files()
      #endif
    }
  }
}

extension Connector.Engine: Redacted {
  /// Authority and client: enough to tell two of them apart.
  package var description: String {
    "Connector.Engine(\(sessions.client.authority), client \(sessions.client.clientID))"
  }
}
