public import B2CCore
public import Foundation

/// An access token with its scopes, its expiry and its user.
public struct AccessToken: Sendable, Hashable {
  /// The token.
  ///
  /// Send it in an `Authorization: Bearer` header, and only to the API that it is meant for.
  public let token: Secret
  /// The scopes that the server granted, which may be fewer than the requested ones.
  public let scopes: Set<String>
  /// The time when the token expires, by this device's clock.
  public let expiresAt: Date
  /// The ``UserInfo/id`` of the token's user.
  public let userID: String

  /// Creates a token for a preview or a fake of your app.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - scopes: The granted scopes.
  ///   - expiresAt: The time when the token expires, by this device's clock.
  ///   - userID: The ``UserInfo/id`` of the token's user.
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
  /// The scopes, unless they look like a secret, and the expiry.
  public var description: String {
    "AccessToken(\(PrintableText().show(scopes.sorted().joined(separator: " ")) ?? "no scopes"), expires \(expiresAt))"
  }
}
