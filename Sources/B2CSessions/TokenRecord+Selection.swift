package import B2CCore
internal import B2CIDToken
package import B2CTokenCache
package import Foundation

/// The answer of a record to a request for an access token.
package enum TokenOffer: Sendable {
  /// A token that covers the scopes and lasts long enough.
  case usable(CachedAccessToken)
  /// A token that covers the scopes and has not expired, but should be renewed first.
  case expiring(CachedAccessToken)
  /// No token that covers the scopes and has not expired.
  case none

  /// The token, whether or not it should be renewed.
  package var token: CachedAccessToken? {
    switch self {
    case .usable(let token), .expiring(let token): token
    case .none: nil
    }
  }
}

extension TokenRecord {
  /// Returns what the record has for a request.
  ///
  /// - Parameters:
  ///   - scopes: The scopes to cover.
  ///   - now: The time.
  ///   - margin: How long before its end a token is renewed, in seconds. At most half of a token's life counts, so that short
  ///     tokens are used at all, and a negative margin counts as zero, so that no expired token is used.
  ///   - isToTheEnd: Whether a token is not renewed when the server suggests it.
  ///   - excluded: The tokens that are known to be bad or not wanted.
  /// - Returns: The first token that lasts long enough, or else the first that has not expired.
  package func offer(
    covering scopes: [String], now: Date, margin: TimeInterval, isToTheEnd: Bool, excluding excluded: [Secret]
  ) -> TokenOffer {
    var expiring = TokenOffer.none
    for entry in accessTokens
    where entry.expiresAt > now && entry.covers(scopes) && !excluded.contains(entry.token) {
      let life = entry.expiresAt.timeIntervalSince(entry.receivedAt)
      let isLong = entry.expiresAt.timeIntervalSince(now) > max(0, min(margin, life / 2))
      if isLong, isToTheEnd || entry.refreshAt.map({ now < $0 }) ?? true { return .usable(entry) }
      if expiring.token == nil { expiring = .expiring(entry) }
    }
    return expiring
  }

  /// Whether the record can still get or give tokens.
  package func hasSession(now: Date) -> Bool {
    if refreshToken != nil, refreshTokenExpiresAt.map({ $0 > now }) ?? true { return true }
    if accessTokens.contains(where: { $0.expiresAt > now }) { return true }
    // A sign-in that asked for neither an API nor offline access leaves an id_token alone.
    guard accessTokens.isEmpty, idToken != nil else { return false }
    return claims["exp"].flatMap(NumericDate.date).map { $0 > now } ?? false
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
