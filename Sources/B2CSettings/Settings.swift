public import B2CAuthority
public import Foundation

/// What an app has to know about its tenant, its registration and its API: the content of `settings.plist`.
///
/// Read from a file, from data or from a bundle, or made in code. Two settings are equal when they mean the same;
/// ``warnings`` speak of the file they came from and are not compared.
public struct Settings: Sendable {
  /// Who signs people in (`authority`, and `authorityKind` and `trustedHosts` where they are given).
  public var authority: Authority
  /// The application (client) ID of the app's registration (`clientId`).
  public var clientID: String
  /// The scopes of the API that is called (`scopes`), as written.
  public var scopes: [String]
  /// Further scopes to ask consent for (`additionalScopes`), as written.
  public var additionalScopes: [String]
  /// Where the answer of a sign-in goes (`redirectUri`); the server compares it character by character.
  public var redirectURI: URL
  /// The URL of the list of tasks (`taskWebAPI`), for apps that have one.
  public var taskWebAPI: URL?
  /// The policies (`emailSignUpPolicyId`, `faceBookSignInPolicyId`, `emailSignInPolicyId`, `policies`, `policyID`).
  public var policies: Policies
  /// Whether the page is to cover the screen (`fullScreen`).
  public var fullScreen: Bool
  /// Whether the app shows the claims of who signed in (`showClaims`).
  public var showClaims: Bool
  /// The id to send with every request so that the server's logs can be searched for it (`correlationId`).
  public var correlationID: UUID?
  /// The only user who may sign in, also filled in on the page (`userId`): an email, user name or object id.
  public var userID: String?
  /// What should be mended in the file although it can be used, in the order of the file.
  public var warnings: [SettingsProblem] = []

  /// Makes settings in code.
  ///
  /// Nothing is checked but by the types; ``validate()`` does what reading a file does.
  ///
  /// - Parameters:
  ///   - authority: Who signs people in.
  ///   - clientID: The application (client) ID of the app's registration.
  ///   - scopes: The scopes of the API that is called.
  ///   - additionalScopes: Further scopes to ask consent for.
  ///   - redirectURI: Where the answer of a sign-in goes.
  ///   - taskWebAPI: The URL of the list of tasks.
  ///   - policies: The policies.
  ///   - fullScreen: Whether the page is to cover the screen.
  ///   - showClaims: Whether the app shows the claims of who signed in.
  ///   - correlationID: The id to send with every request.
  ///   - userID: The only user who may sign in: an email, user name or object id.
  public init(
    authority: Authority, clientID: String, scopes: [String], additionalScopes: [String] = [], redirectURI: URL,
    taskWebAPI: URL? = nil, policies: Policies = Policies(), fullScreen: Bool = false, showClaims: Bool = false,
    correlationID: UUID? = nil, userID: String? = nil
  ) {
    self.authority = authority
    self.clientID = clientID
    self.scopes = scopes
    self.additionalScopes = additionalScopes
    self.redirectURI = redirectURI
    self.taskWebAPI = taskWebAPI
    self.policies = policies
    self.fullScreen = fullScreen
    self.showClaims = showClaims
    self.correlationID = correlationID
    self.userID = userID
  }
}

extension Settings: Hashable {
  /// Compares what the settings mean.
  ///
  /// - Parameters:
  ///   - left: Some settings.
  ///   - right: Others.
  /// - Returns: Whether all but the warnings is the same.
  public static func == (left: Settings, right: Settings) -> Bool {
    left.authority == right.authority && left.clientID == right.clientID && left.scopes == right.scopes
      && left.additionalScopes == right.additionalScopes && left.redirectURI == right.redirectURI
      && left.taskWebAPI == right.taskWebAPI && left.policies == right.policies && left.fullScreen == right.fullScreen
      && left.showClaims == right.showClaims && left.correlationID == right.correlationID && left.userID == right.userID
  }

  /// Hashes what tells settings apart in practice.
  ///
  /// - Parameter hasher: The hasher to feed.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(authority)
    hasher.combine(clientID)
    hasher.combine(scopes)
    hasher.combine(redirectURI)
    hasher.combine(policies)
  }
}
