internal import B2CAuthority
internal import B2CCore
internal import Foundation

/// The authorization requests of one app (RFC 6749 section 4.1.1).
struct AuthorizationRequest: Sendable {
  let authority: Authority
  let clientID: String
  let redirectURI: URL
  var scopes: [String]
  var additionalScopes: [String]
  /// The only user who may sign in, whom the page gets as a hint.
  var requiredUser: String?

  /// Returns everything that is needed to finish a sign-in, with new secrets that are used once.
  func pending(
    _ provider: Provider, _ options: SignInOptions, userID: String?, correlationID: UUID, at now: Date
  ) throws(ConnectorError) -> PendingSignIn {
    PendingSignIn(
      endpoint: provider.authorizationEndpoint, authority: authority.cacheID, clientID: clientID,
      redirectURI: redirectURI, policyID: provider.policy?.id, policyKind: provider.policy?.kind?.rawValue,
      scopes: options.scopes ?? scopes, additionalScopes: additionalScopes,
      addsOfflineAccess: provider.addsOfflineAccess,
      query: FormEncoding.encode(try furtherParameters(provider, options, correlationID)), userID: userID,
      state: RandomToken.make(bytes: 32), nonce: RandomToken.make(bytes: 32), verifier: RandomToken.make(bytes: 32),
      correlationID: correlationID, begun: now.timeIntervalSince1970)
  }

  /// Returns the parameters that not every request has.
  private func furtherParameters(
    _ provider: Provider, _ options: SignInOptions, _ correlationID: UUID
  ) throws(ConnectorError) -> [(name: String, value: String)] {
    let optional: [(name: String, value: String?)] = [
      ("client-request-id", provider.known(correlationID)?.uuidString.lowercased()),
      ("prompt", options.prompt.rawValue),
      ("login_hint", options.loginHint ?? options.user?.username ?? requiredUser),
      ("domain_hint", options.domainHint ?? provider.policy?.domainHint),
      ("ui_locales", options.uiLocales.joined(separator: " ")),
      ("claims", options.claimsRequest),
    ]
    let named = optional.compactMap { name, value in value.flatMap { $0.isEmpty ? nil : (name: name, value: $0) } }
    return named + (try ReservedParameters.checked(options.extraParameters))
  }

  /// How long the user may take, in seconds: one hour.
  private static let lifetime: TimeInterval = 3_600

  /// Returns the policy of a sign-in, after checking that these settings can still finish it.
  ///
  /// - Throws: ``ConnectorError`` with code `configuration` if the settings differ, or `timedOut` after an hour.
  func policy(of pending: PendingSignIn, at now: Date) throws -> Policy? {
    guard pending.authority == authority.cacheID, ASCIIText.isSame(pending.clientID, clientID),
      pending.redirectURI == redirectURI
    else {
      throw ConnectorError(
        own: .configuration, "The sign-in began with another authority, client ID or redirect URI.",
        recoverySuggestion: "Begin the sign-in again, and finish it with the same settings.")
    }
    guard now.timeIntervalSince1970 - pending.begun <= Self.lifetime else {
      throw ConnectorError(
        own: .timedOut, "The sign-in began more than an hour ago.", recoverySuggestion: "Begin the sign-in again.",
        isRetryable: false)
    }
    return try pending.policyID.map { try Policy(id: $0, kind: pending.policyKind.flatMap(Policy.Kind.init)) }
  }
}
