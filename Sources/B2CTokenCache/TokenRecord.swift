package import B2CCore
public import Foundation

/// The session of one user: tokens, claims and the sign-in that they come from.
///
/// A cache writes a record whole, so that a rotated refresh token is never apart from its access token.
public struct TokenRecord: Sendable, Hashable {
  /// The version of the stored form that this package writes.
  package static let currentVersion = 1

  /// The sign-in that the record comes from: another one for each sign-in.
  public let signIn: UUID
  /// The state of the record: another one after each change.
  public package(set) var stamp: UUID
  /// When the user signed in, by this device's clock.
  public package(set) var signedInAt: Date
  /// The place of the sign-in among all sign-ins: the user with the highest position is the current one.
  ///
  /// It comes from the order in which records were stored and not from the clock, which may be wrong or be corrected.
  package var position: Int64
  /// The `userId` of the settings that this user met when signing in; a later id_token may lack the claim that matched.
  package var requiredUser: String?
  /// The policy that signed in, as the developer wrote it; `nil` at an authority without policies.
  package var policyID: String?
  /// The claims of the last accepted id_token, by name.
  package var claims: [String: JSONValue]
  /// The last id_token, for `id_token_hint` at sign-out.
  ///
  /// It is never sent to an API.
  package var idToken: Secret?
  /// The refresh token, if there is one.
  package var refreshToken: Secret?
  /// When the refresh token expires, if the server said so.
  package var refreshTokenExpiresAt: Date?
  /// The access tokens, one for each set of scopes.
  package var accessTokens: [CachedAccessToken]
  /// Whether a definite answer of the server has ended the session; who it was stays known.
  package var isEnded = false

  /// Creates a record.
  ///
  /// - Parameters:
  ///   - signIn: The sign-in that it comes from.
  ///   - stamp: The state of the record.
  ///   - signedInAt: When the sign-in happened.
  ///   - position: The place of the sign-in among all sign-ins.
  ///   - policyID: The policy's id with its case as the developer wrote it.
  ///   - claims: The verified claims, by name.
  ///   - idToken: The last id_token.
  ///   - refreshToken: The refresh token, if there is one.
  ///   - refreshTokenExpiresAt: When the refresh token expires, if the server said so.
  ///   - accessTokens: The access tokens, one for each set of scopes.
  package init(
    signIn: UUID = UUID(), stamp: UUID = UUID(), signedInAt: Date, position: Int64 = 0,
    policyID: String? = nil, claims: [String: JSONValue] = [:], idToken: Secret? = nil, refreshToken: Secret? = nil,
    refreshTokenExpiresAt: Date? = nil, accessTokens: [CachedAccessToken] = []
  ) {
    self.signIn = signIn
    self.stamp = stamp
    // As it is read back from its stored form, so that a record is equal to itself after that.
    self.signedInAt = Date(timeIntervalSince1970: signedInAt.timeIntervalSince1970)
    self.position = position
    self.policyID = policyID
    self.claims = claims
    self.idToken = idToken
    self.refreshToken = refreshToken
    self.refreshTokenExpiresAt = refreshTokenExpiresAt
    self.accessTokens = accessTokens
  }

  /// The place of the sign-in in the order of all sign-ins.
  package var place: SignInPlace { SignInPlace(position: position, signIn: signIn) }
}

/// The place of a sign-in in the order of all sign-ins, the latest last.
package struct SignInPlace: Comparable, Sendable {
  package let position: Int64
  package let signIn: UUID

  /// Orders equal positions, which two processes may give, by the id of the sign-in.
  package static func < (left: SignInPlace, right: SignInPlace) -> Bool {
    (left.position, left.signIn.uuidString) < (right.position, right.signIn.uuidString)
  }
}

// Claims may hold tokens of other providers, so they do not show.
extension TokenRecord: Redacted {
  /// Policy, time of the sign-in and number of access tokens.
  public var description: String {
    "TokenRecord(policy \(policyID.map { PrintableText.plain($0, limit: 100) } ?? "none"), signed in \(signedInAt), \(accessTokens.count) access tokens)"
  }
}
