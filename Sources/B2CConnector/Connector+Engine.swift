internal import B2CCore
internal import Foundation

extension Connector {
  /// Creates the flows of a connector from its settings.
  package static func engine(
    _ settings: ConnectorSettings, _ environment: Environment, _ options: Options
  ) throws -> OAuthEngine {
    let authority = settings.authority
    let signInPolicy = settings.policies.forSignIn ?? authority.policy
    if let retired = authority.retirement(for: signInPolicy) { throw retired.error }
    // The platform's own presenter is checked only when it is used, because a sign-in in two calls needs none.
    try environment.presenter?.validate(redirectURI: settings.redirectURI)
    let isMicrosoft = authority.kind(for: signInPolicy).isMicrosoft
    let client = SessionStore.Client(
      authority: authority.cacheID,
      // Every key and every request uses this client ID instead of the settings'. Microsoft's services respond in lower
      // case, whatever was registered. Elsewhere every byte counts.
      clientID: isMicrosoft ? ASCIIText.lowercased(settings.clientID) : settings.clientID,
      requiredUser: settings.userID.flatMap { $0.isEmpty ? nil : $0 }, isMicrosoft: isMicrosoft)
    return OAuthEngine(
      authority: authority, redirectURI: settings.redirectURI, scopes: settings.scopes,
      additionalScopes: settings.additionalScopes, signInPolicy: signInPolicy,
      passwordResetPolicy: settings.policies.policy(of: .passwordReset),
      sessions: UserSessions(
        store: SessionStore.of(try environment.cache ?? defaultCache()), client: client,
        wait: SessionStore.Wait(requestLimit: options.limits.deadline, clock: environment.clock),
        now: environment.now),
      transport: environment.transport, presenter: environment.presenter ?? DefaultPresenter.make(),
      backgroundTime: environment.backgroundTime, retry: options.retry, limits: options.limits,
      expiryMargin: max(.zero, options.expiryMargin), clockSkew: max(.zero, options.clockSkew),
      // The system may end an app extension before it has stored a rotated refresh token, so it never refreshes.
      refreshesTokens: options.refreshesTokens && !environment.isAppExtension, beforeRefresh: options.beforeRefresh,
      correlationID: settings.correlationID, report: Event.report(to: environment.onEvent))
  }

  /// Returns the keychain, or on other platforms private files in the user's state directory.
  private static func defaultCache() throws -> any TokenCache {
    #if canImport(Security)
      StoredTokenCache.keychain()
    #else
      try StoredTokenCache.files()
    #endif
  }
}
