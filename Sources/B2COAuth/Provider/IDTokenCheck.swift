internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// Checks an id_token against its provider, and looks for new keys when its key is not among those known.
struct IDTokenCheck: Sendable {
  let services: OAuthServices

  /// Returns the claims of a token that passes every rule.
  ///
  /// - Parameters:
  ///   - idToken: The token.
  ///   - provider: Who should have issued it.
  ///   - nonce: The nonce of the request; `nil` after a refresh.
  ///   - accessToken: The access token that came with it.
  ///   - previous: The claims of the sign-in, after a refresh.
  /// - Returns: All claims.
  /// - Throws: ``ConnectorError`` with code `invalidResponse`; what keeps the keys from being fetched.
  func claims(
    of idToken: Secret, provider: Provider, nonce: Secret?, accessToken: Secret?, previous: [String: JSONValue]?
  ) async throws -> [String: JSONValue] {
    let expectations = IDTokenExpectations(
      clientID: services.configuration.clientID, issuer: IssuerExpectation(published: provider.metadata.issuer),
      nonce: nonce, policy: provider.policy?.id, now: services.serverClock.now, skew: services.configuration.clockSkew,
      previous: previous, accessToken: accessToken, allowedAlgorithms: provider.allowedAlgorithms)
    let providers = services.providers
    let known = try await providers.keys(of: provider)
    do {
      return try Self.verify(idToken, known, expectations)
    } catch {
      // Only what a fresh copy of the keys may change is retryable.
      guard error.isRetryable else { throw error }
    }
    let fresh = try await providers.refetchedKeys(of: provider)
    do {
      return try Self.verify(idToken, fresh, expectations)
    } catch {
      if error.isRetryable { await providers.recordUnknownKey(of: provider) }
      throw error
    }
  }

  /// Refuses an id_token of a refresh that names another person, issuer or client than the record (OpenID Connect Core
  /// 12.2), whatever else is wrong with it.
  ///
  /// Nothing is taken from the token, so that its signature need not be known. What it does not name, or not in a form
  /// that can be compared, refuses nothing here: such a token is of no use, and the tokens beside it are good.
  func refuseOtherPerson(_ idToken: Secret?, than claims: [String: JSONValue]) throws(ConnectorError) {
    guard let idToken, let fields = try? IDToken(compact: idToken).unverifiedClaims() else { return }
    let (before, after) = (PreviousIdentity(claims), PreviousIdentity(fields))
    let clientID = services.configuration.clientID
    let named: String
    if let subject = before.subject, let newSubject = after.subject, !ASCIIText.isSame(subject, newSubject) {
      named = "another user than the sign-in"
    } else if let issuer = before.issuer, let newIssuer = after.issuer, !ASCIIText.isSame(issuer, newIssuer) {
      named = "another issuer than the sign-in"
    } else if let audience = after.audience, !audience.contains(where: { ASCIIText.isSame($0, clientID) }) {
      named = "another client than this app"
    } else if let authorizedParty = fields["azp"]?.string, !ASCIIText.isSame(authorizedParty, clientID) {
      // The sign-in was for this client alone, or had it as its azp.
      named = "another client than this app"
    } else {
      return
    }
    throw ConnectorError(
      own: .interactionRequired, "The id_token of the refresh names \(named).", recoverySuggestion: "Sign in again.")
  }

  private static func verify(
    _ idToken: Secret, _ keys: JWKSet, _ expectations: IDTokenExpectations
  ) throws(ConnectorError) -> [String: JSONValue] {
    try IDTokenVerifier().verify(try IDToken(compact: idToken), keys: keys, expectations: expectations).all
  }
}

extension Provider {
  /// Microsoft's services sign with RS256; another issuer with what it publishes, as far as it is safe.
  fileprivate var allowedAlgorithms: Set<JWSAlgorithm> {
    guard !isMicrosoft else { return .microsoft }
    let published = Set(metadata.signingAlgorithms.map { JWSAlgorithm(rawValue: $0) })
    return published.isEmpty ? .microsoft : published.intersection(.openIDConnect)
  }
}
