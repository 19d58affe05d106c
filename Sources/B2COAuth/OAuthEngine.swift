internal import B2CCore
package import Foundation

/// The flows of a connector, each made from the parts that it uses.
///
/// No other type knows all of these parts.
package final class OAuthEngine: Sendable {
  /// The policy for a call that names none, or `nil` if the authority has no policies.
  package let signInPolicy: Policy?
  package let sessions: UserSessions
  package let tokens: TokenSource
  package let calls: APICalls
  package let userInfo: UserInfoEndpoint
  package let signIn: SignIn
  package let deviceFlow: DeviceFlow
  package let signOut: SignOut
  package let check: ProviderCheck

  package init(
    authority: Authority, redirectURI: URL, scopes: [String], additionalScopes: [String], signInPolicy: Policy?,
    passwordResetPolicy: Policy?, sessions: UserSessions, transport: any HTTPTransport,
    presenter: any SignInPresenter, backgroundTime: BackgroundTime, retry: RetryPolicy, limits: TransportLimits,
    expiryMargin: Duration, clockSkew: Duration, refreshesTokens: Bool,
    beforeRefresh: (@Sendable (UserInfo) async throws -> Void)?, correlationID: UUID?, report: @escaping OAuthReport
  ) {
    self.signInPolicy = signInPolicy
    self.sessions = sessions
    let (client, clock) = (sessions.client, sessions.wait.clock)
    let events = OAuthEvents(report: report, fixedID: correlationID)
    let serverClock = ServerClock(localNow: sessions.now)
    let once = RetryingTransport(transport: transport, policy: .none, clock: clock)
    let providers = ProviderDirectory(
      authority: authority, transport: transport, retry: retry, limits: limits, clock: clock, now: sessions.now,
      serverClock: serverClock, events: events)
    let endpoint = TokenEndpoint(
      clientID: client.clientID, signInPolicy: signInPolicy, limits: limits, serverClock: serverClock, transport: once)
    tokens = TokenSource(
      sessions: sessions, events: events, endpoint: endpoint,
      findRoute: providers.tokenRoute(for:namesIssuer:correlationID:),
      backgroundTime: backgroundTime, scopes: scopes, expiryMargin: expiryMargin, clockSkew: clockSkew,
      refreshesTokens: refreshesTokens, beforeRefresh: beforeRefresh)
    calls = APICalls(tokens: tokens, sessions: sessions, events: events, transport: transport)
    userInfo = UserInfoEndpoint(sessions: sessions, calls: calls, providers: providers, limits: limits)
    let completion = SignInCompletion(
      sessions: sessions, providers: providers, userInfo: userInfo, serverClock: serverClock, clockSkew: clockSkew)
    let request = AuthorizationRequest(
      authority: authority, clientID: client.clientID, redirectURI: redirectURI, scopes: scopes,
      additionalScopes: additionalScopes, requiredUser: client.requiredUser)
    signIn = SignIn(
      request: request, passwordResetPolicy: passwordResetPolicy, providers: providers, endpoint: endpoint,
      presenter: presenter, completion: completion, events: events)
    deviceFlow = DeviceFlow(
      policy: signInPolicy, providers: providers, endpoint: endpoint, completion: completion, events: events)
    signOut = SignOut(
      sessions: sessions, providers: providers, endpoint: endpoint, presenter: presenter, redirectURI: redirectURI,
      host: authority.host, events: events)
    check = ProviderCheck(
      request: request, policy: signInPolicy, providers: providers, transport: once, limits: limits, events: events,
      now: sessions.now)
  }
}

extension OAuthEngine: Redacted {
  /// The authority and the client ID, which tell two engines apart.
  package var description: String { "OAuthEngine(\(sessions.client.authority), client \(sessions.client.clientID))" }
}
