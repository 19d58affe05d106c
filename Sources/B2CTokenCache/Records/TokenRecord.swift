public import Foundation

/// All that is kept of one grant: who it is for, its refresh token, its id_token and its access tokens.
///
/// One record is written whole, so a rotated refresh token and the access token that came with it are never apart.
public struct TokenRecord: Sendable, Hashable {
  /// The version of the stored form that this package writes.
  public static let currentVersion = 1

  /// The version of the stored form that the record came in.
  public var version: Int
  /// The refresh token, if the grant has one.
  public var refreshToken: Secret?
  /// When the refresh token ends, if the server said so.
  public var refreshTokenExpiresAt: Date?
  /// The last id_token, for `id_token_hint` at sign-out.
  ///
  /// It is never sent to an API.
  public var idToken: Secret?
  /// The verified claims of the person, by name.
  public var claims: [String: JSONValue]
  /// The account id in MSAL's form, `<oid>-<policy>.<tenant id>`, for moving between libraries.
  public var homeAccountID: String?
  /// The access tokens, one for each set of scopes.
  public var accessTokens: [CachedAccessToken]
  /// When this grant was made by a sign-in; a later sign-in has a later one.
  public var signedInAt: Date
  /// The policy's id with its case as the developer wrote it.
  public var policyID: String?
  /// Members of the stored form that this version does not know; they are written back as they came.
  public var unknownMembers: [String: JSONValue]

  /// Makes a record.
  ///
  /// - Parameters:
  ///   - refreshToken: The refresh token, if the grant has one.
  ///   - refreshTokenExpiresAt: When the refresh token ends, if the server said so.
  ///   - idToken: The last id_token.
  ///   - claims: The verified claims of the person, by name.
  ///   - homeAccountID: The account id in MSAL's form.
  ///   - accessTokens: The access tokens, one for each set of scopes.
  ///   - signedInAt: When this grant was made by a sign-in.
  ///   - policyID: The policy's id with its case as the developer wrote it.
  public init(
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
    self.unknownMembers = [:]
  }
}
