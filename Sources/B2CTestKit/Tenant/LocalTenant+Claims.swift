package import B2CCore
internal import B2CIDToken
internal import Foundation

/// The claims of id_tokens and access tokens.
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
    // Azure AD B2C puts only the last part of each scope into `scp`. A token whose audience is the app itself has none.
    let names = scopes.resourceScopes.filter { $0.lowercased() != clientID.lowercased() }
      .compactMap { $0.split(separator: "/").last.map(String.init) }
    var claims = claims(
      grant, of: user, audience: audience, call,
      own: [
        "scp": names.isEmpty ? nil : .string(names.joined(separator: " ")),
        "azp": .string(call.form["client_id"] ?? clientID),
        // Without a random claim, two tokens that are issued in the same second would be equal, but real ones differ.
        "uti": .string(RandomText.guid()),
      ])
    behavior.changeAccessTokenClaims?(&claims)
    return try signingKey().token(claims: claims)
  }

  private func signingKey() throws -> TestSigningKey {
    guard let key = signingKeys.first else { throw LocalRefusal.malformed("no signing key", error: "server_error") }
    return key
  }

  /// Returns the claims that both kinds of token have, and the given claims of one kind.
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
  /// Returns the user of an access token, which is checked as an API of the tenant checks it.
  ///
  /// The token's signature, issuer, audience and lifetime are checked. An id_token is refused even if its audience
  /// fits. Use this in your own ``LocalService`` to authorize requests.
  ///
  /// - Parameters:
  ///   - accessToken: The access token.
  ///   - audiences: The client IDs that the API accepts as audience, in any case.
  /// - Returns: The user of the token, or `nil` if an API must refuse the token.
  public func user(accessToken: String, audiences: Set<String>) -> LocalUser? {
    claims(ofAccessToken: accessToken, audiences: audiences).flatMap { user(id: $0["sub"]?.string ?? "") }
  }

  /// Returns the claims of an access token, or `nil` if an API must refuse it.
  package func claims(ofAccessToken token: String, audiences: Set<String>) -> [String: JSONValue]? {
    let time = now().timeIntervalSince1970
    let keys = signingKeys
    guard let token = try? IDToken(compact: Secret(token)), let claims = try? token.unverifiedClaims(),
      let set = try? JWKSet(json: LocalJSON.data(["keys": keys.map(\.jwk)])),
      (try? token.verifySignature(keys: set, allowed: Set(keys.map(\.algorithm)))) != nil,
      let issuer = claims["iss"]?.string, issuers.contains(issuer),
      let audience = claims["aud"]?.string?.lowercased(), audiences.contains(where: { $0.lowercased() == audience }),
      let end = claims["exp"]?.double, time < end, (claims["nbf"]?.double ?? time).rounded(.down) <= time,
      // An id_token would pass the checks above if its audience fits, but it has no `azp`, which access tokens have.
      claims["azp"] != nil
    else { return nil }
    return claims
  }
}
