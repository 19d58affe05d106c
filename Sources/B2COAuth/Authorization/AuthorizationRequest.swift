internal import B2CCore
internal import Foundation

/// One request for authorization (RFC 6749 section 4.1.1): everything secret in it is fresh and is used once.
struct AuthorizationRequest: Sendable {
  let provider: Provider
  let configuration: OAuthConfiguration
  let options: SignInOptions
  let correlationID: UUID
  let pkce = PKCE()
  let state = RandomToken.make(bytes: 32)
  let nonce = RandomToken.make(bytes: 32)

  /// The scopes of the API that are requested.
  var scopes: [String] { options.scopes ?? configuration.scopes }

  /// What is needed to finish the sign-in.
  func pending(userID: String?, at now: Date) throws(ConnectorError) -> PendingSignIn {
    PendingSignIn(
      url: try url(redirectURI: configuration.redirectURI), authority: configuration.authority.cacheID,
      clientID: configuration.clientID, redirectURI: configuration.redirectURI, policyID: provider.policy?.id,
      policyKind: provider.policy?.kind.rawValue, scopes: scopes, userID: userID, state: state, nonce: nonce,
      verifier: pkce.verifier, correlationID: correlationID, begunAt: now)
  }

  /// The URL of the sign-in page for a redirect URI.
  func url(redirectURI: URL) throws(ConnectorError) -> URL {
    try Endpoints.appending(try parameters(redirectURI: redirectURI), to: provider.authorizationEndpoint)
  }

  private func parameters(redirectURI: URL) throws(ConnectorError) -> [(name: String, value: String)] {
    let consent = provider.sent(scopes + configuration.additionalScopes)
    var parameters: [(name: String, value: String)] = [
      ("client_id", configuration.clientID),
      ("response_type", "code"),
      ("redirect_uri", redirectURI.absoluteString),
      ("response_mode", "query"),
      ("scope", consent.joined(separator: " ")),
      ("state", state.value),
      ("nonce", nonce.value),
      ("code_challenge", pkce.challenge),
      ("code_challenge_method", "S256"),
    ]
    if provider.isMicrosoft { parameters.append(("client-request-id", correlationID.uuidString.lowercased())) }
    let optional: [(String, String?)] = [
      ("prompt", options.prompt.rawValue),
      ("login_hint", options.loginHint ?? options.user?.username ?? configuration.requiredUser),
      ("domain_hint", options.domainHint ?? provider.policy?.domainHint),
      ("ui_locales", options.uiLocales.isEmpty ? nil : options.uiLocales.joined(separator: " ")),
      ("claims", options.claimsRequest),
    ]
    for (name, value) in optional {
      if let value, !value.isEmpty { parameters.append((name, value)) }
    }
    return parameters + (try ReservedParameters.checked(options.extraParameters))
  }
}
