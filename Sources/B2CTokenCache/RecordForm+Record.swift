internal import B2CCore
internal import Foundation

/// The stored form: one-word field names that never change their meaning, dates as seconds since 1970, whatever the
/// strategies of the encoder are.
///
/// A record in a newer version is refused rather than half understood.
extension TokenRecord: Codable {
  /// The fields as they are stored, in a form that the compiler reads and writes.
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

  /// The fields that keep their form in all versions, which are read before all others.
  private struct StoredVersion: Decodable {
    let v: Int
    let position: Int64?
  }

  /// Reads a record in its stored form.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/tokenCache`` when a newer version of the package wrote it;
  ///   `DecodingError` when a field has an unexpected type or a required one is missing.
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

  /// Writes the record in its stored form; the output is as secret as the tokens in it.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: `EncodingError` when a value cannot be written, such as a number that is not finite.
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

/// A stored form that is newer than this version of the package knows.
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
