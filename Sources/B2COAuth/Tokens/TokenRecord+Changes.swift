internal import B2CCore
internal import B2CIDToken
internal import Foundation

extension TokenRecord {
  /// The granted scopes, as the server or the request wrote them.
  var grantedScopes: Set<String> { accessTokens.reduce(into: []) { $0.formUnion($1.scopes) } }

  /// Returns the scopes to name in a refresh, or `nil` to name none and get the granted ones again.
  ///
  /// A refresh must not name a scope that the user was asked for but did not grant (RFC 6749 section 6). Microsoft's
  /// services expect the whole list each time, including `openid` and `offline_access`.
  func scopesToRenew(_ scopes: [String], isMicrosoft: Bool) -> [String]? {
    guard !isMicrosoft else { return Scopes.forRequest(scopes, offlineAccess: true) }
    let granted = Set(grantedScopes.map(Scopes.key))
    let wanted = Scopes.forRequest(scopes, offlineAccess: granted.contains("offline_access"))
    guard !granted.isEmpty else { return wanted }
    let asked = Scopes.ofAPI(accessTokens.flatMap(\.requestedScopes))
    let known = asked.union(Scopes.reserved)
    let named = wanted.filter { granted.contains(Scopes.key($0)) || !known.contains(Scopes.key($0)) }
    // If the server grants scopes under other names, a missing name does not show whether the scope was granted. Then
    // no scope is named, so that none is lost.
    let hasOtherNames = !Scopes.ofAPI(grantedScopes).isSubset(of: asked)
    let loses =
      named.count < wanted.count
      && (hasOtherNames || (Scopes.includeAPIScope(wanted) && !Scopes.includeAPIScope(named)))
    return loses ? nil : named
  }

  /// The issuer that the id_token named, or `nil` if only the userinfo endpoint has named the user.
  var issuer: String? { IDTokenClaims.identifiers(in: claims)["iss"] }

  /// The policy that signed the user in, in the developer's spelling.
  var policy: Policy? { policyID.flatMap { try? Policy($0) } }
}

/// The tokens that a response granted, with everything that a record needs to store them.
struct GrantedTokens: Sendable {
  let response: TokenResponse
  /// The scopes that the caller wants.
  let requested: [String]
  /// The scopes that count as granted if the response names none (RFC 6749 section 5.1).
  let sent: [String]
  /// The time when the response arrived.
  let at: Date
  /// The claims of the accepted id_token, or `nil` if the record keeps its own.
  let claims: [String: JSONValue]?
  /// Whether the claims also replace the record's standard claims, as they do at Microsoft's authorities.
  var replacesStandardClaims = true
}

extension TokenRecord {
  /// The standard claims of OpenID Connect Core section 5.1, without `sub`.
  private static let standardClaims = [
    "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "profile", "picture",
    "website", "email", "email_verified", "gender", "birthdate", "zoneinfo", "locale", "phone_number",
    "phone_number_verified", "address", "updated_at",
  ]

  /// Returns the record after a token response, with the new tokens in place of those that they replace.
  ///
  /// The refresh token of the response is always stored, because the previous one has been used. The claims of its
  /// id_token replace the record's, so that a role that the provider took away disappears. If the new token does not
  /// repeat who the user is or how the user signed in, the record keeps these claims. At providers other than
  /// Microsoft's it also keeps the standard claims, because many of them send name and address only at the sign-in.
  func taking(_ granted: GrantedTokens) -> TokenRecord {
    var copy = self
    copy.isEnded = false
    let (response, now) = (granted.response, granted.at)
    if let refreshToken = response.refreshToken {
      copy.refreshToken = refreshToken
      copy.refreshTokenExpiresAt = response.refreshTokenLifetime.map { now.addingTimeInterval($0) }
    }
    if let token = response.accessToken {
      var entry = CachedAccessToken(
        token: token, scopes: Set(response.scopes ?? granted.sent), receivedAt: now,
        expiresAt: now.addingTimeInterval(response.lifetime),
        refreshAt: response.refreshIn.map { now.addingTimeInterval($0) })
      entry.requestedScopes = Set(granted.requested)
      // The newest token is the first. Tokens that it covers and tokens that have expired are not needed any more.
      copy.accessTokens =
        [entry]
        + copy.accessTokens.filter { $0.expiresAt > now && !entry.covers(Array($0.requestedScopes.union($0.scopes))) }
    }
    if let claims = granted.claims, let idToken = response.idToken {
      copy.idToken = idToken
      copy.claims = claims
      // An id_token of a refresh need not repeat how the user signed in (OpenID Connect Core 12.2), so keep that.
      let kept =
        ["nonce", "auth_time", "acr", "amr", "idp"] + (granted.replacesStandardClaims ? [] : Self.standardClaims)
      for name in kept where (claims[name] ?? .null) == .null { copy.claims[name] = self.claims[name] }
      let named = IDTokenClaims.identifiers(in: claims)
      for name in ["iss", "sub", "oid", "tid"] where named[name] == nil { copy.claims[name] = self.claims[name] }
      // The record's `email_verified` is about the old address, so for a new address only the new token's value counts.
      for name in ["email", "phone_number"] where copy.claims[name] != self.claims[name] {
        copy.claims[name + "_verified"] = claims[name + "_verified"]
      }
    }
    return copy
  }

  /// Returns the record with the claims of a profile edit laid over its own, until the next refresh.
  ///
  /// The claims that describe a token are kept.
  func adopting(_ new: [String: JSONValue]) -> TokenRecord {
    var copy = self
    copy.claims.merge(TokenClaims.aboutPerson(new)) { _, new in new }
    return copy
  }

  /// Returns the record of an ended session, which keeps the claims, so that an app can still name the user.
  func ending() -> TokenRecord {
    var copy = self
    copy.refreshToken = nil
    copy.refreshTokenExpiresAt = nil
    copy.accessTokens = []
    copy.idToken = nil
    copy.isEnded = true
    return copy
  }
}
