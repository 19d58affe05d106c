public import B2CCore
public import Foundation

/// What a sign-in brought.
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
  /// The claims that ADAL showed (`profile_info`), as they came.
  ///
  /// They are not signed: show them, decide nothing by them. Empty where the provider sends none.
  public let profileInfo: [String: JSONValue]
  /// Members of the token answer that this version does not know, as they came.
  ///
  /// They are left out of descriptions, since a provider may put anything there.
  public let unknownMembers: [String: JSONValue]
}

extension SignInResult: Redacted {
  /// The account's id and the policy.
  public var description: String { "account \(account.id), policy \(policy?.id ?? "none")" }
}
