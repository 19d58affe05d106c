internal import B2CCore
internal import Foundation

/// Gets an access token without the user: from the cache, else by one refresh that all callers share.
struct SilentTokens: Sendable {
  let services: OAuthServices
  let refresher: TokenRefresher

  func token(
    for scopes: [String], accountID: String?, policy: Policy?, options: TokenOptions
  ) async throws -> AccessToken {
    do {
      return try await find(scopes, accountID, policy, options)
    } catch var error as OAuthError where error.correlationID == nil {
      // Made only here, since nearly every call is answered from the cache.
      error.correlationID = services.correlationID(options.correlationID)
      throw error
    }
  }

  private func find(
    _ scopes: [String], _ accountID: String?, _ policy: Policy?, _ options: TokenOptions
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
    var passedOver = Set([options.refused].compactMap(\.self))
    // Clearing the cache means: whatever lies there now is not good enough.
    if options.clearingCache {
      passedOver.formUnion(grant.record.accessTokens.filter { $0.covers(scopes) }.map(\.token))
    }
    let mustReplace = options.clearingCache || !extra.isEmpty
    if !mustReplace,
      let hit = grant.record.usableToken(covering: scopes, now: now, margin: margin, passingOver: passedOver)
    {
      services.environment.onEvent(
        OAuthEvent(
          .cacheHit, policyID: grant.record.policyID,
          correlationID: options.correlationID ?? services.configuration.correlationID))
      return AccessToken(hit, accountID: grant.key.accountID)
    }
    let correlationID = services.correlationID(options.correlationID)
    services.environment.onEvent(
      OAuthEvent(.cacheMiss, policyID: grant.record.policyID, correlationID: correlationID))
    do {
      let entry = try await refresher.token(
        RefreshRequest(
          key: grant.key, scopes: scopes, passedOver: passedOver, extra: extra.map { FormField($0.name, $0.value) },
          correlationID: correlationID))
      return AccessToken(entry, accountID: grant.key.accountID)
    } catch let error as OAuthError where !mustReplace {
      guard
        let still = try await standing(grant, after: error).unexpiredToken(
          covering: scopes, now: services.environment.now(), passingOver: passedOver)
      else { throw error }
      services.environment.onEvent(
        OAuthEvent(
          .staleTokenServed, policyID: grant.record.policyID, correlationID: correlationID, errorCode: error.code))
      return AccessToken(still, accountID: grant.key.accountID)
    }
  }

  /// The record as it is after a failed refresh: a sign-out or a definite answer has left no token in it.
  private func standing(_ grant: Grant, after error: OAuthError) async throws -> TokenRecord {
    // Where the cache itself has trouble, nothing says that anybody has signed out.
    guard error.code != .tokenCache else { return grant.record }
    guard let record = try? await services.cache.record(for: grant.key) else { throw error }
    return record
  }

  /// Microsoft's services give an access token for an API's scope only, others for `openid` as well.
  private var givesTokensForAPIsOnly: Bool {
    services.configuration.authority.kind(for: services.configuration.defaultPolicy) != .openIDConnect
  }
}
