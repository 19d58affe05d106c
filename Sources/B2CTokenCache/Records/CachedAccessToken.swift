public import Foundation

/// An access token with what is known of it.
public struct CachedAccessToken: Sendable, Hashable {
  /// The token.
  public var token: Secret
  /// The scopes it was granted for, as the server or the request wrote them.
  public var scopes: Set<String>
  /// The scopes that were asked for; the server may have granted fewer.
  public var requestedScopes: Set<String>
  /// When it was received, by this device's clock.
  public var receivedAt: Date
  /// When it ends, by this device's clock: receipt plus the server's `expires_in`.
  public var expiresAt: Date
  /// From when on the server wants it renewed (`refresh_in`), if it said so.
  public var refreshAt: Date?
  /// Members of the stored form that this version does not know; they are written back as they came.
  public var unknownMembers: [String: JSONValue]

  /// Makes an access token entry.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - scopes: The scopes it was granted for.
  ///   - receivedAt: When it was received, by this device's clock.
  ///   - expiresAt: When it ends, by this device's clock.
  ///   - refreshAt: From when on the server wants it renewed, if it said so.
  public init(token: Secret, scopes: Set<String>, receivedAt: Date, expiresAt: Date, refreshAt: Date? = nil) {
    self.token = token
    self.scopes = scopes
    self.requestedScopes = scopes
    self.receivedAt = receivedAt
    self.expiresAt = expiresAt
    self.refreshAt = refreshAt
    self.unknownMembers = [:]
  }
}
