public import Foundation

/// Options of a silent token call.
public struct TokenOptions: Sendable {
  /// Whether to ignore the cached token and refresh (ADAL's `clearingCache`).
  public var forceRefresh = false
  /// A token that the API has refused; if it is the cached one, it is replaced.
  public var refused: Secret?
  /// A claims request as JSON text, such as a claims challenge of an API: the token is refreshed to satisfy it.
  public var claims: String?
  /// Further form parameters for the token request; names of the protocol's own are refused.
  public var extraParameters: [String: String] = [:]
  /// The correlation id; the configuration's, else a new one, when `nil`.
  public var correlationID: UUID?

  /// Makes options that ask for nothing special.
  public init() {}

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
