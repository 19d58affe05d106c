public import B2CCore
public import Foundation

/// The tokens and claims of one user, policy and client.
///
/// One record is written whole, so a rotated refresh token and the access token that came with it are never apart.
public struct TokenRecord: Sendable, Hashable {
  /// The version of the stored form that this package writes.
  package static let currentVersion = 1

  /// The version of the stored form that the record was read in.
  package var version: Int
  /// The refresh token, if there is one.
  public var refreshToken: Secret?
  /// When the refresh token expires, if the server said so.
  package var refreshTokenExpiresAt: Date?
  /// The last id_token, for `id_token_hint` at sign-out.
  ///
  /// It is never sent to an API.
  package var idToken: Secret?
  /// The verified claims, by name.
  package var claims: [String: JSONValue]
  /// The access tokens, one for each set of scopes.
  package var accessTokens: [CachedAccessToken]
  /// When the sign-in happened that the record comes from.
  public var signedInAt: Date
  /// The same moment by the server's clock, where this device's clock was known to be wrong.
  package var serverSignedInAt: Date?
  /// The policy's id with its case as the developer wrote it.
  package var policyID: String?
  /// What an ``EncryptedTokenCache`` has made of another record; this one is empty then.
  package var sealed: String?

  /// Creates a record.
  ///
  /// - Parameters:
  ///   - refreshToken: The refresh token, if there is one.
  ///   - refreshTokenExpiresAt: When the refresh token expires, if the server said so.
  ///   - idToken: The last id_token.
  ///   - claims: The verified claims, by name.
  ///   - accessTokens: The access tokens, one for each set of scopes.
  ///   - signedInAt: When the sign-in happened.
  ///   - policyID: The policy's id with its case as the developer wrote it.
  package init(
    refreshToken: Secret? = nil, refreshTokenExpiresAt: Date? = nil, idToken: Secret? = nil,
    claims: [String: JSONValue] = [:], accessTokens: [CachedAccessToken] = [],
    signedInAt: Date, policyID: String? = nil
  ) {
    self.version = Self.currentVersion
    self.refreshToken = refreshToken
    self.refreshTokenExpiresAt = refreshTokenExpiresAt
    self.idToken = idToken
    self.claims = claims
    self.accessTokens = accessTokens
    self.signedInAt = signedInAt
    self.policyID = policyID
  }

  /// When the sign-in happened, by both clocks.
  package var signInDates: SignInDates { SignInDates(device: signedInAt, server: serverSignedInAt ?? signedInAt) }

  /// Whether another record is of the same sign-in and has the same refresh token.
  package func isSameSession(as other: TokenRecord) -> Bool {
    signedInAt == other.signedInAt && refreshToken == other.refreshToken
  }
}

/// The stored form: short field names that never change their meaning, dates as seconds since 1970.
///
/// A record in a newer version is refused rather than half understood.
extension TokenRecord: Codable {
  /// The fields as they are stored, in a form that the compiler reads and writes.
  private struct Stored: Codable {
    let v: Int
    let refresh: Secret?
    let refreshEnds: Double?
    let id: Secret?
    let claims: [String: JSONValue]?
    let access: [CachedAccessToken]?
    let signedIn: Double
    let signedInServer: Double?
    let policy: String?
    let sealed: String?
  }

  /// The version alone, which is read before all else: the other fields of a newer one may have other types.
  private struct StoredVersion: Decodable {
    let v: Int
  }

  /// Reads a record in its stored form.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/newerVersion`` when a newer version of the package
  ///   wrote it; `DecodingError` when a field has an unexpected type or a required one is missing.
  public init(from decoder: any Decoder) throws {
    let version = try StoredVersion(from: decoder).v
    guard version <= Self.currentVersion else {
      throw TokenCacheError.newerVersion(version, supported: Self.currentVersion)
    }
    let stored = try Stored(from: decoder)
    self.init(
      refreshToken: stored.refresh, refreshTokenExpiresAt: stored.refreshEnds.map(Date.init(timeIntervalSince1970:)),
      idToken: stored.id, claims: stored.claims ?? [:], accessTokens: stored.access ?? [],
      signedInAt: Date(timeIntervalSince1970: stored.signedIn), policyID: stored.policy)
    self.version = version
    serverSignedInAt = stored.signedInServer.map(Date.init(timeIntervalSince1970:))
    sealed = stored.sealed
  }

  /// Writes the record in its stored form; the output is as secret as the tokens in it.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: `EncodingError` when a value cannot be written, such as a number that is not finite.
  public func encode(to encoder: any Encoder) throws {
    try Stored(
      v: version, refresh: refreshToken, refreshEnds: refreshTokenExpiresAt?.timeIntervalSince1970, id: idToken,
      claims: claims.isEmpty ? nil : claims, access: accessTokens.isEmpty ? nil : accessTokens,
      signedIn: signedInAt.timeIntervalSince1970, signedInServer: serverSignedInAt?.timeIntervalSince1970,
      policy: policyID, sealed: sealed
    ).encode(to: encoder)
  }
}

// Claims may hold tokens of other providers, so they do not show.
extension TokenRecord: Redacted {
  /// Policy, time of the sign-in and number of access tokens.
  public var description: String {
    "TokenRecord(policy \(policyID ?? "none"), signed in \(signedInAt), \(accessTokens.count) access tokens)"
  }
}
