package import B2CCore
internal import Foundation

/// A person who has signed in here, by whichever policies.
///
/// One person is one user: policies that edit the profile or reset the password do not make another.
public struct Account: Sendable, Hashable, Identifiable {
  /// The person: `<object id>.<tenant id>` at Microsoft's authorities, `<issuer>#<subject>` elsewhere.
  ///
  /// Two people never share an id. GUIDs are in lower case; a subject keeps its case, and what is not ASCII in it is
  /// percent-encoded.
  public let id: String
  /// The name the person signs in with, or an email, when the claims hold one.
  public let username: String?
  /// The display name, when the claims hold one.
  public let name: String?
  /// The policies the person has signed in by, the latest first; empty for an authority without policies.
  package let policyIDs: [String]
  /// The verified claims of the latest sign-in or refresh.
  public let claims: UserInfo
  /// Whether tokens are available without the user; `false` once the session has expired or was ended by the server.
  ///
  /// A call may need the user all the same, such as for consent or a second factor.
  public let hasSession: Bool

  /// Makes the account of an id that was kept, without looking anything up.
  ///
  /// A server that keeps ids in its own sessions asks for tokens with it; names and claims are empty, and `hasSession` is
  /// `false` because nothing is known. `Connector.user(id:)` reads what is stored.
  ///
  /// - Parameter id: The ``id`` of an account.
  public init(id: String) {
    self.init(
      id: id, username: nil, name: nil, policyIDs: [],
      claims: UserInfo(claims: [:], id: id, isMicrosoft: false), hasSession: false)
  }

  /// Makes the account of a user with a session, for a preview or a fake of an app.
  ///
  /// - Parameter user: The user.
  public init(_ user: UserInfo) {
    self.init(
      id: user.id, username: user.username, name: user.name,
      policyIDs: [user.policyID].compactMap(\.self), claims: user, hasSession: true)
  }

  init(
    id: String, username: String?, name: String?, policyIDs: [String], claims: UserInfo,
    hasSession: Bool
  ) {
    self.id = id
    self.username = username
    self.name = name
    self.policyIDs = policyIDs
    self.claims = claims
    self.hasSession = hasSession
  }
}

extension Account {
  /// The account of a person's records, the latest first.
  init(records: [StoredRecord], fallback: TokenRecord, id: String, now: Date, isMicrosoft: Bool) {
    let latest = records.first?.record ?? fallback
    let user = UserInfo(claims: latest.claims, id: id, isMicrosoft: isMicrosoft)
    self.init(
      id: id, username: user.username, name: user.name,
      policyIDs: records.compactMap(\.record.policyID), claims: user, hasSession: latest.hasSession(now: now))
  }
}

extension Account: Redacted {
  /// The name to show and the id; claims may hold tokens of other providers.
  public var description: String {
    let name = (name ?? username).flatMap { PrintableText(limit: 100).show($0) }.map { $0 + " " } ?? ""
    return "\(name)(\(PrintableText.plain(id)))"
  }
}
