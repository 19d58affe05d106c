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
  /// Fields of the stored form that this version does not know; they are written back unchanged.
  package var unknownFields: [String: JSONValue]

  package init(token: Secret, scopes: Set<String>, receivedAt: Date, expiresAt: Date, refreshAt: Date? = nil) {
    self.token = token
    self.scopes = scopes
    self.requestedScopes = scopes
    self.receivedAt = receivedAt
    self.expiresAt = expiresAt
    self.refreshAt = refreshAt
    self.unknownFields = [:]
  }
}

extension CachedAccessToken: Codable {
  private enum Field {
    static let token: FieldName = "token"
    static let scopes: FieldName = "scopes"
    static let requestedScopes: FieldName = "asked"
    static let receivedAt: FieldName = "received"
    static let expiresAt: FieldName = "ends"
    static let refreshAt: FieldName = "renew"

    static let all: Set<FieldName> = [token, scopes, requestedScopes, receivedAt, expiresAt, refreshAt]
  }

  /// Reads an access token in its stored form.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` when a field has an unexpected type or a required one is missing.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: FieldName.self)
    self.init(
      token: try container.decode(Secret.self, forKey: Field.token),
      scopes: Set(try container.decodeIfPresent([String].self, forKey: Field.scopes) ?? []),
      receivedAt: Date(timeIntervalSince1970: try container.decode(Double.self, forKey: Field.receivedAt)),
      expiresAt: Date(timeIntervalSince1970: try container.decode(Double.self, forKey: Field.expiresAt)),
      refreshAt: try container.decodeIfPresent(Double.self, forKey: Field.refreshAt)
        .map(Date.init(timeIntervalSince1970:)))
    if let asked = try container.decodeIfPresent([String].self, forKey: Field.requestedScopes) {
      requestedScopes = Set(asked)
    }
    unknownFields = try container.decodeUnknown(besides: Field.all)
  }

  /// Writes the access token in its stored form.
  ///
  /// - Parameter encoder: The encoder to write to; its output is as secret as the token.
  /// - Throws: `EncodingError` when a value cannot be written, such as a number that is not finite.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: FieldName.self)
    try container.encodeUnknown(unknownFields, besides: Field.all)
    try container.encode(token, forKey: Field.token)
    // Sorted, so that the same record is the same bytes.
    try container.encode(scopes.sorted(), forKey: Field.scopes)
    // Without them a token that was granted for fewer scopes would be refreshed at each launch.
    if requestedScopes != scopes { try container.encode(requestedScopes.sorted(), forKey: Field.requestedScopes) }
    try container.encode(receivedAt.timeIntervalSince1970, forKey: Field.receivedAt)
    try container.encode(expiresAt.timeIntervalSince1970, forKey: Field.expiresAt)
    try container.encodeIfPresent(refreshAt?.timeIntervalSince1970, forKey: Field.refreshAt)
  }
}

extension CachedAccessToken: Redacted {
  /// The scopes and the expiry.
  package var description: String {
    "CachedAccessToken(\(PrintableText().show(scopes.sorted().joined(separator: " ")) ?? "no scopes"), expires \(expiresAt))"
  }
}
