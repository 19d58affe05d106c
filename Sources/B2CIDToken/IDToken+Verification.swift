package import B2CCore
import Foundation

extension IDTokenExpectations {
  /// Verifies a token by OpenID Connect Core sections 3.1.3.7 and 12.2, with one function for each rule.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - keys: The keys that its issuer publishes, at Azure AD B2C for its policy.
  /// - Returns: The claims by name, as the provider sent them.
  /// - Throws: ``ConnectorError`` for the first rule that the token breaks, retryable if a newer key set may help.
  package func verify(_ token: IDToken, keys: JWKSet) throws(ConnectorError) -> [String: JSONValue] {
    try token.verifySignature(keys: keys, allowed: allowedAlgorithms)
    let claims = try token.unverifiedClaims()
    try checkOrigin(claims)
    try checkSubject(claims)
    try checkTimes(claims)
    try checkRequest(claims)
    try checkHash(claims, algorithm: token.algorithm)
    return claims
  }
}

extension IDToken {
  /// Verifies only the signature, which says nothing about the client that the token is for or its lifetime.
  package func verifySignature(keys: JWKSet, allowed: Set<JWSAlgorithm>) throws(ConnectorError) {
    guard allowed.contains(algorithm), let scheme = algorithm.scheme else {
      throw ConnectorError(
        idToken: "its alg \(quoted(algorithm.rawValue)) is not allowed here", recoverySuggestion: Advice.algorithm)
    }
    let (candidates, isNamed) = try candidates(in: keys)
    var fault = "the issuer publishes no keys"
    var hasTried = false
    for candidate in candidates {
      do throws(JSONWebKey.Unsuitability) {
        let key = try candidate.verificationKey(for: algorithm)
        if key.isValid(signature, for: signingInput, scheme: scheme) { return }
        hasTried = true
      } catch {
        fault = "the issuer's key \(error.detail)"
      }
    }
    // If the token's `kid` is in the key set, fetching the set again cannot help. Otherwise the provider may have
    // rotated its keys.
    throw ConnectorError(idToken: hasTried ? "its signature is not the issuer's" : fault, mayHaveStaleKeys: !isNamed)
  }

  /// Returns the keys with the token's `kid`, or else those without an id, or all keys for a token without `kid`.
  private func candidates(in set: JWKSet) throws(ConnectorError) -> (keys: [JSONWebKey], isNamed: Bool) {
    guard let keyID else { return (set.keys, false) }
    let named = set.keys.filter { key in key.keyID.map { ASCIIText.isSame($0, keyID) } ?? false }
    if !named.isEmpty { return (named, true) }
    let unnamed = set.keys.filter { $0.keyID == nil }
    guard !unnamed.isEmpty else {
      throw ConnectorError(
        idToken: "the issuer publishes no key with the kid that begins with \(quoted(String(keyID.prefix(12))))",
        mayHaveStaleKeys: true)
    }
    return (unnamed, false)
  }
}

extension IDTokenExpectations {
  /// Checks rules 2 to 5: `iss`, `aud` and `azp`.
  private func checkOrigin(_ claims: [String: JSONValue]) throws(ConnectorError) {
    guard let named = claims["iss"]?.string else {
      throw ConnectorError(idToken: "it has no iss", recoverySuggestion: Advice.issuer)
    }
    guard issuer.accepts(named, tenantID: claims["tid"]?.string) else {
      throw ConnectorError(idToken: "its iss \(quoted(named)) is another issuer", recoverySuggestion: Advice.issuer)
    }
    guard let audience = IDTokenClaims.audience(in: claims), !audience.isEmpty else {
      let fault = claims["aud"]?.array?.isEmpty == false ? "its aud is not a list of strings" : "it has no aud"
      throw ConnectorError(idToken: fault, recoverySuggestion: Advice.client)
    }
    let others = audience.filter { !ASCIIText.isSame($0, clientID) }
    guard others.count < audience.count else {
      throw ConnectorError(idToken: "its aud is another client", recoverySuggestion: Advice.client)
    }
    if let authorizedParty = claims["azp"] {
      guard let text = authorizedParty.string, ASCIIText.isSame(text, clientID) else {
        throw ConnectorError(idToken: "its azp is another client", recoverySuggestion: Advice.client)
      }
    } else if audience.count > 1 {
      throw ConnectorError(idToken: "it has several aud and no azp", recoverySuggestion: Advice.client)
    }
    // Rule 3 allows other audiences only if the client trusts them, and none of Microsoft's tokens has another one.
    guard others.isEmpty else {
      let shown = others.prefix(5).map { quoted($0, limit: 40) }.joined(separator: ", ")
      throw ConnectorError(
        idToken: "it is also for \(shown)" + (others.count > 5 ? " and \(others.count - 5) more" : ""),
        recoverySuggestion: Advice.client)
    }
  }

