package import B2CTokenCache

/// The key by which requests share one refresh: user, scopes and claims.
package struct TokenFlight: Hashable, Sendable {
  let key: TokenCacheKey
  let scopes: Set<String>
  /// Escaped to ASCII, because Swift takes two forms of `é` for the same text.
  let claims: String?

  package init(key: TokenCacheKey, scopes: Set<String>, claims: String?) {
    self.key = key
    self.scopes = scopes
    self.claims = claims
  }

  /// A refresh counts as a try for its scopes, whatever claims it asked for.
  var withoutClaims: TokenFlight { TokenFlight(key: key, scopes: scopes, claims: nil) }
}
