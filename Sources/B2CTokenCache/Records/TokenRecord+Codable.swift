internal import Foundation

/// The stored form: short member names that never change their meaning, dates as seconds since 1970.
///
/// A new member does not raise the version, because whoever does not know it keeps it. The version goes up only when an
/// older reader would do harm; such a record is refused rather than half understood.
extension TokenRecord: Codable {
  private enum Member {
    static let version: MemberName = "v"
    static let refreshToken: MemberName = "refresh"
    static let refreshTokenExpiresAt: MemberName = "refreshEnds"
    static let idToken: MemberName = "id"
    static let claims: MemberName = "claims"
    static let homeAccountID: MemberName = "home"
    static let accessTokens: MemberName = "access"
    static let signedInAt: MemberName = "signedIn"
    static let policyID: MemberName = "policy"

    static let all: Set<MemberName> = [
      version, refreshToken, refreshTokenExpiresAt, idToken, claims, homeAccountID, accessTokens, signedInAt, policyID,
    ]
  }

  /// Reads a record in its stored form.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/newerVersion`` when a newer version of the package
  ///   wrote it; `DecodingError` when a member has another type than expected or a required one is missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: MemberName.self)
    let version = try container.decode(Int.self, forKey: Member.version)
    guard version <= Self.currentVersion else {
      throw TokenCacheError.newerVersion(version, supported: Self.currentVersion)
    }
    self.init(
      refreshToken: try container.decodeIfPresent(Secret.self, forKey: Member.refreshToken),
      refreshTokenExpiresAt: try container.decodeIfPresent(Double.self, forKey: Member.refreshTokenExpiresAt)
        .map(Date.init(timeIntervalSince1970:)),
      idToken: try container.decodeIfPresent(Secret.self, forKey: Member.idToken),
      claims: try container.decodeIfPresent([String: JSONValue].self, forKey: Member.claims) ?? [:],
      homeAccountID: try container.decodeIfPresent(String.self, forKey: Member.homeAccountID),
      accessTokens: try container.decodeIfPresent([CachedAccessToken].self, forKey: Member.accessTokens) ?? [],
      signedInAt: Date(timeIntervalSince1970: try container.decode(Double.self, forKey: Member.signedInAt)),
      policyID: try container.decodeIfPresent(String.self, forKey: Member.policyID))
    self.version = version
    unknownMembers = try container.decodeUnknown(besides: Member.all)
  }

  /// Writes the record in its stored form; the output is as secret as the tokens in it.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: `EncodingError` when a value cannot be written, such as a number that is not finite.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: MemberName.self)
    try container.encodeUnknown(unknownMembers, besides: Member.all)
    try container.encode(version, forKey: Member.version)
    try container.encodeIfPresent(refreshToken, forKey: Member.refreshToken)
    try container.encodeIfPresent(
      refreshTokenExpiresAt?.timeIntervalSince1970, forKey: Member.refreshTokenExpiresAt)
    try container.encodeIfPresent(idToken, forKey: Member.idToken)
    if !claims.isEmpty { try container.encode(claims, forKey: Member.claims) }
    try container.encodeIfPresent(homeAccountID, forKey: Member.homeAccountID)
    if !accessTokens.isEmpty { try container.encode(accessTokens, forKey: Member.accessTokens) }
    try container.encode(signedInAt.timeIntervalSince1970, forKey: Member.signedInAt)
    try container.encodeIfPresent(policyID, forKey: Member.policyID)
  }
}
