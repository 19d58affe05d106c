package import B2CCore
public import Foundation

/// The session of one user, with tokens, claims and the sign-in that they come from.
///
/// A cache writes a record as a whole, so that a new refresh token is never separated from its access token.
public struct TokenRecord: Sendable, Hashable {
  /// The version of the stored form that this version of the package writes.
  package static let currentVersion = 1

  /// The id of the sign-in that the record comes from.
  public let signIn: UUID
  /// The id of this state of the record, which each change replaces.
  public package(set) var stamp: UUID
  /// The date when the user signed in, by this device's clock.
  public package(set) var signedInAt: Date
  /// The position of the sign-in in the order of all sign-ins, of which the user with the highest one is current.
  ///
  /// It is assigned in the order in which records are stored and not taken from the clock, which may be wrong or be
  /// corrected.
  package var position: Int64
  /// The `userId` of the settings that the user matched at the sign-in, because a later id_token may lack the claim.
  package var requiredUser: String?
  /// The id of the policy that signed the user in, as the developer wrote it, or `nil` without policies.
  package var policyID: String?
  /// The claims of the latest accepted id_token, by name.
  package var claims: [String: JSONValue]
  /// The latest id_token, which a sign-out sends as `id_token_hint`.
  ///
  /// It is never sent to an API.
  package var idToken: Secret?
  /// The refresh token, if there is one.
  package var refreshToken: Secret?
  /// The date when the refresh token expires, if the server named it.
  package var refreshTokenExpiresAt: Date?
  /// The access tokens, one for each set of scopes.
  package var accessTokens: [CachedAccessToken]
  /// Whether the server said that the session has ended, after which only the claims are used.
  package var isEnded = false

  /// Creates a record.
  ///
  /// - Parameters:
  ///   - signIn: The id of the sign-in, by default a new one.
  ///   - stamp: The id of this state of the record, by default a new one.
  ///   - signedInAt: The date when the user signed in.
  ///   - position: The position of the sign-in in the order of all sign-ins.
  ///   - policyID: The policy's id, as the developer wrote it.
  ///   - claims: The verified claims, by name.
  ///   - idToken: The latest id_token.
  ///   - refreshToken: The refresh token, if there is one.
  ///   - refreshTokenExpiresAt: The date when the refresh token expires, if the server named it.
  ///   - accessTokens: The access tokens, one for each set of scopes.
  package init(
    signIn: UUID = UUID(), stamp: UUID = UUID(), signedInAt: Date, position: Int64 = 0,
    policyID: String? = nil, claims: [String: JSONValue] = [:], idToken: Secret? = nil, refreshToken: Secret? = nil,
    refreshTokenExpiresAt: Date? = nil, accessTokens: [CachedAccessToken] = []
  ) {
    self.signIn = signIn
    self.stamp = stamp
    // Storing a date rounds it, so round it now, or else a record would change when it is stored and read.
    self.signedInAt = Date(timeIntervalSince1970: signedInAt.timeIntervalSince1970)
    self.position = position
    self.policyID = policyID
    self.claims = claims
    self.idToken = idToken
    self.refreshToken = refreshToken
    self.refreshTokenExpiresAt = refreshTokenExpiresAt
    self.accessTokens = accessTokens
  }

  /// The position and id of the sign-in, by which sign-ins are ordered.
  package var place: SignInPlace { SignInPlace(position: position, signIn: signIn) }
}

/// The place of a sign-in in the order of all sign-ins, in which the latest is last.
package struct SignInPlace: Comparable, Sendable {
  package let position: Int64
  package let signIn: UUID

  /// Compares positions and, if two processes have assigned the same one, the ids of the sign-ins.
  package static func < (left: SignInPlace, right: SignInPlace) -> Bool {
    (left.position, left.signIn.uuidString) < (right.position, right.signIn.uuidString)
  }
}

// The description leaves out the claims, because they may contain tokens of other providers.
extension TokenRecord: Redacted {
  /// The policy, the date of the sign-in and the number of access tokens.
  public var description: String {
    "TokenRecord(policy \(policyID.map { PrintableText.plain($0, limit: 100) } ?? "none"), signed in \(signedInAt), \(accessTokens.count) access tokens)"
  }
}
