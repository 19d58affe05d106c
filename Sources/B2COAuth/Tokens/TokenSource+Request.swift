internal import B2CCore
internal import Foundation

extension TokenSource {
  /// A request for a new access token; requests with an equal ``flight`` share one refresh.
  struct Request: Sendable {
    let flight: Flight
    let scopes: [String]
    /// Tokens that are known to be bad or not wanted.
    let excluded: [Secret]
    let policy: Policy?
    let correlationID: UUID
    /// Tells its refresh from others among ``SentRefreshes``.
    let id = UUID()
    /// Whether a token that another refresh has brought does not do.
    var isRenewal: Bool { flight.renewal != nil }

    var key: TokenCacheKey { flight.key }
  }

  /// What two requests have in common that share a refresh.
  struct Flight: Hashable, Sendable {
    let key: TokenCacheKey
    let scopes: Set<String>
    let extra: [FormField]
    /// Keeps a renewal from joining a refresh that began before its reason.
    var renewal: UUID?
  }
}
