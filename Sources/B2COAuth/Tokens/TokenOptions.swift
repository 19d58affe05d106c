public import Foundation

/// What a silent token call may ask for beyond the settings.
public struct TokenOptions: Sendable {
  /// Whether the cached token is passed over and replaced (the sample's `clearingCache`).
  public var clearingCache: Bool
  /// A token the API has refused; if it is the cached one, it is replaced.
  public var refused: Secret?
  /// Further form parameters for the token request; names of the protocol's own are refused.
  public var extraParameters: [String: String]
  /// The correlation id; the configuration's, else a fresh one, when `nil`.
  public var correlationID: UUID?

  /// Makes options; every one has a default.
  ///
  /// - Parameters:
  ///   - clearingCache: Whether the cached token is passed over and replaced.
  ///   - refused: A token the API has refused.
  ///   - extraParameters: Further form parameters for the token request.
  ///   - correlationID: The correlation id.
  public init(
    clearingCache: Bool = false, refused: Secret? = nil, extraParameters: [String: String] = [:],
    correlationID: UUID? = nil
  ) {
    self.clearingCache = clearingCache
    self.refused = refused
    self.extraParameters = extraParameters
    self.correlationID = correlationID
  }
}
