@_exported public import B2CAuthority
public import Foundation

/// The settings of an app: its tenant, registration and API, as in `settings.plist`.
///
/// You read them from a file, from data or from a bundle, or make them in code.
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
  /// Further scopes to ask consent for (`additionalScopes`), as written.
  public var additionalScopes: [String] = []
  /// The redirect URI (`redirectUri`); the server compares it character by character.
  public var redirectURI: URL
  /// The URL of the list of tasks (`taskWebAPI`), if there is one.
  public var taskWebAPI: URL?
  /// The policies (`emailSignUpPolicyId`, `faceBookSignInPolicyId`, `emailSignInPolicyId`, `policies`, `policyID`).
  public var policies = Policies()
  /// Whether the page is to cover the screen (`fullScreen`).
  public var fullScreen = false
  /// Whether the app shows the user's claims (`showClaims`).
  public var showClaims = false
  /// The id to send with every request (`correlationId`).
  public var correlationID: UUID?
  /// The only user who may sign in (`userId`): an object ID, email address or user name.
  ///
  /// If accounts of any tenant can sign in, only an object ID is safe, and the reader warns about anything else.
  public var userID: String?
  /// The warnings of the file; empty for settings made in code.
  public internal(set) var warnings: [SettingsProblem] = []

  /// Creates settings in code.
  ///
  /// Nothing is checked except by the types; ``validate()`` checks as reading a file does.
  ///
  /// - Parameters:
  ///   - authority: The authority.
  ///   - clientID: The application (client) ID of the app's registration.
  ///   - scopes: The scopes of the API that is called.
  ///   - redirectURI: The redirect URI.
  ///   - taskWebAPI: The URL of the list of tasks.
  ///   - policies: The policies.
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
  /// Returns the warnings that may explain an error: about a key that its text names, or about a policy.
  package func warnings(about text: String) -> [SettingsProblem] {
    // A policy makes Azure AD B2C of an authority.
    let isAboutPolicies = ["authority", "policy"].contains(where: text.contains)
    return warnings.filter { warning in
      [warning.suggestion ?? "", String(warning.keyPath.prefix(while: \.isLetter))].compactMap(SettingsKey.init)
        .contains { text.contains($0.rawValue) || isAboutPolicies && $0.isOfPolicy }
    }
  }
}
