package import B2CCore
internal import B2CIDToken
package import B2CTokenCache
package import Foundation

/// The access token that a record offers for a request.
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
  /// Returns the access token that the record offers for a request.
  ///
  /// - Parameters:
  ///   - scopes: The scopes that the token must cover.
  ///   - now: The current time.
  ///   - margin: How many seconds before its expiry a token is renewed. At most half of its lifetime counts, so that
  ///     short-lived tokens can be used, and at least zero, so that no expired token is used.
  ///   - isToTheEnd: Whether to ignore the server's hint to renew a token earlier.
  ///   - excluded: The tokens that the caller does not want.
  /// - Returns: The first token that lasts long enough, or else the first one that has not expired.
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

  /// Whether the record has an access token that can be used, or can get one.
  package func hasSession(now: Date) -> Bool {
    if refreshToken != nil, refreshTokenExpiresAt.map({ $0 > now }) ?? true { return true }
    if accessTokens.contains(where: { $0.expiresAt > now }) { return true }
    // A sign-in without scopes of an API and without `offline_access` leaves only an id_token, which then decides.
    guard accessTokens.isEmpty, idToken != nil else { return false }
    return claims["exp"].flatMap(NumericDate.date).map { $0 > now } ?? false
  }
}

extension CachedAccessToken {
  /// Whether the token can be used for a request with these scopes.
  ///
  /// A server may grant fewer scopes than requested. A new request would have the same result, so the requested scopes
  /// count as well.
  package func covers(_ wanted: [String]) -> Bool {
    // Nearly every call wants exactly the requested scopes and needs no sets (row 1 of the benchmarks).
    let isAsked = { (scope: String) in
      requestedScopes.firstIndex(of: scope).map { ASCIIText.isSame(requestedScopes[$0], scope) } == true
    }
    if wanted.count == requestedScopes.count, wanted.allSatisfy(isAsked) { return true }
    return Scopes.ofAPI(wanted).isSubset(of: Scopes.ofAPI(scopes.union(requestedScopes)))
  }
}
