package import B2CTokenCache

/// The key by which requests share one refresh: user, scopes and claims.
package struct TokenFlight: Hashable, Sendable {
  let key: TokenCacheKey
  let scopes: Set<String>
  /// The claims request, escaped to ASCII because Swift treats two spellings of `é` as the same text.
  let claims: String?

  package init(key: TokenCacheKey, scopes: Set<String>, claims: String?) {
    self.key = key
    self.scopes = scopes
    self.claims = claims
  }

  /// The flight without its claims, because a refresh counts as a try for its scopes whatever claims it asked for.
  var withoutClaims: TokenFlight { TokenFlight(key: key, scopes: scopes, claims: nil) }
}
