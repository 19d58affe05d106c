package import B2CCore
internal import B2CIDToken
internal import Foundation

/// The two kinds of token, claim by claim.
extension LocalTenant {
  func signedIDToken(
    _ grant: LocalGrant, of user: LocalUser, accessToken: String?, _ call: LocalTenantCall
  ) throws -> String {
    let key = try signingKey()
    let tokenHash = isEntra ? nil : accessToken.flatMap { key.algorithm.tokenHash(of: Secret($0)) }
    let email = JSONValue.string(user.email)
    let isNewUser = shape == .b2c && grant.isNewUser && !call.isRefresh
    var claims = claims(
      grant, of: user, audience: call.form["client_id"] ?? clientID, call,
      own: [
        "auth_time": .integer(grant.authenticatedAt.epoch), "at_hash": tokenHash.map(JSONValue.string),
        "nonce": call.isRefresh ? nil : grant.request["nonce"].map(JSONValue.string),
        "idp": user.identityProvider.map(JSONValue.string), "preferred_username": isEntra ? email : nil,
        "emails": shape == .b2c ? .array([email]) : nil, "email": shape == .b2c ? nil : email,
        "newUser": isNewUser ? true : nil,
      ])
    claims.merge(user.claims) { $1 }
    let behavior = behavior
    behavior.changeIDTokenClaims?(&claims)
    return try behavior.signIDToken?(claims, key) ?? key.token(claims: claims)
  }

  func signedAccessToken(
    _ grant: LocalGrant, of user: LocalUser, _ scopes: LocalScopes, audience: String, _ call: LocalTenantCall
  ) throws -> String {
    // Azure AD B2C has the scopes' last parts only; a token for the client itself has none.
    let names = scopes.resourceScopes.filter { $0.lowercased() != clientID.lowercased() }
      .compactMap { $0.split(separator: "/").last.map(String.init) }
    var claims = claims(
      grant, of: user, audience: audience, call,
      own: [
        "scp": names.isEmpty ? nil : .string(names.joined(separator: " ")),
        "azp": .string(call.form["client_id"] ?? clientID),
        // Makes two tokens of the same second differ, as real ones do.
        "uti": .string(RandomText.guid()),
      ])
    behavior.changeAccessTokenClaims?(&claims)
    return try signingKey().token(claims: claims)
  }

  private func signingKey() throws -> TestSigningKey {
    guard let key = signingKeys.first else { throw LocalRefusal.malformed("no signing key", error: "server_error") }
    return key
  }

  /// The claims that both kinds have, and those of one kind.
  private func claims(
    _ grant: LocalGrant, of user: LocalUser, audience: String, _ call: LocalTenantCall, own: [String: JSONValue?]
  ) -> [String: JSONValue] {
    let (issuedAt, isPlain) = (call.now.epoch, shape == .openIDConnect)
    let common: [String: JSONValue?] = [
      "iss": .string(issuer(origin: call.origin)), "sub": .string(user.id), "aud": .string(audience),
      "iat": .integer(issuedAt), "exp": .integer(issuedAt + accessTokenLifetime.components.seconds),
      "name": .string(user.displayName), "nbf": isPlain ? nil : .integer(issuedAt),
      "oid": isPlain ? nil : .string(user.id), "ver": isPlain ? nil : .string(shape == .b2c ? "1.0" : "2.0"),
      "tfp": grant.policyID.map(JSONValue.string), "tid": isEntra ? .string(tenantID) : nil,
    ]
    return common.merging(own) { $1 }.compactMapValues(\.self)
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
      (try? token.verifySignature(keys: set, allowed: Set(keys.map(\.algorithm)))) != nil,
      let issuer = claims["iss"]?.string, issuers.contains(issuer),
      let audience = claims["aud"]?.string?.lowercased(), audiences.contains(where: { $0.lowercased() == audience }),
      let end = claims["exp"]?.double, time < end, (claims["nbf"]?.double ?? time).rounded(.down) <= time,
      // Only access tokens say which client they were given to.
      claims["azp"] != nil
    else { return nil }
    return claims
  }
}