  /// Checks that the token names its user, in `sub` or, if that is Azure AD B2C's placeholder, in `oid`.
  private func checkSubject(_ claims: [String: JSONValue]) throws(ConnectorError) {
    let named = IDTokenClaims.identifiers(in: claims)
    guard named["sub"] == nil else { return }
    guard IDTokenClaims.hasPlaceholder(claims) else {
      throw ConnectorError(
        idToken: "it has no sub", recoverySuggestion: "Have the provider add the claim sub to the id_token.")
    }
    guard named["oid"] != nil else {
      throw ConnectorError(
        idToken: "its sub refers to oid, which is missing",
        recoverySuggestion: "Add the claim User's Object ID to the user flow.")
    }
  }

  /// Checks rules 9 and 10: `exp`, `nbf` and `iat`.
  private func checkTimes(_ claims: [String: JSONValue]) throws(ConnectorError) {
    func time(_ name: String) throws(ConnectorError) -> Date {
      guard let time = claims[name].flatMap(NumericDate.date) else {
        throw ConnectorError(idToken: "its \(name) is missing or is not a time")
      }
      return time
    }
    let skew = skew / .seconds(1)
    let (expiration, issuedAt) = (try time("exp"), try time("iat"))
    guard now < expiration.addingTimeInterval(skew) else {
      throw Self.untimely("it expired %.0f seconds ago", from: expiration, to: now)
    }
    if claims["nbf"] != nil, case let notBefore = try time("nbf"), notBefore > now.addingTimeInterval(skew) {
      throw Self.untimely("it becomes valid in %.0f seconds", from: now, to: notBefore)
    }
    guard issuedAt <= now.addingTimeInterval(skew) else {
      throw Self.untimely("it was issued %.0f seconds in the future", from: now, to: issuedAt)
    }
  }

  private static func untimely(_ words: String, from start: Date, to end: Date) -> ConnectorError {
    // The difference is formatted as a `Double`, because an `exp` may be too large for an integer.
    let detail = String(format: words, end.timeIntervalSince(start).rounded(.up))
    return ConnectorError(idToken: detail, recoverySuggestion: Advice.clock)
  }

  /// Checks rule 11, the `nonce`, and rule 12, for which the policy is the requested authentication context.
  private func checkRequest(_ claims: [String: JSONValue]) throws(ConnectorError) {
    if let nonce {
      guard let value = claims["nonce"]?.string else { throw ConnectorError(idToken: "it has no nonce") }
      guard Secret(value).isEqualInConstantTime(to: nonce) else {
        throw ConnectorError(idToken: "its nonce is not the one sent")
      }
    }
    guard let policy else { return }
    guard let value = IDTokenClaims.policy(in: claims) else {
      throw ConnectorError(idToken: "it does not name a policy", recoverySuggestion: Advice.policy)
    }
    guard let text = value.string, ASCIIText.isSameIgnoringCase(text, policy) else {
      throw ConnectorError(idToken: "its policy is not \(quoted(policy))", recoverySuggestion: Advice.policy)
    }
  }

  /// Checks `at_hash`, which may be missing but must not be wrong (OpenID Connect Core section 3.1.3.8).
  private func checkHash(_ claims: [String: JSONValue], algorithm: JWSAlgorithm) throws(ConnectorError) {
    guard let accessToken, let value = claims["at_hash"] else { return }
    let hashes = algorithm.scheme?.tokenHashes.map { $0.leftHalf(of: accessToken) } ?? []
    guard let text = value.string, hashes.contains(where: { ASCIIText.isSame(text, $0) }) else {
      throw ConnectorError(idToken: "its at_hash is not that of the access token")
    }
  }
}
