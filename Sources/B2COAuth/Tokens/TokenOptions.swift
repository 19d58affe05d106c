package import B2CCore
package import Foundation

/// Options of a silent token call.
package struct TokenOptions: Sendable {
  /// Whether to ignore the cached token and refresh (ADAL's `clearingCache`).
  package var forceRefresh = false
  /// A token that the API has refused; if it is the cached one, it is replaced.
  package var refused: Secret?
  /// A claims request, a JSON object as text, such as a claims challenge of an API: the token is refreshed to satisfy it.
  package var claims: String?
  /// Further form parameters for the token request; names of the protocol's own are refused.
  package var extraParameters: [String: String] = [:]
  /// The correlation id; the configuration's, else a new one, when `nil`.
  package var correlationID: UUID?

  /// Makes options that ask for nothing special.
  package init() {}

  /// Makes options; the others keep their defaults.
  ///
  /// - Parameters:
  ///   - forceRefresh: Whether to ignore the cached token and refresh.
  ///   - refused: A token that the API has refused.
  ///   - claims: A claims request as JSON text.
  ///   - extraParameters: Further form parameters for the token request.
  ///   - correlationID: The correlation id.
  package init(
    forceRefresh: Bool = false, refused: Secret? = nil, claims: String? = nil, extraParameters: [String: String] = [:],
    correlationID: UUID? = nil
  ) {
    self.forceRefresh = forceRefresh
    self.refused = refused
    self.claims = claims
    self.extraParameters = extraParameters
    self.correlationID = correlationID
  }
}
