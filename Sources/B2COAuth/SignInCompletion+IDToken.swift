internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// The check of an id_token against its provider.
extension SignInCompletion {
  /// Verifies an id_token and returns its claims.
  ///
  /// If its key is unknown, the keys are fetched again, because the provider may have rotated them.
  ///
  /// - Parameters:
  ///   - idToken: The token.
  ///   - provider: The provider that must have issued it.
  ///   - nonce: The nonce of the request, or `nil` for a device code.
  ///   - accessToken: The access token that arrived together with the id_token.
  ///   - correlationID: The correlation id of the sign-in.
  /// - Returns: All claims.
  /// - Throws: ``ConnectorError`` with code `invalidResponse`, or the error that prevents the keys from being fetched.
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
      // The error is retryable only if newer keys may change it, so the keys are fetched again below.
    }
    return try verify(try await providers.freshKeys(of: provider, correlationID: correlationID))
  }

  /// Returns the values that the id_token must have.
  ///
  /// This is a function of its own, because the optimizer of Swift 6.3.1 crashes on a local function that captures a
  /// variable and has a typed throw.
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
  /// The algorithms with which this provider may sign an id_token.
  ///
  /// Microsoft's services sign with RS256. Any other provider may use the safe algorithms that it publishes, or RS256
  /// if it publishes none.
  var allowedAlgorithms: Set<JWSAlgorithm> {
    guard !isMicrosoft else { return .microsoft }
    let published = Set(metadata.signingAlgorithms.map { JWSAlgorithm(rawValue: $0) })
    return published.isEmpty ? .microsoft : published.intersection(.openIDConnect)
  }
}
