public import B2CCore
public import Foundation

/// An access token with what a caller may want to know of it.
public struct AccessToken: Sendable, Hashable {
  /// The token.
  ///
  /// Send it in an `Authorization: Bearer` header, to the API it is meant for and to no other.
  public let token: Secret
  /// The scopes it was granted for; the server may have granted fewer than were asked for.
  public let scopes: Set<String>
  /// When it ends, by this device's clock.
  public let expiresAt: Date
  /// The id of its account, ``Account/id``.
  public let accountID: String

  /// Makes a token, for a preview or a fake of an app.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - scopes: The scopes it was granted for.
  ///   - expiresAt: When it ends, by this device's clock.
  ///   - accountID: The id of its account.
  public init(token: Secret, scopes: Set<String>, expiresAt: Date, accountID: String) {
    self.token = token
    self.scopes = scopes
    self.expiresAt = expiresAt
    self.accountID = accountID
  }

  init(_ cached: CachedAccessToken, accountID: String) {
    self.init(token: cached.token, scopes: cached.scopes, expiresAt: cached.expiresAt, accountID: accountID)
  }
}

extension AccessToken: Redacted {
  /// The scopes, as far as they look like scopes, and the expiry.
  public var description: String {
    "AccessToken(\(PrintableText().show(scopes.sorted().joined(separator: " ")) ?? "no scopes"), expires \(expiresAt))"
  }
}

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
