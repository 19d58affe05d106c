public import B2CCore
internal import Foundation

/// The user, by the claims of a verified id_token.
///
/// Printing it shows the name alone: claims are personal, and some policies put tokens of other providers among them.
public struct UserInfo: Sendable, Hashable {
  /// All claims, by name, as they came.
  public let claims: [String: JSONValue]

  /// The id of the user's account, ``Account/id``: the one to keep, and to tell users apart by.
  ///
  /// ``objectID`` and ``subject`` are parts of it, and no ids of an account.
  public let id: String

  /// The policy that was run (`tfp`, in old policies `acr`); `nil` at authorities without policies.
  public let policyID: String?

  /// Makes a user, for a preview or a fake of an app.
  ///
  /// Nothing is verified, and the id is not read from the claims: users with different ids are different.
  ///
  /// - Parameters:
  ///   - id: The id of the user's account.
  ///   - claims: The claims by name, as an id_token has them.
  public init(id: String, claims: [String: JSONValue] = [:]) {
    self.init(claims: claims, id: id, isMicrosoft: claims["tfp"] != nil)
  }

  // Elsewhere than at Microsoft's authorities `acr` is an authentication context and no policy.
  init(claims: [String: JSONValue], id: String, isMicrosoft: Bool) {
    self.claims = claims
    self.id = id
    policyID = isMicrosoft ? claims["tfp"]?.string ?? claims["acr"]?.string : nil
  }

  /// The subject (`sub`).
  public var subject: String { text("sub") ?? "" }

  /// The object id of the user in the directory (`oid`).
  public var objectID: String? { text("oid") }

  /// The tenant id (`tid`).
  public var tenantID: String? { text("tid") }

  /// The display name (`name`), else given and family name.
  public var name: String? {
    if let name = text("name") { return name }
    let parts = [text("given_name"), text("family_name")].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  /// The email addresses (`emails`, else `email`).
  public var emails: [String] {
    claims["emails"]?.array?.compactMap(\.string) ?? text("email").map { [$0] } ?? []
  }

  /// The name the user signs in with: `preferred_username`, `upn`, `unique_name`, else the first email.
  public var username: String? {
    text("preferred_username") ?? text("upn") ?? text("unique_name") ?? emails.first
  }

  /// The identity provider (`idp`), such as `facebook.com`; `nil` for a local account.
  public var identityProvider: String? { text("idp") }

  /// Whether the user has just signed up (`newUser`).
  public var isNewUser: Bool { claims["newUser"]?.bool ?? (text("newUser") == "true") }

  private func text(_ name: String) -> String? {
    claims[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether the user is the one of an email, user name, object id or subject.
  ///
  /// At a generic issuer a subject is compared exactly (OpenID Connect Core section 2), and only a verified email counts,
  /// since anyone may claim another; Microsoft's authorities ignore case.
  func isUser(_ wanted: String, isMicrosoft: Bool) -> Bool {
    guard isMicrosoft else {
      let wanted = wanted.trimmingCharacters(in: .whitespaces)
      let email = claims["email_verified"]?.bool == true ? text("email") : nil
      return ASCIIText.isSame(subject, wanted) || email.map { ASCIIText.isSameIgnoringCase($0, wanted) } == true
    }
    let names =
      emails
      + ["preferred_username", "upn", "unique_name", "email", "oid", "sub", "signInName"].compactMap { text($0) }
    let wanted = wanted.trimmingCharacters(in: .whitespaces)
    return names.contains { ASCIIText.isSameIgnoringCase($0, wanted) }
  }
}

extension UserInfo {
  /// The user of a record.
  init(_ stored: StoredRecord, isMicrosoft: Bool) {
    self.init(claims: stored.record.claims, id: stored.key.userID, isMicrosoft: isMicrosoft)
  }
}

extension UserInfo: Redacted {
  /// The name to show: the display name, else the user name, else the account's id.
  public var description: String {
    (name ?? username).flatMap(PrintableText(limit: 100).show) ?? PrintableText.plain(id, limit: 100)
  }
}
