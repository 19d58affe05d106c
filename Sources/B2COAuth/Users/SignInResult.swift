public import B2CCore
internal import Foundation

/// The result of a sign-in.
public struct SignInResult: Sendable {
  /// The user who signed in, by verified claims.
  public let user: UserInfo
  /// The access token; `nil` when no API scope was asked for.
  public let accessToken: AccessToken?
  /// The id_token as it came, for a server of the app's own that verifies it again.
  ///
  /// It says who signed in and is no key to any API: never send it as a bearer token.
  public let idToken: Secret?
  /// The policy that was run.
  package let policy: Policy?
}

extension SignInResult {
  /// Makes the result of a user's sign-in, for a preview or a fake of an app.
  ///
  /// - Parameters:
  ///   - user: The user; the policy is the user's.
  ///   - accessToken: The access token, if an API scope was asked for.
  ///   - idToken: The id_token.
  public init(user: UserInfo, accessToken: AccessToken? = nil, idToken: Secret? = nil) {
    self.init(user: user, accessToken: accessToken, idToken: idToken, policy: user.policyID.flatMap { try? Policy($0) })
  }
}

extension SignInResult: Redacted {
  /// The user's id and the policy.
  public var description: String { "user \(user.id), policy \(policy?.id ?? "none")" }
}
