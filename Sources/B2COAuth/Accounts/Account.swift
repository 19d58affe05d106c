/// A person who has signed in here, by whichever policies.
///
/// One person is one account: policies that edit the profile or reset the password do not make another.
public struct Account: Sendable, Hashable, Identifiable {
  /// The person: `<object id>.<tenant id>`, in lower case.
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
  /// Whether tokens can be had without the user; `false` once the session has expired or was ended by the server.
  public let hasSession: Bool
}
