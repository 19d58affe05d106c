package import B2CCore
package import Foundation

/// An access token with its scopes and dates.
package struct CachedAccessToken: Sendable, Hashable {
  /// The token.
  package var token: Secret
  /// The scopes it was granted for, as the server or the request wrote them.
  package var scopes: Set<String>
  /// The scopes that were asked for; the server may have granted fewer.
  package var requestedScopes: Set<String>
  /// When it was received, by this device's clock.
  package var receivedAt: Date
  /// When it expires, by this device's clock: receipt plus the server's `expires_in`.
  package var expiresAt: Date
  /// From when on the server wants it refreshed (`refresh_in`), if it said so.
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
  /// The fields as they are stored, in a form that the compiler reads and writes.
  private struct Stored: Codable {
    let token: Secret
    let scopes: [String]?
    /// The scopes that were asked for, where others were granted.
    ///
    /// Without them a token that was granted for fewer scopes would be refreshed at each launch.
    let asked: [String]?
    let received: Double
    let until: Double
    let renew: Double?
  }

  /// Reads an access token in its stored form.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` when a field has an unexpected type or a required one is missing.
  package init(from decoder: any Decoder) throws {
    let stored = try Stored(from: decoder)
    self.init(
      token: stored.token, scopes: Set(stored.scopes ?? []),
      receivedAt: Date(timeIntervalSince1970: stored.received), expiresAt: Date(timeIntervalSince1970: stored.until),
      refreshAt: stored.renew.map(Date.init(timeIntervalSince1970:)))
    if let asked = stored.asked { requestedScopes = Set(asked) }
  }

  /// Writes the access token in its stored form.
  ///
  /// - Parameter encoder: The encoder to write to; its output is as secret as the token.
  /// - Throws: `EncodingError` when a value cannot be written, such as a number that is not finite.
  package func encode(to encoder: any Encoder) throws {
    // Sorted, so that the same record is the same bytes.
    try Stored(
      token: token, scopes: scopes.sorted(), asked: requestedScopes == scopes ? nil : requestedScopes.sorted(),
      received: receivedAt.timeIntervalSince1970, until: expiresAt.timeIntervalSince1970,
      renew: refreshAt?.timeIntervalSince1970
    ).encode(to: encoder)
  }
}

extension CachedAccessToken: Redacted {
  /// The scopes and the expiry.
  package var description: String {
    "CachedAccessToken(\(PrintableText().show(scopes.sorted().joined(separator: " ")) ?? "no scopes"), expires \(expiresAt))"
  }
}
