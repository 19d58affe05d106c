internal import B2CCore

/// The options of one sign-in, in addition to the settings.
///
/// Printing them shows only their type, because hints, claims and parameters may be personal or secret. See
/// <doc:SignIn>.
public struct SignInOptions: Sendable, Redacted {
  /// The OpenID Connect `prompt` parameter, by default ``Prompt/automatic``, which sends none.
  public var prompt = Prompt.automatic
  /// The user who must sign in, for example because the session has expired, or `nil`, the default, for any user.
  ///
  /// If another user signs in, the sign-in throws ``ErrorCode/wrongUser`` and changes nothing.
  public var user: UserInfo?
  /// The user name that the page fills in, by default that of ``user`` or of the settings' required user.
  public var loginHint: String?
  /// The identity provider that the page opens immediately, for example `facebook.com`, by default the policy's own.
  public var domainHint: String?
  /// The languages of the page as BCP 47 tags, the preferred one first, by default none.
  public var uiLocales: [String] = []
  /// The scopes of the API to get a token for, by default those of the settings.
  public var scopes: [String]?
  /// Additional query parameters for the sign-in page, by default none.
  ///
  /// If a name belongs to the protocol's own parameters, the sign-in throws ``ErrorCode/configuration``.
  public var extraParameters: [String: String] = [:]
  /// A claims request, as the text of a JSON object (OpenID Connect Core section 5.5), by default none.
  ///
  /// The provider may ignore it, so check the claims of the user after the sign-in.
  public var claimsRequest: String?
  /// Whether the browser session should share no cookies with other sessions, by default `false`.
  public var prefersEphemeralSession = false
  /// Whether the page should cover the whole screen, as the settings' `fullScreen` says.
  package var prefersFullScreen = false

  /// Creates options that change nothing but the prompt.
  ///
  /// - Parameter prompt: The OpenID Connect `prompt` parameter. The default is ``Prompt/automatic``.
  public init(prompt: Prompt = .automatic) {
    self.prompt = prompt
  }
}
