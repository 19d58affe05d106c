internal import B2CCore
internal import Foundation

extension TokenRecord {
  /// The access token that covers the wanted scopes and lasts long enough, if there is one.
  ///
  /// Of the margin before its end at most half of a token's life counts, so that short tokens are used at all; what is
  /// passed over is known to be bad or not wanted.
  func usableToken(
    covering scopes: [String], now: Date, margin: TimeInterval, passingOver: Set<Secret>
  ) -> CachedAccessToken? {
    accessTokens.first { entry in
      let life = entry.expiresAt.timeIntervalSince(entry.receivedAt)
      return entry.covers(scopes) && !passingOver.contains(entry.token)
        && entry.expiresAt.timeIntervalSince(now) > min(margin, life / 2)
        && (entry.refreshAt.map { now < $0 } ?? true)
    }
  }

  /// The access token that covers the wanted scopes and has not ended, though it should be renewed.
  func unexpiredToken(covering scopes: [String], now: Date, passingOver: Set<Secret>) -> CachedAccessToken? {
    accessTokens.first { $0.covers(scopes) && !passingOver.contains($0.token) && $0.expiresAt > now }
  }

  /// The scopes to name when the refresh token is spent.
  ///
  /// A refresh must not name what the user was asked for and did not grant (RFC 6749 section 6). Microsoft's services take
  /// the whole list each time, and need `openid` and `offline_access` in it.
  func scopesToRenew(_ scopes: [String], isMicrosoft: Bool) -> [String] {
    let wanted = Scopes.forRequest(scopes)
    let granted = accessTokens.reduce(into: Set<String>()) { $0.formUnion($1.scopes) }
    guard !isMicrosoft, !granted.isEmpty else { return wanted }
    let asked = accessTokens.reduce(into: Set(Scopes.forRequest([]))) { $0.formUnion($1.requestedScopes) }
    return wanted.filter { granted.contains($0) || !asked.contains($0) }
  }

  /// The record after a token answer: the new tokens in place of those they replace, the rest kept.
  func merging(_ response: TokenResponse, requested scopes: [String], now: Date) -> TokenRecord {
    var copy = self
    if let refreshToken = response.refreshToken {
      copy.refreshToken = refreshToken
      copy.refreshTokenExpiresAt = response.refreshTokenLifetime.map { now.addingTimeInterval($0) }
    }
    if let idToken = response.idToken { copy.idToken = idToken }
    if let token = response.accessToken {
      var entry = CachedAccessToken(
        token: token, scopes: Set(response.scopes ?? Scopes.forRequest(scopes)), receivedAt: now,
        expiresAt: now.addingTimeInterval(response.lifetime),
        refreshAt: response.refreshIn.map { now.addingTimeInterval($0) })
      entry.requestedScopes = Set(scopes)
      // The newest stands first; what it covers, and what has ended, is not needed any more.
      copy.accessTokens =
        [entry] + copy.accessTokens.filter { $0.expiresAt > now && !entry.covers($0.requestedScopes.union($0.scopes)) }
    }
    return copy
  }

  /// The record without anything that can get or be a token: who it was stays known.
  func endingSession() -> TokenRecord {
    var copy = self
    copy.refreshToken = nil
    copy.refreshTokenExpiresAt = nil
    copy.accessTokens = []
    return copy
  }
}

extension CachedAccessToken {
  /// Whether the token is the answer to a request for these scopes.
  ///
  /// A server may grant fewer scopes than were asked for. Asking again would bring the same, so what was asked for counts.
  func covers(_ wanted: some Sequence<String>) -> Bool {
    Scopes.cover(scopes.union(requestedScopes), wanted: wanted)
  }
}
