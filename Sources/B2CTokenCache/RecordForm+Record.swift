internal import B2CCore
internal import Foundation

/// The stored form, whose field names never change their meaning.
///
/// Dates are stored as seconds since 1970, whatever strategy the encoder has. A record of a newer version is refused,
/// because this version might misunderstand it.
extension TokenRecord: Codable {
  /// The fields of the stored form, whose coding the compiler writes.
  private struct Stored: Codable {
    let v: Int
    let session: UUID
    let stamp: UUID
    let since: Double
    let position: Int64
    let required: String?
    let policy: String?
    let claims: [String: JSONValue]?
    let id: Secret?
    let refresh: Secret?
    let until: Double?
    let access: [CachedAccessToken]?
    let ended: Bool?
  }

  /// The fields whose form is the same in all versions, so they can be read before the version is checked.
  private struct StoredVersion: Decodable {
    let v: Int
    let position: Int64?
  }

  /// Decodes a record from its stored form.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/tokenCache`` if a newer version of the package wrote the
  ///   record; `DecodingError` if a field is missing or has the wrong type.
  public init(from decoder: any Decoder) throws {
    let version = try StoredVersion(from: decoder)
    guard version.v <= Self.currentVersion else {
      throw NewerForm.error(version.v, supported: Self.currentVersion, position: version.position)
    }
    let stored = try Stored(from: decoder)
    self.init(
      signIn: stored.session, stamp: stored.stamp, signedInAt: Date(timeIntervalSince1970: stored.since),
      position: stored.position, policyID: stored.policy, claims: stored.claims ?? [:], idToken: stored.id,
      refreshToken: stored.refresh,
      refreshTokenExpiresAt: stored.until.map(Date.init(timeIntervalSince1970:)), accessTokens: stored.access ?? [])
    requiredUser = stored.required
    isEnded = stored.ended ?? false
  }

  /// Encodes the record in its stored form.
  ///
  /// - Parameter encoder: The encoder. Its output is as secret as the tokens in the record.
  /// - Throws: `EncodingError` if a value cannot be encoded, for example a number that is not finite.
  public func encode(to encoder: any Encoder) throws {
    try Stored(
      v: Self.currentVersion, session: signIn, stamp: stamp, since: signedInAt.timeIntervalSince1970,
      position: position, required: requiredUser, policy: policyID, claims: claims.isEmpty ? nil : claims, id: idToken,
      refresh: refreshToken,
      until: refreshTokenExpiresAt?.timeIntervalSince1970, access: accessTokens.isEmpty ? nil : accessTokens,
      ended: isEnded ? true : nil
    ).encode(to: encoder)
  }
}

/// The error for a stored form that only a newer version of the package understands.
enum NewerForm {
  static func error(_ version: Int, supported: Int, position: Int64?) -> ConnectorError {
    var error = ConnectorError(
      own: .tokenCache,
      "A token record has the stored form \(version), but this version of the package reads only up to \(supported).",
      recoverySuggestion: "Update the app that reads it, or sign in again, which replaces the record.",
      needsInteraction: true)
    error.recordPosition = position
    return error
  }
}
