internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// The check of the id_token against its provider.
extension SignInCompletion {
  /// Returns the claims of a token that passes every rule; new keys are fetched if its key is not among those known.
  ///
  /// - Parameters:
  ///   - idToken: The token.
  ///   - provider: Who should have issued it.
  ///   - nonce: The nonce of the request; `nil` for a device code.
  ///   - accessToken: The access token that came with it.
  ///   - correlationID: The correlation id of the sign-in.
  /// - Returns: All claims.
  /// - Throws: ``ConnectorError`` with code `invalidResponse`; what keeps the keys from being fetched.
  func claims(
    of idToken: Secret, provider: Provider, nonce: Secret?, accessToken: Secret?, correlationID: UUID
  ) async throws -> [String: JSONValue] {
    let expectations = expectations(provider, nonce: nonce, accessToken: accessToken)
    func verify(_ keys: JWKSet) throws(ConnectorError) -> [String: JSONValue] {
      try expectations.verify(try IDToken(compact: idToken), keys: keys)
    }
    let known = try await providers.keys(of: provider, correlationID: correlationID)
    do {
      return try verify(known)
    } catch  where error.isRetryable {
      // Only what a fresh copy of the keys may change.
    }
    return try verify(try await providers.freshKeys(of: provider, correlationID: correlationID))
  }

  /// A function of its own: the optimizer of Swift 6.3.1 crashes at a local function that captures a variable and has a typed
  /// throw.
  private func expectations(_ provider: Provider, nonce: Secret?, accessToken: Secret?) -> IDTokenExpectations {
    var expectations = IDTokenExpectations(
      clientID: sessions.client.clientID, issuer: IssuerExpectation(published: provider.metadata.issuer),
      now: serverClock.now, skew: clockSkew)
    expectations.nonce = nonce
    expectations.policy = provider.policy?.id
    expectations.accessToken = accessToken
    expectations.allowedAlgorithms = provider.allowedAlgorithms
    return expectations
  }
}

extension Provider {
  /// Microsoft's services sign with RS256; another issuer with what it publishes, as far as it is safe.
  var allowedAlgorithms: Set<JWSAlgorithm> {
    guard !isMicrosoft else { return .microsoft }
    let published = Set(metadata.signingAlgorithms.map { JWSAlgorithm(rawValue: $0) })
    return published.isEmpty ? .microsoft : published.intersection(.openIDConnect)
  }
}
