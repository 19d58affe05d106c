public import B2CCore
internal import Foundation

/// The result of a sign-in.
public struct SignInResult: Sendable {
  /// The user who signed in, with the verified claims.
  public let user: UserInfo
  /// The access token, or `nil` if no scope of an API was requested.
  public let accessToken: AccessToken?
  /// The id_token as the provider sent it, for a server of yours that verifies it again.
  ///
  /// It says who signed in, but it gives access to no API. Never send it as a bearer token.
  public let idToken: Secret?
  /// The policy that the user went through.
  package let policy: Policy?
}

extension SignInResult {
  /// Creates the result of a sign-in for a preview or a fake of your app.
  ///
  /// - Parameters:
  ///   - user: The user, whose policy is also the policy of the result.
  ///   - accessToken: The access token, or `nil` if no scope of an API was requested.
  ///   - idToken: The id_token.
  public init(user: UserInfo, accessToken: AccessToken? = nil, idToken: Secret? = nil) {
    self.init(user: user, accessToken: accessToken, idToken: idToken, policy: user.policyID.flatMap { try? Policy($0) })
  }
}

extension SignInResult: Redacted {
  /// The user's id and the policy.
  public var description: String { "user \(user.id), policy \(policy?.id ?? "none")" }
}
