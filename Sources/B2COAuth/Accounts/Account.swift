public import B2CCore
public import Foundation

/// A person who has signed in here, by whichever policies.
///
/// One person is one account: policies that edit the profile or reset the password do not make another.
public struct Account: Sendable, Hashable, Identifiable {
  /// The person: `<object id>.<tenant id>` at Microsoft's authorities, `<issuer>#<subject>` elsewhere.
  ///
  /// Two people never share an id. GUIDs are in lower case; a subject keeps its case, and what is not ASCII in it is
  /// percent-encoded.
  public let id: String
  /// The account id as MSAL makes it, `<oid>-<policy>.<tenant id>` with a policy, of the latest sign-in.
  public let homeAccountID: String
  /// The name the person signs in with, or an email, when the claims hold one.
  public let username: String?
  /// The display name, when the claims hold one.
  public let name: String?
  /// The policies the person has signed in by, the latest first; empty for an authority without policies.
  public let policyIDs: [String]
  /// The verified claims of the latest sign-in or refresh.
  public let claims: UserInfo
  /// Whether tokens are available without the user; `false` once the session has expired or was ended by the server.
  ///
  /// A call may need the user all the same, such as for consent or a second factor.
  public let hasSession: Bool

  /// Makes the account of an id that was kept, without looking anything up.
  ///
  /// A server that keeps ids in its own sessions asks for tokens with it; names and claims are empty, and `hasSession` is
  /// `false` because nothing is known. `Connector.account(id:)` reads what is stored.
  ///
  /// - Parameter id: The ``id`` of an account.
  public init(id: String) {
    self.init(
      id: id, homeAccountID: id, username: nil, name: nil, policyIDs: [],
      claims: UserInfo(claims: [:], accountID: id, isMicrosoft: false), hasSession: false)
  }

  /// Makes the account of a user with a session, for a preview or a fake of an app.
  ///
  /// - Parameter user: The user.
  public init(_ user: UserInfo) {
    self.init(
      id: user.accountID, homeAccountID: user.accountID, username: user.username, name: user.name,
      policyIDs: [user.policyID].compactMap(\.self), claims: user, hasSession: true)
  }

  init(
    id: String, homeAccountID: String, username: String?, name: String?, policyIDs: [String], claims: UserInfo,
    hasSession: Bool
  ) {
    self.id = id
    self.homeAccountID = homeAccountID
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
    let user = UserInfo(claims: latest.claims, accountID: id, isMicrosoft: isMicrosoft)
    self.init(
      id: id, homeAccountID: latest.homeAccountID ?? id, username: user.username, name: user.name,
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

/// The result of a sign-in.
public struct SignInResult: Sendable {
  /// The account that signed in.
  public let account: Account
  /// Who the user is, by verified claims.
  public let user: UserInfo
  /// The access token; `nil` when no API scope was asked for.
  public let accessToken: AccessToken?
  /// The id_token as it came, for a server of the app's own that verifies it again.
  ///
  /// It says who signed in and is no key to any API: never send it as a bearer token.
  public let idToken: Secret?
  /// The policy that was run.
  public let policy: Policy?
  /// The correlation id of the requests.
  public let correlationID: UUID
  /// Fields of the token answer that this version does not know, as they came.
  ///
  /// They are left out of descriptions, since a provider may put anything there.
  package let unknownFields: [String: JSONValue]
}

extension SignInResult {
  /// Makes the result of a user's sign-in, for a preview or a fake of an app.
  ///
  /// - Parameters:
  ///   - user: The user; the account and the policy are the user's.
  ///   - accessToken: The access token, if an API scope was asked for.
  ///   - idToken: The id_token.
  public init(user: UserInfo, accessToken: AccessToken? = nil, idToken: Secret? = nil) {
    self.init(
      account: Account(user), user: user, accessToken: accessToken, idToken: idToken,
      policy: user.policyID.flatMap { try? Policy($0) }, correlationID: UUID(), unknownFields: [:])
  }
}

extension SignInResult: Redacted {
  /// The account's id and the policy.
  public var description: String { "account \(account.id), policy \(policy?.id ?? "none")" }
}
