public import B2CCore
public import Foundation

/// An access token with its scopes, its expiry and its user.
public struct AccessToken: Sendable, Hashable {
  /// The token.
  ///
  /// Send it in an `Authorization: Bearer` header, to the API it is meant for and to no other.
  public let token: Secret
  /// The scopes it was granted for; the server may have granted fewer than were asked for.
  public let scopes: Set<String>
  /// The expiry, by this device's clock.
  public let expiresAt: Date
  /// The id of its user, ``UserInfo/id``.
  public let userID: String

  /// Makes a token, for a preview or a fake of an app.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - scopes: The scopes it was granted for.
  ///   - expiresAt: The expiry, by this device's clock.
  ///   - userID: The id of its user.
  public init(token: Secret, scopes: Set<String>, expiresAt: Date, userID: String) {
    self.token = token
    self.scopes = scopes
    self.expiresAt = expiresAt
    self.userID = userID
  }

  init(_ cached: CachedAccessToken, userID: String) {
    self.init(token: cached.token, scopes: cached.scopes, expiresAt: cached.expiresAt, userID: userID)
  }
}

extension AccessToken: Redacted {
  /// The scopes, as far as they look like scopes, and the expiry.
  public var description: String {
    "AccessToken(\(PrintableText().show(scopes.sorted().joined(separator: " ")) ?? "no scopes"), expires \(expiresAt))"
  }
}
