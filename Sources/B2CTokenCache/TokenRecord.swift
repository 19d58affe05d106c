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
  /// The refresh token, if there is one, and it is not protected.
  public var refreshToken: Secret? {
    didSet { protectedRefreshToken = nil }
  }
  /// Where the refresh token is, if only the user's agreement gives it out; ``refreshToken`` is `nil` then.
  ///
  /// A new ``refreshToken`` takes its place, and so does `nil`.
  package internal(set) var protectedRefreshToken: ProtectedRefreshToken?
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
  /// The same moment by the server's clock, where this device's clock was known to be wrong.
  package var serverSignedInAt: Date?
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

  /// When the sign-in happened, by both clocks.
  package var signInDates: SignInDates { SignInDates(device: signedInAt, server: serverSignedInAt ?? signedInAt) }
}

/// The stored form: short field names that never change their meaning, dates as seconds since 1970.
///
/// A new field does not raise the version, because a reader that does not know it keeps it. The version is raised only
/// when an older reader would do harm; such a record is refused rather than half understood.
extension TokenRecord: Codable {
  /// The fields as they are stored, in a form that the compiler reads and writes.
  private struct Stored: StoredForm {
    let v: Int
    let refresh: Secret?
    let refreshEnds: Double?
    let id: Secret?
    let claims: [String: JSONValue]?
    let home: String?
    let access: [CachedAccessToken]?
    let signedIn: Double
    let signedInServer: Double?
    let policy: String?
    /// The item of a protected refresh token, and what tells it from others.
    let guarded: String?

    static func knows(_ field: String) -> Bool { CodingKeys(stringValue: field) != nil }
  }

  /// Reads a record in its stored form.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/newerVersion`` when a newer version of the package
  ///   wrote it; `DecodingError` when a field has an unexpected type or a required one is missing.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: FieldName.self)
    // Before all else: the other fields of a newer version may have other types.
    let version = try fields.decode(Int.self, forKey: FieldName(stringValue: "v"))
    guard version <= Self.currentVersion else {
      throw TokenCacheError.newerVersion(version, supported: Self.currentVersion)
    }
    let stored = try Stored(from: decoder)
    self.init(
      refreshToken: stored.refresh, refreshTokenExpiresAt: stored.refreshEnds.map(Date.init(timeIntervalSince1970:)),
      idToken: stored.id, claims: stored.claims ?? [:], homeAccountID: stored.home, accessTokens: stored.access ?? [],
      signedInAt: Date(timeIntervalSince1970: stored.signedIn), policyID: stored.policy)
    self.version = version
    serverSignedInAt = stored.signedInServer.map(Date.init(timeIntervalSince1970:))
    if refreshToken == nil { protectedRefreshToken = stored.guarded.flatMap(ProtectedRefreshToken.init(stored:)) }
    unknownFields = try fields.unknown(besides: Stored.self)
  }

  /// Writes the record in its stored form; the output is as secret as the tokens in it.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: `EncodingError` when a value cannot be written, such as a number that is not finite.
  public func encode(to encoder: any Encoder) throws {
    try encoder.encodeUnknown(unknownFields, besides: Stored.self)
    try Stored(
      v: version, refresh: refreshToken, refreshEnds: refreshTokenExpiresAt?.timeIntervalSince1970, id: idToken,
      claims: claims.isEmpty ? nil : claims, home: homeAccountID, access: accessTokens.isEmpty ? nil : accessTokens,
      signedIn: signedInAt.timeIntervalSince1970, signedInServer: serverSignedInAt?.timeIntervalSince1970,
      policy: policyID, guarded: protectedRefreshToken?.stored
    ).encode(to: encoder)
  }
}

/// A form whose known fields the compiler reads and writes, and beside which others may be.
protocol StoredForm: Codable {
  /// Whether a field is one of the form's own.
  static func knows(_ field: String) -> Bool
}

/// A field's name in a stored form, known or not.
struct FieldName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) {
    self.stringValue = stringValue
  }

  init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer<FieldName> {
  /// Reads every field that a form does not know.
  func unknown<Form: StoredForm>(besides form: Form.Type) throws -> [String: JSONValue] {
    var unknown: [String: JSONValue] = [:]
    for name in allKeys where !form.knows(name.stringValue) {
      unknown[name.stringValue] = try decode(JSONValue.self, forKey: name)
    }
    return unknown
  }
}

extension Encoder {
  /// Writes unknown fields back; a name that the form knows is never written twice.
  func encodeUnknown<Form: StoredForm>(_ fields: [String: JSONValue], besides form: Form.Type) throws {
    var container = container(keyedBy: FieldName.self)
    for (name, value) in fields where !form.knows(name) {
      try container.encode(value, forKey: FieldName(stringValue: name))
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
