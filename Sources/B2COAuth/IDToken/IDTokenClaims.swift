public import B2CCore
public import Foundation

/// What the issuer says about the user, from an id_token whose signature and claims have been checked.
///
/// There is no way to make one but to verify a token. Printing or dumping it shows the names of the claims, not their
/// values: they are personal, and some policies put tokens of other providers among them.
public struct IDTokenClaims: Sendable, Hashable {
  /// Who issued the token (`iss`).
  public let issuer: String
  /// The user, unique and never reassigned within the issuer.
  ///
  /// This is `sub`, except in tenants that send the text `Not supported currently. Use oid claim.` there: then it is `oid`.
  public let subject: String
  /// The clients the token is for (`aud`).
  public let audience: [String]
  /// When the token ends (`exp`).
  public let expiration: Date
  /// When the token was issued (`iat`).
  public let issuedAt: Date
  /// When the token begins (`nbf`).
  public let notBefore: Date?
  /// Every claim by its name, as it came.
  public let all: [String: JSONValue]

  /// What Azure AD B2C writes into `sub` where it is not configured.
  private static let subjectPlaceholder = "Not supported currently. Use oid claim."

  /// Reads the claims that every id_token has to have (OpenID Connect Core section 2).
  init(reading members: [String: JSONValue]) throws(IDTokenRejection) {
    all = members
    guard let issuer = members["iss"]?.string else { throw IDTokenRejection(.issuer, "it has no iss") }
    self.issuer = issuer
    subject = try Self.subject(members)
    audience = try Self.audience(members)
    guard let expiration = members["exp"].flatMap(NumericDate.date) else {
      throw IDTokenRejection(.expiration, "its exp is missing or no time")
    }
    self.expiration = expiration
    guard let issuedAt = members["iat"].flatMap(NumericDate.date) else {
      throw IDTokenRejection(.issuedAt, "its iat is missing or no time")
    }
    self.issuedAt = issuedAt
    notBefore = members["nbf"].flatMap(NumericDate.date)
    guard notBefore != nil || members["nbf"] == nil else { throw IDTokenRejection(.notYetValid, "its nbf is no time") }
  }

  /// Takes back claims that the verifier accepted before they were stored; `nil` when something is missing.
  ///
  /// They are as old as the store says: nothing is checked again.
  package init?(verifiedBefore members: [String: JSONValue]) {
    try? self.init(reading: members)
  }

  /// `sub`, or `oid` where `sub` says so.
  static func subject(_ members: [String: JSONValue]) throws(IDTokenRejection) -> String {
    guard let subject = members["sub"]?.string, !subject.isEmpty else {
      throw IDTokenRejection(.subject, "it has no sub")
    }
    guard subject == subjectPlaceholder else { return subject }
    guard let objectID = members["oid"]?.string, !objectID.isEmpty else {
      throw IDTokenRejection(.subject, "its sub points to oid, which it has not")
    }
    return objectID
  }

  /// `aud`, which is a text or a list of texts (RFC 7519 section 4.1.3).
  static func audience(_ members: [String: JSONValue]) throws(IDTokenRejection) -> [String] {
    switch members["aud"] {
    case .string(let client): return [client]
    case .array(let elements) where !elements.isEmpty:
      let clients = elements.compactMap(\.string)
      guard clients.count == elements.count else { throw IDTokenRejection(.audience, "its aud is no list of texts") }
      return clients
    default: throw IDTokenRejection(.audience, "it has no aud")
    }
  }
}

extension IDTokenClaims: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The names of the claims, without their values.
  public var description: String { "IDTokenClaims(\(all.keys.sorted().joined(separator: ", ")))" }

  /// The names of the claims, without their values.
  public var debugDescription: String { description }

  /// A mirror without children, so that `dump` shows no values.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
