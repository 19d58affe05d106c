package import B2CCore
package import Foundation

/// An access token with its scopes and dates.
package struct CachedAccessToken: Sendable, Hashable {
  /// The token.
  package var token: Secret
  /// The scopes that the token was granted for, as the server or the request wrote them.
  package var scopes: Set<String>
  /// The scopes that were requested, of which the server may have granted fewer.
  package var requestedScopes: Set<String>
  /// The date when it was received, by this device's clock.
  package var receivedAt: Date
  /// The date when it expires, by this device's clock: the receipt plus the server's `expires_in`.
  package var expiresAt: Date
  /// The date from which on the server wants it refreshed (`refresh_in`), or `nil` if the server named none.
  package var refreshAt: Date?

  package init(token: Secret, scopes: Set<String>, receivedAt: Date, expiresAt: Date, refreshAt: Date? = nil) {
    self.token = token
    self.scopes = scopes
    self.requestedScopes = scopes
    self.receivedAt = receivedAt
    self.expiresAt = expiresAt
    self.refreshAt = refreshAt
  }
}

extension CachedAccessToken: Codable {
  /// The fields of the stored form, whose coding the compiler writes.
  private struct Stored: Codable {
    let token: Secret
    let scopes: [String]?
    /// The requested scopes, if other scopes were granted.
    ///
    /// Without them, a token with fewer scopes than requested would never match the request, and each launch would
    /// refresh it.
    let asked: [String]?
    let received: Double
    let until: Double
    let renew: Double?
  }

  /// Decodes an access token from its stored form.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if a field is missing or has the wrong type.
  package init(from decoder: any Decoder) throws {
    let stored = try Stored(from: decoder)
    self.init(
      token: stored.token, scopes: Set(stored.scopes ?? []),
      receivedAt: Date(timeIntervalSince1970: stored.received), expiresAt: Date(timeIntervalSince1970: stored.until),
      refreshAt: stored.renew.map(Date.init(timeIntervalSince1970:)))
    if let asked = stored.asked { requestedScopes = Set(asked) }
  }

  /// Encodes the access token in its stored form.
  ///
  /// - Parameter encoder: The encoder. Its output is as secret as the token.
  /// - Throws: `EncodingError` if a value cannot be encoded, for example a number that is not finite.
  package func encode(to encoder: any Encoder) throws {
    // Sets have no order, so sort them, because the same record must always have the same bytes.
    try Stored(
      token: token, scopes: scopes.sorted(), asked: requestedScopes == scopes ? nil : requestedScopes.sorted(),
      received: receivedAt.timeIntervalSince1970, until: expiresAt.timeIntervalSince1970,
      renew: refreshAt?.timeIntervalSince1970
    ).encode(to: encoder)
  }
}

extension CachedAccessToken: Redacted {
  /// The scopes and the expiry, without the token.
  package var description: String {
    "CachedAccessToken(\(PrintableText().show(scopes.sorted().joined(separator: " ")) ?? "no scopes"), expires \(expiresAt))"
  }
}
