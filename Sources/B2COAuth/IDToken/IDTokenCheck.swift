internal import B2CCore
internal import Foundation

/// Checks an id_token against a provider, with one look for new keys when its key is not among those known.
struct IDTokenCheck: Sendable {
  let services: OAuthServices

  /// Gives the claims of a token that passes every rule; `nonce` is `nil` and `previous` is set after a refresh.
  func claims(
    of idToken: Secret, provider: Provider, nonce: Secret?, accessToken: Secret?, previous: [String: JSONValue]?
  ) async throws -> [String: JSONValue] {
    let expectations = IDTokenExpectations(
      clientID: services.configuration.clientID, issuer: IssuerExpectation(published: provider.metadata.issuer),
      nonce: nonce, policy: provider.policy?.id, now: services.serverClock.now, skew: services.configuration.clockSkew,
      previous: previous, accessToken: accessToken, allowedAlgorithms: provider.allowedAlgorithms)
    do {
      return try Self.verify(idToken, provider.keys, expectations)
    } catch {
      guard error.mayHaveStaleKeys else { throw error.oauthError }
    }
    let renewed = try await services.providers.providerWithFreshKeys(for: provider.policy)
    do {
      return try Self.verify(idToken, renewed.keys, expectations)
    } catch {
      throw error.oauthError
    }
  }

  private static func verify(
    _ idToken: Secret, _ keys: JWKSet, _ expectations: IDTokenExpectations
  ) throws(IDTokenRejection) -> [String: JSONValue] {
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
