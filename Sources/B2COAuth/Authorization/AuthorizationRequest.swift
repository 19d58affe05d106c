internal import B2CCore
internal import Foundation

/// One request for authorization (RFC 6749 section 4.1.1).
struct AuthorizationRequest: Sendable {
  let provider: Provider
  let configuration: OAuthConfiguration
  let options: SignInOptions
  let correlationID: UUID

  /// Returns the request with what is needed to finish the sign-in: everything secret in it is fresh and is used once.
  func pending(userID: String?, at now: Date) throws(ConnectorError) -> PendingSignIn {
    PendingSignIn(
      endpoint: provider.authorizationEndpoint, authority: configuration.authority.cacheID,
      clientID: configuration.clientID, redirectURI: configuration.redirectURI, policyID: provider.policy?.id,
      policyKind: provider.policy?.kind?.rawValue, scopes: options.scopes ?? configuration.scopes,
      additionalScopes: configuration.additionalScopes, addsOfflineAccess: provider.addsOfflineAccess,
      query: FormEncoding.encode(try furtherParameters()), userID: userID, state: RandomToken.make(bytes: 32),
      nonce: RandomToken.make(bytes: 32), verifier: RandomToken.make(bytes: 32), correlationID: correlationID,
      begun: now.timeIntervalSince1970)
  }

  /// The parameters that not every request has.
  private func furtherParameters() throws(ConnectorError) -> [(name: String, value: String)] {
    let optional: [(name: String, value: String?)] = [
      ("client-request-id", provider.known(correlationID)?.uuidString.lowercased()),
      ("prompt", options.prompt.rawValue),
      ("login_hint", options.loginHint ?? options.user?.username ?? configuration.requiredUser),
      ("domain_hint", options.domainHint ?? provider.policy?.domainHint),
      ("ui_locales", options.uiLocales.joined(separator: " ")),
      ("claims", options.claimsRequest),
    ]
    let named = optional.compactMap { name, value in value.flatMap { $0.isEmpty ? nil : (name: name, value: $0) } }
    return named + (try ReservedParameters.checked(options.extraParameters))
  }
}
