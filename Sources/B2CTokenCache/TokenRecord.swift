public import B2CCore
public import Foundation

/// The tokens and claims of one account, policy and client.
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
  /// The account id in MSAL's form, `<oid>-<policy>.<tenant id>`.
  package var homeAccountID: String?
  /// The access tokens, one for each set of scopes.
  package var accessTokens: [CachedAccessToken]
  /// When the sign-in happened that the record comes from.
  public var signedInAt: Date
  /// The policy's id with its case as the developer wrote it.
  package var policyID: String?
  /// Fields of the stored form that this version does not know; they are written back unchanged.
  package var unknownFields: [String: JSONValue]

  /// Creates a record.
  ///
  /// - Parameters:
  ///   - refreshToken: The refresh token, if there is one.
  ///   - refreshTokenExpiresAt: When the refresh token expires, if the server said so.
  ///   - idToken: The last id_token.
  ///   - claims: The verified claims, by name.
  ///   - homeAccountID: The account id in MSAL's form.
  ///   - accessTokens: The access tokens, one for each set of scopes.
  ///   - signedInAt: When the sign-in happened.
  ///   - policyID: The policy's id with its case as the developer wrote it.
  package init(
    refreshToken: Secret? = nil, refreshTokenExpiresAt: Date? = nil, idToken: Secret? = nil,
    claims: [String: JSONValue] = [:], homeAccountID: String? = nil, accessTokens: [CachedAccessToken] = [],
    signedInAt: Date, policyID: String? = nil
  ) {
    self.version = Self.currentVersion
    self.refreshToken = refreshToken
    self.refreshTokenExpiresAt = refreshTokenExpiresAt
    self.idToken = idToken
    self.claims = claims
    self.homeAccountID = homeAccountID
    self.accessTokens = accessTokens
    self.signedInAt = signedInAt
    self.policyID = policyID
    self.unknownFields = [:]
  }
}

/// The stored form: short field names that never change their meaning, dates as seconds since 1970.
///
/// A new field does not raise the version, because a reader that does not know it keeps it. The version is raised only
/// when an older reader would do harm; such a record is refused rather than half understood.
extension TokenRecord: Codable {
  private enum Field {
    static let version: FieldName = "v"
    static let refreshToken: FieldName = "refresh"
    static let refreshTokenExpiresAt: FieldName = "refreshEnds"
    static let idToken: FieldName = "id"
    static let claims: FieldName = "claims"
    static let homeAccountID: FieldName = "home"
    static let accessTokens: FieldName = "access"
    static let signedInAt: FieldName = "signedIn"
    static let policyID: FieldName = "policy"

    static let all: Set<FieldName> = [
      version, refreshToken, refreshTokenExpiresAt, idToken, claims, homeAccountID, accessTokens, signedInAt, policyID,
    ]
  }

  /// Reads a record in its stored form.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/newerVersion`` when a newer version of the package
  ///   wrote it; `DecodingError` when a field has an unexpected type or a required one is missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: FieldName.self)
    let version = try container.decode(Int.self, forKey: Field.version)
    guard version <= Self.currentVersion else {
      throw TokenCacheError.newerVersion(version, supported: Self.currentVersion)
    }
    self.init(
      refreshToken: try container.decodeIfPresent(Secret.self, forKey: Field.refreshToken),
      refreshTokenExpiresAt: try container.decodeIfPresent(Double.self, forKey: Field.refreshTokenExpiresAt)
        .map(Date.init(timeIntervalSince1970:)),
      idToken: try container.decodeIfPresent(Secret.self, forKey: Field.idToken),
      claims: try container.decodeIfPresent([String: JSONValue].self, forKey: Field.claims) ?? [:],
      homeAccountID: try container.decodeIfPresent(String.self, forKey: Field.homeAccountID),
      accessTokens: try container.decodeIfPresent([CachedAccessToken].self, forKey: Field.accessTokens) ?? [],
      signedInAt: Date(timeIntervalSince1970: try container.decode(Double.self, forKey: Field.signedInAt)),
      policyID: try container.decodeIfPresent(String.self, forKey: Field.policyID))
    self.version = version
    unknownFields = try container.decodeUnknown(besides: Field.all)
  }

  /// Writes the record in its stored form; the output is as secret as the tokens in it.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: `EncodingError` when a value cannot be written, such as a number that is not finite.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: FieldName.self)
    try container.encodeUnknown(unknownFields, besides: Field.all)
    try container.encode(version, forKey: Field.version)
    try container.encodeIfPresent(refreshToken, forKey: Field.refreshToken)
    try container.encodeIfPresent(refreshTokenExpiresAt?.timeIntervalSince1970, forKey: Field.refreshTokenExpiresAt)
    try container.encodeIfPresent(idToken, forKey: Field.idToken)
    if !claims.isEmpty { try container.encode(claims, forKey: Field.claims) }
    try container.encodeIfPresent(homeAccountID, forKey: Field.homeAccountID)
    if !accessTokens.isEmpty { try container.encode(accessTokens, forKey: Field.accessTokens) }
    try container.encode(signedInAt.timeIntervalSince1970, forKey: Field.signedInAt)
    try container.encodeIfPresent(policyID, forKey: Field.policyID)
  }
}

/// A field's name in the stored form; any name, since unknown fields are kept too.
struct FieldName: CodingKey, Hashable, ExpressibleByStringLiteral {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) {
    self.stringValue = stringValue
  }

  init(stringLiteral value: String) {
    self.stringValue = value
  }

  init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer<FieldName> {
  /// Reads every field that is not among the known ones.
  func decodeUnknown(besides known: Set<FieldName>) throws -> [String: JSONValue] {
    var unknown: [String: JSONValue] = [:]
    for name in allKeys where !known.contains(name) {
      unknown[name.stringValue] = try decode(JSONValue.self, forKey: name)
    }
    return unknown
  }
}

extension KeyedEncodingContainer<FieldName> {
  /// Writes the unknown fields back; a known name is never written twice.
  mutating func encodeUnknown(_ fields: [String: JSONValue], besides known: Set<FieldName>) throws {
    for (name, value) in fields {
      let name = FieldName(stringValue: name)
      if !known.contains(name) { try encode(value, forKey: name) }
    }
  }
}

// Claims and unknown fields may hold tokens of other providers, so neither shows.
extension TokenRecord: Redacted {
  /// Policy, time of the sign-in and number of access tokens.
  public var description: String {
    "TokenRecord(policy \(policyID ?? "none"), signed in \(signedInAt), \(accessTokens.count) access tokens)"
  }
}
