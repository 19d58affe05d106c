package import B2CCore
internal import B2CIDToken
internal import Foundation

/// The two kinds of token, claim by claim.
extension LocalTenant {
  func signedIDToken(
    _ subject: LocalTokenSubject, accessToken: String?, _ behavior: Behavior, _ call: LocalTenantCall
  ) throws -> String {
    var claims = commonClaims(subject, audience: subject.grant.clientID, behavior, call)
    let user = subject.user
    claims["auth_time"] = .integer(LocalDates.epoch(subject.grant.authenticatedAt))
    claims["nonce"] = subject.nonce.map(JSONValue.string)
    claims["name"] = .string(user.displayName)
    claims["idp"] = user.identityProvider.map(JSONValue.string)
    switch shape {
    case .b2c:
      claims["emails"] = .array([.string(user.email)])
      claims["at_hash"] = accessTokenHash(accessToken)
      if subject.grant.isNewUser, !subject.isRefresh { claims["newUser"] = .bool(true) }
    case .entra, .ciam:
      claims["tid"] = .string(tenantID)
      claims["preferred_username"] = .string(user.email)
      claims["email"] = .string(user.email)
    case .openIDConnect:
      claims["email"] = .string(user.email)
      claims["at_hash"] = accessTokenHash(accessToken)
    }
    claims.merge(user.claims) { $1 }
    behavior.changeIDTokenClaims?(&claims)
    guard let key = signingKeys.first else { throw LocalRefusal.malformed("no signing key", error: "server_error") }
    return try behavior.signIDToken?(claims, key) ?? key.token(claims: claims)
  }

  private func accessTokenHash(_ accessToken: String?) -> JSONValue? {
    guard let accessToken else { return nil }
    return signingKeys.first?.algorithm.tokenHash(of: Secret(accessToken)).map(JSONValue.string)
  }

  func signedAccessToken(
    _ subject: LocalTokenSubject, _ scopes: LocalScopes, audience: String, _ behavior: Behavior,
    _ call: LocalTenantCall
  ) throws -> String {
    var claims = commonClaims(subject, audience: audience, behavior, call)
    // Azure AD B2C has the scopes' last parts only; a token for the client itself has none.
    let names = scopes.resourceScopes.filter { $0.lowercased() != clientID.lowercased() }
      .compactMap { $0.split(separator: "/").last.map(String.init) }
    if !names.isEmpty { claims["scp"] = .string(names.joined(separator: " ")) }
    claims["azp"] = .string(subject.grant.clientID)
    claims["name"] = .string(subject.user.displayName)
    if shape == .entra || shape == .ciam { claims["tid"] = .string(tenantID) }
    // Makes two tokens of the same second differ, as real ones do.
    claims["uti"] = .string(RandomText.make(bytes: 9))
    behavior.changeAccessTokenClaims?(&claims)
    guard let key = signingKeys.first else { throw LocalRefusal.malformed("no signing key", error: "server_error") }
    return try key.token(claims: claims)
  }

  private func commonClaims(
    _ subject: LocalTokenSubject, audience: String, _ behavior: Behavior, _ call: LocalTenantCall
  ) -> [String: JSONValue] {
    let issuedAt = LocalDates.epoch(call.now)
    var claims: [String: JSONValue] = [
      "iss": .string(issuer(origin: call.origin)), "sub": .string(subject.user.id), "aud": .string(audience),
      "iat": .integer(issuedAt), "exp": .integer(issuedAt + accessTokenLifetime.components.seconds),
    ]
    guard shape != .openIDConnect else { return claims }
    claims["nbf"] = .integer(issuedAt)
    claims["oid"] = .string(subject.user.id)
    claims["ver"] = .string(shape == .b2c ? "1.0" : "2.0")
    claims["tfp"] = subject.grant.policyID.map(JSONValue.string)
    return claims
  }
}

extension LocalTenant {
  /// Checks an access token as an API of the tenant does: signature by a published key, issuer, audience, lifetime.
  ///
  /// An id_token is refused even where its audience would fit. An app's own ``LocalService`` authorizes requests by it.
  ///
  /// - Parameters:
  ///   - accessToken: The token.
  ///   - audiences: The client ids the API answers to, in any case.
  /// - Returns: The user that the token is for; `nil` for a token that an API has to refuse.
  public func user(accessToken: String, audiences: Set<String>) -> LocalUser? {
    claims(ofAccessToken: accessToken, audiences: audiences).flatMap { user(id: $0["sub"]?.string ?? "") }
  }

  /// Returns the claims of an access token that an API may accept.
  package func claims(ofAccessToken token: String, audiences: Set<String>) -> [String: JSONValue]? {
    let time = now().timeIntervalSince1970
    guard let claims = LocalToken(token)?.claims, signingKeys.contains(where: { $0.verifies(token) }),
      let issuer = claims["iss"]?.string, issuers.contains(issuer),
      let audience = claims["aud"]?.string?.lowercased(), audiences.contains(where: { $0.lowercased() == audience }),
      let end = claims["exp"]?.double, time < end, (claims["nbf"]?.double ?? time).rounded(.down) <= time,
      // Only access tokens say which client they were given to.
      claims["azp"] != nil
    else { return nil }
    return claims
  }
}

/// Who a token speaks of, and by which grant.
struct LocalTokenSubject: Sendable {
  let user: LocalUser
  let grant: LocalGrant
  let nonce: String?
  let isRefresh: Bool
}
