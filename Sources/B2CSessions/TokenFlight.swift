package import B2CCore
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

/// The flights that one answer of a user has started: each at most once, for however many callers waited for the answer.
package final class StartedFlights: Sendable {
  private let outcomes = Locked<[TokenFlight: Monitor<Result<CachedAccessToken, any Error>?>]>([:])

  package init() {}

  /// Starts a flight, or returns the one that the same answer has started before, even if that has ended.
  package func outcome(
    of flight: TokenFlight, in flights: SharedWork<TokenFlight, CachedAccessToken>,
    _ work: @escaping @Sendable () async throws -> CachedAccessToken
  ) -> Monitor<Result<CachedAccessToken, any Error>?> {
    outcomes.withLock { outcomes in
      let outcome = outcomes[flight] ?? flights.begin(flight, work)
      outcomes[flight] = outcome
      return outcome
    }
  }
}
