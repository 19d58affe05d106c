internal import B2CCore
internal import Foundation

/// Gets an access token without the user: from the cache, else by one refresh that all callers share.
struct SilentTokens: Sendable {
  let services: OAuthServices
  let refresher: TokenRefresher

  func token(
    for scopes: [String], accountID: String?, policy: Policy?, options: TokenOptions
  ) async throws -> AccessToken {
    guard !Scopes.ofAPI(scopes).isEmpty || !givesTokensForAPIsOnly else {
      throw OAuthError(
        .missingAPIScope, "No API scope was asked for, so the service gives no access token.",
        recoverySuggestion: "Add the API's scope, or the client id itself, to `scopes` in the settings.")
    }
    let extra = try ReservedParameters.checked(options.extraParameters)
    guard let grant = try await services.grants.grant(accountID: accountID, policy: policy) else {
      throw OAuthError(.interactionRequired, "Nobody is signed in.", recoverySuggestion: "Sign in first.")
    }
    let now = services.environment.now()
    let margin = services.configuration.expiryMargin.seconds
    // Clearing the cache means: whatever lies there now is not good enough.
    let refused =
      options.clearingCache
      ? grant.record.accessTokens.first { $0.covers(scopes) }?.token ?? options.refused : options.refused
    let mustReplace = options.clearingCache || !extra.isEmpty
    if !mustReplace,
      let hit = grant.record.usableToken(covering: scopes, now: now, margin: margin, refused: refused)
    {
      services.environment.onEvent(OAuthEvent(.cacheHit, policyID: grant.record.policyID))
      return AccessToken(hit, accountID: grant.key.accountID)
    }
    services.environment.onEvent(OAuthEvent(.cacheMiss, policyID: grant.record.policyID))
    do {
      let entry = try await refresher.token(
        RefreshRequest(
          key: grant.key, scopes: scopes, refused: refused, extra: extra.map { FormField($0.name, $0.value) },
          correlationID: services.correlationID(options.correlationID)))
      return AccessToken(entry, accountID: grant.key.accountID)
    } catch let error as OAuthError where !error.needsInteraction && !mustReplace {
      guard let still = grant.record.unexpiredToken(covering: scopes, now: now, refused: refused) else { throw error }
      services.environment.onEvent(
        OAuthEvent(.staleTokenServed, policyID: grant.record.policyID, errorCode: error.code))
      return AccessToken(still, accountID: grant.key.accountID)
    }
  }

  /// Microsoft's services give an access token for an API's scope only, others for `openid` as well.
  private var givesTokensForAPIsOnly: Bool {
    services.configuration.authority.kind(for: services.configuration.defaultPolicy) != .openIDConnect
  }
}
