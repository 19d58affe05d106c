package import B2CCore
internal import B2CIDToken
internal import Foundation

/// The two kinds of token, claim by claim.
extension LocalTenant {
  func signedIDToken(
    _ grant: LocalGrant, of user: LocalUser, accessToken: String?, _ call: LocalTenantCall
  ) throws -> String {
    let key = try signingKey()
    var claims = commonClaims(grant, of: user, audience: call.form["client_id"] ?? clientID, call)
    claims["auth_time"] = .integer(grant.authenticatedAt.epoch)
    if !call.isRefresh { claims["nonce"] = grant.request["nonce"].map(JSONValue.string) }
    claims["idp"] = user.identityProvider.map(JSONValue.string)
    if isEntra {
      claims["preferred_username"] = .string(user.email)
    } else {
      claims["at_hash"] = accessToken.flatMap { key.algorithm.tokenHash(of: Secret($0)) }.map(JSONValue.string)
    }
    if shape == .b2c {
      claims["emails"] = .array([.string(user.email)])
      if grant.isNewUser, !call.isRefresh { claims["newUser"] = .bool(true) }
    } else {
      claims["email"] = .string(user.email)
    }
    claims.merge(user.claims) { $1 }
    let behavior = behavior
    behavior.changeIDTokenClaims?(&claims)
    return try behavior.signIDToken?(claims, key) ?? key.token(claims: claims)
  }

  func signedAccessToken(
    _ grant: LocalGrant, of user: LocalUser, _ scopes: LocalScopes, audience: String, _ call: LocalTenantCall
  ) throws -> String {
    var claims = commonClaims(grant, of: user, audience: audience, call)
    // Azure AD B2C has the scopes' last parts only; a token for the client itself has none.
    let names = scopes.resourceScopes.filter { $0.lowercased() != clientID.lowercased() }
      .compactMap { $0.split(separator: "/").last.map(String.init) }
    if !names.isEmpty { claims["scp"] = .string(names.joined(separator: " ")) }
    claims["azp"] = .string(call.form["client_id"] ?? clientID)
    // Makes two tokens of the same second differ, as real ones do.
    claims["uti"] = .string(RandomText.guid())
    behavior.changeAccessTokenClaims?(&claims)
    return try signingKey().token(claims: claims)
  }

  private func signingKey() throws -> TestSigningKey {
    guard let key = signingKeys.first else { throw LocalRefusal.malformed("no signing key", error: "server_error") }
    return key
  }

  private func commonClaims(
    _ grant: LocalGrant, of user: LocalUser, audience: String, _ call: LocalTenantCall
  ) -> [String: JSONValue] {
    let issuedAt = call.now.epoch
    var claims: [String: JSONValue] = [
      "iss": .string(issuer(origin: call.origin)), "sub": .string(user.id), "aud": .string(audience),
      "iat": .integer(issuedAt), "exp": .integer(issuedAt + accessTokenLifetime.components.seconds),
      "name": .string(user.displayName),
    ]
    guard shape != .openIDConnect else { return claims }
    claims["nbf"] = .integer(issuedAt)
    claims["oid"] = .string(user.id)
    claims["ver"] = .string(shape == .b2c ? "1.0" : "2.0")
    claims["tfp"] = grant.policyID.map(JSONValue.string)
    if isEntra { claims["tid"] = .string(tenantID) }
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
    let keys = signingKeys
    guard let token = try? IDToken(compact: Secret(token)), let claims = try? token.unverifiedClaims(),
      let set = try? JWKSet(json: LocalJSON.data(["keys": keys.map(\.jwk)])),
      (try? IDTokenVerifier().verifySignature(of: token, keys: set, allowed: Set(keys.map(\.algorithm)))) != nil,
      let issuer = claims["iss"]?.string, issuers.contains(issuer),
      let audience = claims["aud"]?.string?.lowercased(), audiences.contains(where: { $0.lowercased() == audience }),
      let end = claims["exp"]?.double, time < end, (claims["nbf"]?.double ?? time).rounded(.down) <= time,
      // Only access tokens say which client they were given to.
      claims["azp"] != nil
    else { return nil }
    return claims
  }
}
