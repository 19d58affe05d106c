package import B2CCore
package import B2CTokenCache
package import Foundation

extension TokenRecord {
  /// The access token that covers the wanted scopes and lasts long enough, if there is one.
  ///
  /// Of the margin before its end at most half of a token's life counts, so that short tokens are used at all. A negative
  /// margin counts as zero, so that no expired token is used. Excluded tokens are known to be bad or not wanted. A token that
  /// is used to its end is not renewed when the server suggests it.
  package func usableToken(
    covering scopes: [String], now: Date, margin: TimeInterval, isToTheEnd: Bool, excluding excluded: [Secret]
  ) -> CachedAccessToken? {
    accessTokens.first { entry in
      let life = entry.expiresAt.timeIntervalSince(entry.receivedAt)
      return entry.covers(scopes) && !excluded.contains(entry.token)
        && entry.expiresAt.timeIntervalSince(now) > max(0, min(margin, life / 2))
        && (isToTheEnd || entry.refreshAt.map { now < $0 } ?? true)
    }
  }

  /// The access token that covers the wanted scopes and has not expired, though it should be renewed.
  package func unexpiredToken(covering scopes: [String], now: Date, excluding excluded: [Secret]) -> CachedAccessToken?
  {
    accessTokens.first { $0.covers(scopes) && !excluded.contains($0.token) && $0.expiresAt > now }
  }

  /// Whether the record can still get or give tokens.
  package func hasSession(now: Date) -> Bool {
    if refreshToken != nil, refreshTokenExpiresAt.map({ $0 > now }) ?? true { return true }
    if accessTokens.contains(where: { $0.expiresAt > now }) { return true }
    // A sign-in that asked for neither an API nor offline access leaves an id_token alone.
    guard accessTokens.isEmpty, idToken != nil, let end = claims["exp"]?.double else { return false }
    return Date(timeIntervalSince1970: end) > now
  }
}

extension CachedAccessToken {
  /// Whether the token is the answer to a request for these scopes.
  ///
  /// A server may grant fewer scopes than were asked for. Asking again would bring the same, so what was asked for counts.
  package func covers(_ wanted: [String]) -> Bool {
    // Nearly every call wants exactly what was asked for (benchmark row 1).
    let isAsked = { (scope: String) in
      requestedScopes.firstIndex(of: scope).map { ASCIIText.isSame(requestedScopes[$0], scope) } == true
    }
    if wanted.count == requestedScopes.count, wanted.allSatisfy(isAsked) { return true }
    return Scopes.ofAPI(wanted).isSubset(of: Scopes.ofAPI(scopes.union(requestedScopes)))
  }
}
