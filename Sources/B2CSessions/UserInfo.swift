public import B2CCore
internal import B2CIDToken
internal import Foundation

/// A user: an id, the claims of a verified id_token, and whether there is a session.
///
/// One person is one user: policies that edit the profile or reset the password do not make another. Printing a user
/// shows the name alone: claims are personal, and some policies put tokens of other providers among them.
public struct UserInfo: Sendable, Hashable, Identifiable {
  /// The id to keep, and to tell users apart by: `<object id>.<tenant id>` at Microsoft's authorities, elsewhere
  /// `<issuer>#<subject>`.
  ///
  /// Two people never share an id. GUIDs are in lower case; a subject keeps its case, and what is not ASCII in it is
  /// percent-encoded. ``objectID`` and ``subject`` are parts of it, and no ids of a user.
  public let id: String

  /// All claims, by name, as they came.
  public let claims: [String: JSONValue]

  /// The policy that was run (`tfp`, in old policies `acr`); `nil` at authorities without policies.
  public let policyID: String?

  /// Whether tokens are available without the user; `false` once the session has expired or was ended by the server.
  ///
  /// A call may need the user all the same, such as for consent or a second factor.
  public internal(set) var hasSession: Bool

  /// Makes a user, without looking anything up or verifying it.
  ///
  /// A server that keeps ids in its own sessions names the user of a call with it; a preview or a fake of an app adds
  /// claims. `Connector.user(id:)` reads what is stored.
  ///
  /// - Parameters:
  ///   - id: The id of the user; it is not read from the claims.
  ///   - claims: The claims by name, as an id_token has them.
  ///   - policyID: The policy that was run; it is not read from the claims.
  ///   - hasSession: Whether tokens are available without the user.
  public init(id: String, claims: [String: JSONValue] = [:], policyID: String? = nil, hasSession: Bool = false) {
    self.id = id
    self.claims = claims
    self.policyID = policyID
    self.hasSession = hasSession
  }

  // Elsewhere than at Microsoft's authorities `acr` is an authentication context and no policy.
  package init(id: String, claims: [String: JSONValue], hasSession: Bool, isMicrosoft: Bool) {
    let policyID = isMicrosoft ? IDTokenClaims.policy(in: claims)?.string : nil
    self.init(id: id, claims: claims, policyID: policyID, hasSession: hasSession)
  }

  /// The subject (`sub`).
  public var subject: String { text("sub") ?? "" }

  /// The object id of the user in the directory (`oid`).
  public var objectID: String? { IDTokenClaims.identifiers(in: claims)["oid"] }

  /// The tenant id (`tid`).
  public var tenantID: String? { IDTokenClaims.identifiers(in: claims)["tid"] }

  /// The display name (`name`), else given and family name.
  public var name: String? {
    if let name = text("name") { return name }
    let parts = [text("given_name"), text("family_name")].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  /// The email addresses (`emails`, else `email`).
  public var emails: [String] {
    let listed = claims["emails"]?.array?.compactMap(\.string).filter { !$0.isEmpty } ?? []
    // Some providers send an empty list beside the address, or a text in place of the list.
    return listed.isEmpty ? [text("emails") ?? text("email")].compactMap(\.self) : listed
  }

  /// The name the user signs in with: `preferred_username`, `upn`, `unique_name`, else the first email.
  public var username: String? { text("preferred_username") ?? text("upn") ?? text("unique_name") ?? emails.first }

  /// The identity provider (`idp`), such as `facebook.com`; `nil` for a user of the tenant itself.
  public var identityProvider: String? { text("idp") }

  /// Whether the user has just signed up (`newUser`).
  public var isNewUser: Bool { isTrue("newUser") }

  /// Some providers send a boolean as text.
  private func isTrue(_ name: String) -> Bool { claims[name]?.bool ?? (text(name) == "true") }

  private func text(_ name: String) -> String? { claims[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }

  /// Whether the user is the one of an email, user name, object id or subject.
  ///
  /// At a generic issuer a subject is compared exactly (OpenID Connect Core section 2), and only a verified email counts,
  /// since anyone may claim another; Microsoft's authorities ignore case.
  package func isUser(_ wanted: String, isMicrosoft: Bool) -> Bool {
    let wanted = wanted.trimmingCharacters(in: .whitespaces)
    let verified = isTrue("email_verified") ? ["email"] : []
    let names = isMicrosoft ? self.names + ["oid", "sub"].compactMap(text) : verified.compactMap(text)
    return names.contains { ASCIIText.isSameIgnoringCase($0, wanted) }
      || (!isMicrosoft && ASCIIText.isSame(subject, wanted))
  }

  /// Every address and user name.
  private var names: [String] {
    emails + ["preferred_username", "upn", "unique_name", "email", "signInName"].compactMap(text)
  }

  /// Returns what to do if the id_token has nothing to compare with the user that the settings require.
  ///
  /// It is `nil` if it has, so that another user has signed in.
  package func adviceToCompare(with required: String, isMicrosoft: Bool) -> String? {
    let isAddress = required.contains("@")
    if isMicrosoft, GUID.isGUID(required.trimmingCharacters(in: .whitespaces)) {
      guard objectID == nil, !GUID.isGUID(subject) else { return nil }
      return "Add the claim User's Object ID to the user flow, or the scope profile to the settings."
    }
    let isComparable =
      isMicrosoft
      ? names.contains { $0.contains("@") == isAddress }
      : !isAddress || isTrue("email_verified") && !emails.isEmpty
    guard !isComparable else { return nil }
    return isMicrosoft
      ? "Add the claim Email Addresses to the user flow (or the optional claim email), or write the object ID as userId."
      : "Add the scope email to the settings, or write the user's subject (sub) as userId."
  }
}

extension UserInfo: Redacted {
  /// The name to show: the display name, else the user name, else the id.
  public var description: String {
    (name ?? username).flatMap(PrintableText(limit: 100).show) ?? PrintableText.plain(id, limit: 100)
  }
}
