internal import B2CCore

/// The options of a sign-in beyond the settings.
///
/// Printing them shows their type alone, because hints, claims and parameters may be personal or secret.
public struct SignInOptions: Sendable, Redacted {
  /// The OpenID Connect `prompt` parameter; none is sent unless the app names one.
  public var prompt = Prompt.automatic
  /// Who has to sign in, such as the user whose session has expired; anyone may when `nil`.
  ///
  /// Another person ends the sign-in with ``ErrorCode/wrongUser``, and nothing changes.
  public var user: UserInfo?
  /// The user name to fill in; that of ``user`` or of the settings' required user when `nil`.
  public var loginHint: String?
  /// The identity provider to go to at once, such as `facebook.com`; the policy's own when `nil`.
  public var domainHint: String?
  /// The languages of the page, best first, as BCP 47 tags.
  public var uiLocales: [String] = []
  /// Scopes of the API to get a token for, in place of the configuration's.
  public var scopes: [String]?
  /// Further query parameters for the sign-in page; names of the protocol's own are refused.
  public var extraParameters: [String: String] = [:]
  /// A claims request, a JSON object as text (OpenID Connect Core 5.5).
  ///
  /// It is sent; whether the claims of the user keep it is the app's to check.
  public var claimsRequest: String?
  /// Whether the browser session should share no cookies with others.
  public var prefersEphemeralSession = false
  /// Whether the page should cover the full screen: the settings' `fullScreen`.
  package var prefersFullScreen = false

  /// Creates options that ask for nothing beyond the settings.
  ///
  /// - Parameter prompt: The OpenID Connect `prompt` parameter.
  public init(prompt: Prompt = .automatic) {
    self.prompt = prompt
  }
}
