public import B2CCore
internal import B2CIDToken
internal import Foundation

/// A user, with an id, the claims of a verified id_token, and whether there is a session.
///
/// The same user has the same id after a profile edit or a password reset, and with every policy. Printing a user shows
/// only the name, because claims are personal, and some policies put tokens of other providers among them. See
/// <doc:CustomPolicies>.
public struct UserInfo: Sendable, Hashable, Identifiable {
  /// The id to keep, which no other user has.
  ///
  /// It is `<object id>.<tenant id>` at Microsoft's authorities and `<issuer>#<subject>` elsewhere. GUIDs are in lower
  /// case. A subject keeps its case, and its characters outside of ASCII are percent-encoded. ``objectID`` and
  /// ``subject`` are only parts of the id, so do not use them to identify a user.
  public let id: String

  /// All claims by name, as the provider sent them.
  public let claims: [String: JSONValue]

  /// The policy that the user went through (`tfp`, or `acr` in old policies), or `nil` at authorities without policies.
  public let policyID: String?

  /// Whether the SDK can get tokens without the user, which is `false` after the session has expired or the provider
  /// has ended it.
  ///
  /// A call may still need the user, for example for consent or a second factor.
  public internal(set) var hasSession: Bool

  /// Creates a user, without looking anything up or verifying anything.
  ///
  /// On a server, create the user of a call from the id in your own session. For a preview or a fake of your app, add
  /// claims. `Connector.user(id:)` reads the stored user instead.
  ///
  /// - Parameters:
  ///   - id: The id of the user, which is not read from the claims.
  ///   - claims: The claims of the id_token by name.
  ///   - policyID: The policy that the user went through, which is not read from the claims.
  ///   - hasSession: Whether tokens are available without the user. The default is `false`.
  public init(id: String, claims: [String: JSONValue] = [:], policyID: String? = nil, hasSession: Bool = false) {
    self.id = id
    self.claims = claims
    self.policyID = policyID
    self.hasSession = hasSession
  }

  // `acr` may name a policy only at Microsoft's authorities. Elsewhere it is an authentication context.
  package init(id: String, claims: [String: JSONValue], hasSession: Bool, isMicrosoft: Bool) {
    let policyID = isMicrosoft ? IDTokenClaims.policy(in: claims)?.string : nil
    self.init(id: id, claims: claims, policyID: policyID, hasSession: hasSession)
  }

  /// The subject (`sub`).
  public var subject: String { text("sub") ?? "" }

  /// The id of the user in the directory (`oid`).
  public var objectID: String? { IDTokenClaims.identifiers(in: claims)["oid"] }

  /// The tenant id (`tid`).
  public var tenantID: String? { IDTokenClaims.identifiers(in: claims)["tid"] }

  /// The display name (`name`), or else the given name and the family name.
  public var name: String? {
    if let name = text("name") { return name }
    let parts = [text("given_name"), text("family_name")].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }

  /// The email addresses (`emails`, or else `email`).
  public var emails: [String] {
    let listed = claims["emails"]?.array?.compactMap(\.string).filter { !$0.isEmpty } ?? []
    // Some providers send an empty list next to the address, or a text instead of the list.
    return listed.isEmpty ? [text("emails") ?? text("email")].compactMap(\.self) : listed
  }

  /// The name that the user signs in with: `preferred_username`, `upn`, `unique_name`, or else the first email address.
  public var username: String? { text("preferred_username") ?? text("upn") ?? text("unique_name") ?? emails.first }

  /// The identity provider (`idp`), for example `facebook.com`, or `nil` for a user of the tenant itself.
  public var identityProvider: String? { text("idp") }

  /// Whether the user has just signed up (`newUser`).
  public var isNewUser: Bool { isTrue("newUser") }

  /// Returns a boolean claim, which some providers send as text.
  private func isTrue(_ name: String) -> Bool { claims[name]?.bool ?? (text(name) == "true") }

  private func text(_ name: String) -> String? { claims[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }

  /// Whether an email address, user name, object id or subject is this user's.
  ///
  /// Microsoft's authorities ignore upper and lower case. Elsewhere a subject is compared exactly (OpenID Connect Core
  /// section 2), and an email address counts only if it is verified, because anyone may claim any other.
  package func isUser(_ wanted: String, isMicrosoft: Bool) -> Bool {
    let wanted = wanted.trimmingCharacters(in: .whitespaces)
    let verified = isTrue("email_verified") ? ["email"] : []
    let names = isMicrosoft ? self.names + ["oid", "sub"].compactMap(text) : verified.compactMap(text)
    return names.contains { ASCIIText.isSameIgnoringCase($0, wanted) }
      || (!isMicrosoft && ASCIIText.isSame(subject, wanted))
  }

  /// All email addresses and user names.
  private var names: [String] {
    emails + ["preferred_username", "upn", "unique_name", "email", "signInName"].compactMap(text)
  }

  /// Returns advice for the developer if the id_token contains nothing to compare with the required user.
  ///
  /// It returns `nil` if the id_token contains such a claim, which means that another user has signed in.
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
  /// The display name, or else the user name, or else the id.
  public var description: String {
    (name ?? username).flatMap(PrintableText(limit: 100).show) ?? PrintableText.plain(id, limit: 100)
  }
}
