internal import B2CCore
internal import B2CIDToken
internal import Foundation

extension TokenRecord {
  /// The scopes that were granted, as the server or the request wrote them.
  var grantedScopes: Set<String> { accessTokens.reduce(into: []) { $0.formUnion($1.scopes) } }

  /// The scopes to name in a refresh; `nil` to name none, which asks for those that were granted.
  ///
  /// A refresh must not name what the user was asked for and did not grant (RFC 6749 section 6). Microsoft's services take
  /// the whole list each time, and need `openid` and `offline_access` in it.
  func scopesToRenew(_ scopes: [String], isMicrosoft: Bool) -> [String]? {
    guard !isMicrosoft else { return Scopes.forRequest(scopes, offlineAccess: true) }
    let granted = Set(grantedScopes.map(Scopes.key))
    let wanted = Scopes.forRequest(scopes, offlineAccess: granted.contains("offline_access"))
    guard !granted.isEmpty else { return wanted }
    let asked = Scopes.ofAPI(accessTokens.flatMap(\.requestedScopes))
    let known = asked.union(Scopes.reserved)
    let named = wanted.filter { granted.contains(Scopes.key($0)) || !known.contains(Scopes.key($0)) }
    // A scope that was granted by another name cannot be told from one that was not granted.
    let hasOtherNames = !Scopes.ofAPI(grantedScopes).isSubset(of: asked)
    let loses =
      named.count < wanted.count
      && (hasOtherNames || (Scopes.includeAPIScope(wanted) && !Scopes.includeAPIScope(named)))
    return loses ? nil : named
  }

  /// The issuer that the id_token named; `nil` for a user whom only the userinfo endpoint has named.
  var issuer: String? { IDTokenClaims.identifiers(in: claims)["iss"] }

  /// The policy that signed in, in the case the developer wrote it.
  var policy: Policy? { policyID.flatMap { try? Policy($0) } }
}

/// The tokens that a response has granted, as a record takes them.
struct GrantedTokens: Sendable {
  let response: TokenResponse
  /// The scopes that the caller wants.
  let requested: [String]
  /// The scopes that count as granted where the answer names none (RFC 6749 section 5.1).
  let sent: [String]
  /// When the answer came.
  let at: Date
  /// The claims of its accepted id_token; `nil` where those of the record stay.
  let claims: [String: JSONValue]?
  /// Whether the claims replace the record's standard claims too, as at Microsoft's authorities.
  var replacesStandardClaims = true
}

/// The changes of a record.
extension TokenRecord {
  /// The standard claims of OpenID Connect Core section 5.1, without `sub`.
  private static let standardClaims = [
    "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "profile", "picture",
    "website", "email", "email_verified", "gender", "birthdate", "zoneinfo", "locale", "phone_number",
    "phone_number_verified", "address", "updated_at",
  ]

  /// The record after a token answer: the new tokens in place of those they replace, the rest kept.
  ///
  /// The refresh token that the answer brought is always taken: the one before has been used. The claims of its id_token
  /// replace the record's, so that a role which the server took away is gone. The record keeps who the user is and how the
  /// user signed in if the new token does not repeat it. At providers other than Microsoft's it also keeps the standard
  /// claims, because many of these send name and address at the sign-in only.
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
      // The newest comes first; what it covers, and what has expired, is not needed any more.
      copy.accessTokens =
        [entry]
        + copy.accessTokens.filter { $0.expiresAt > now && !entry.covers(Array($0.requestedScopes.union($0.scopes))) }
    }
    if let claims = granted.claims, let idToken = response.idToken {
      copy.idToken = idToken
      copy.claims = claims
      // An id_token of a refresh need not repeat how the user signed in (OpenID Connect Core section 12.2).
      let kept =
        ["nonce", "auth_time", "acr", "amr", "idp"] + (granted.replacesStandardClaims ? [] : Self.standardClaims)
      for name in kept where (claims[name] ?? .null) == .null { copy.claims[name] = self.claims[name] }
      let named = IDTokenClaims.identifiers(in: claims)
      for name in ["iss", "sub", "oid", "tid"] where named[name] == nil { copy.claims[name] = self.claims[name] }
      // The provider has verified the old address, and not the new one.
      for name in ["email", "phone_number"] where copy.claims[name] != self.claims[name] {
        copy.claims[name + "_verified"] = claims[name + "_verified"]
      }
    }
    return copy
  }

  /// The record with the claims of an edit laid over its own, until the next refresh; those that describe a token stay.
  func adopting(_ new: [String: JSONValue]) -> TokenRecord {
    var copy = self
    copy.claims.merge(TokenClaims.aboutPerson(new)) { _, new in new }
    return copy
  }

  /// The record of a session that a definite answer has ended: without tokens; who it was stays known.
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
