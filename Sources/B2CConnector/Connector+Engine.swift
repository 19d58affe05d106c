internal import B2CCore
internal import Foundation

extension Connector {
  /// Makes the flows of a connector from its settings.
  package static func engine(
    _ settings: ConnectorSettings, _ environment: Environment, _ options: Options
  ) throws -> OAuthEngine {
    let authority = settings.authority
    let signInPolicy = settings.policies.forSignIn ?? authority.policy
    if let retired = authority.retirement(for: signInPolicy) { throw retired.error }
    // A sign-in in two calls needs none, so the platform's own is looked at when it is used.
    try environment.presenter?.validate(redirectURI: settings.redirectURI)
    let isMicrosoft = authority.kind(for: signInPolicy).isMicrosoft
    let client = SessionStore.Client(
      authority: authority.cacheID,
      // Every key and request uses this one and not the settings' own. Microsoft's services answer in small letters, whatever
      // was registered; elsewhere every byte counts.
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
      // An extension that the system ends would lose a rotated token.
      refreshesTokens: options.refreshesTokens && !environment.isAppExtension, beforeRefresh: options.beforeRefresh,
      correlationID: settings.correlationID, report: Event.report(to: environment.onEvent))
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
