@_exported public import B2CAuthority
public import Foundation

/// The settings of an app, which describe its tenant, registration and API, as in `settings.plist`.
///
/// Read them from a file, from data or from a bundle, or create them in code.
///
/// ```swift
/// let settings = try ConnectorSettings(
///   authority: Authority("https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
///   clientID: "7bf688ce-8139-4ca8-9391-02fdb6f86d67", scopes: ["https://contoso.onmicrosoft.com/tasks/read"],
///   redirectURI: url, policies: [Policy("B2C_1_SignIn")])
/// try settings.validate()
/// ```
public struct ConnectorSettings: Sendable, Equatable {
  /// The authority (`authority` and `authorityKind`).
  public var authority: Authority
  /// The application (client) ID of the app's registration (`clientId`).
  public var clientID: String
  /// The scopes of the API that is called (`scopes`), as written.
  public var scopes: [String]
  /// The scopes that users are asked to consent to in addition (`additionalScopes`), as written, by default none.
  public var additionalScopes: [String] = []
  /// The redirect URI (`redirectUri`), which the server compares character by character.
  public var redirectURI: URL
  /// The URL of the list of tasks (`taskWebAPI`), if there is one.
  public var taskWebAPI: URL?
  /// The policies (`emailSignUpPolicyId`, `faceBookSignInPolicyId`, `emailSignInPolicyId`, `policies`, `policyID`).
  public var policies = Policies()
  /// Whether the sign-in page covers the whole screen (`fullScreen`), by default false.
  public var fullScreen = false
  /// Whether the app shows the user's claims (`showClaims`), by default false.
  public var showClaims = false
  /// The correlation id to send with every request (`correlationId`), or `nil`, the default, for a new one each time.
  public var correlationID: UUID?
  /// The object ID, email address or user name of the only user who may sign in (`userId`), by default any.
  ///
  /// If users of any tenant can sign in, only an object ID is safe, and the reader warns about anything else.
  public var userID: String?
  /// The warnings about the file, which are empty for settings that were created in code.
  public internal(set) var warnings: [SettingsProblem] = []

  /// Creates settings in code.
  ///
  /// The values are not checked. Call ``validate()`` to check them as those of a file are checked.
  ///
  /// - Parameters:
  ///   - authority: The authority.
  ///   - clientID: The application (client) ID of the app's registration.
  ///   - scopes: The scopes of the API that is called.
  ///   - redirectURI: The redirect URI.
  ///   - taskWebAPI: The URL of the list of tasks, or `nil`, the default.
  ///   - policies: The policies, by default none.
  public init(
    authority: Authority, clientID: String, scopes: [String], redirectURI: URL, taskWebAPI: URL? = nil,
    policies: Policies = Policies()
  ) {
    self.authority = authority
    self.clientID = clientID
    self.scopes = scopes
    self.redirectURI = redirectURI
    self.taskWebAPI = taskWebAPI
    self.policies = policies
  }
}

extension ConnectorSettings {
  /// Returns the warnings that may explain an error, because they are about a key in its text or about a policy.
  package func warnings(about text: String) -> [SettingsProblem] {
    // Warnings about policies may also explain an error about the authority, because a policy can change its kind.
    let isAboutPolicies = ["authority", "policy"].contains(where: text.contains)
    return warnings.filter { warning in
      [warning.suggestion ?? "", String(warning.keyPath.prefix(while: \.isLetter))].compactMap(SettingsKey.init)
        .contains { text.contains($0.rawValue) || isAboutPolicies && $0.isOfPolicy }
    }
  }
}
