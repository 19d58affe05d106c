/// The only maker of ``IDTokenClaims``: checks signature and claims by OpenID Connect Core 3.1.3.7 and 12.2.
package struct IDTokenVerifier: Sendable {
  package init() {}

  /// Checks a token.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - keys: The keys that its issuer, and of Azure AD B2C its policy, publishes.
  ///   - expectations: What the token has to be.
  /// - Returns: The claims.
  /// - Throws: ``IDTokenRejection``, by the first rule broken; with `mayHaveStaleKeys` when a newer key set may help.
  package func verify(
    _ token: IDToken, keys: JWKSet, expectations: IDTokenExpectations
  ) throws(IDTokenRejection) -> IDTokenClaims {
    let scheme = try checkSignature(of: token, keys: keys, allowed: expectations.allowedAlgorithms)
    let claims = try IDTokenClaims(reading: token.unverifiedMembers())
    try checkOrigin(claims, expectations)
    try checkTimes(claims, expectations)
    try checkRequest(claims, expectations)
    try checkHashes(claims, expectations, hash: scheme.hash)
    try checkContinuity(claims, expectations)
    return claims
  }
}

extension IDTokenVerifier {
  /// Checks the signature alone, which says nothing about whom the token is for or when.
  package func verifySignature(
    of token: IDToken, keys: JWKSet, allowed: Set<JWSAlgorithm>
  ) throws(IDTokenRejection) {
    _ = try checkSignature(of: token, keys: keys, allowed: allowed)
  }

  private func checkSignature(
    of token: IDToken, keys: JWKSet, allowed: Set<JWSAlgorithm>
  ) throws(IDTokenRejection) -> SignatureScheme {
    guard allowed.contains(token.algorithm), let scheme = token.algorithm.scheme else {
      throw IDTokenRejection(
        .algorithm, "its alg \(IDTokenRejection.quote(token.algorithm.rawValue)) is not allowed here")
    }
    let (candidates, isNamed) = try candidates(for: token, in: keys)
    var unsuitability: String?
    var hasTried = false
    for key in candidates {
      switch key.material {
      case .failure(let failure): unsuitability = failure.detail
      case .success(let verificationKey):
        guard key.algorithm.map({ $0 == token.algorithm }) ?? true, verificationKey.fits(scheme) else {
          unsuitability = "is of another kind than the token's alg"
          continue
        }
        hasTried = true
        if verificationKey.isValid(token.signature, for: token.signingInput, scheme: scheme) { return scheme }
      }
    }
    // A key that the token names, and that is there, is as good as it will be; an unnamed one may have been replaced.
    guard hasTried else {
      throw IDTokenRejection(
        .unsuitableKey, "the issuer's key \(unsuitability ?? "is missing")", mayHaveStaleKeys: !isNamed)
    }
    throw IDTokenRejection(.signature, "its signature is not the issuer's", mayHaveStaleKeys: !isNamed)
  }

  /// The keys with the token's `kid`; where there is none, those that have no id, and for a token without `kid` all.
  private func candidates(
    for token: IDToken, in set: JWKSet
  ) throws(IDTokenRejection) -> (keys: [JSONWebKey], isNamed: Bool) {
    guard let keyID = token.keyID else {
      guard !set.keys.isEmpty else {
        throw IDTokenRejection(.unknownKey, "the issuer publishes no keys", mayHaveStaleKeys: true)
      }
      return (set.keys, false)
    }
    let named = set.keys.filter { key in key.keyID.map { ASCIIText.isSame($0, keyID) } ?? false }
    if !named.isEmpty { return (named, true) }
    let unnamed = set.keys.filter { $0.keyID == nil }
    guard !unnamed.isEmpty else {
      throw IDTokenRejection(
        .unknownKey, "the issuer publishes no key with the kid \(IDTokenRejection.quote(keyID))",
        mayHaveStaleKeys: true)
    }
    return (unnamed, false)
  }
}
