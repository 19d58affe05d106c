public import Foundation

/// The options of a sign-in beyond the settings.
public struct SignInOptions: Sendable {
  /// The OpenID Connect `prompt` parameter; none is sent unless the app names one.
  public var prompt = Prompt.automatic
  /// The user name to fill in; the required user when `nil`.
  public var loginHint: String?
  /// The identity provider to go to at once, such as `facebook.com`; the policy's own when `nil`.
  public var domainHint: String?
  /// The languages of the page, best first, as BCP 47 tags.
  public var uiLocales: [String] = []
  /// Further scopes to consent to in this sign-in.
  public var extraScopesToConsent: [String] = []
  /// Scopes of the API to get a token for, in place of the configuration's.
  public var scopes: [String]?
  /// Further query parameters for the sign-in page; names of the protocol's own are refused.
  ///
  /// `max_age` is checked in the id_token; `resource` (RFC 8707) goes to the token endpoint too, with the
  /// code; a refresh does not repeat it.
  public var extraParameters: [String: String] = [:]
  /// A claims request, a JSON object as text (OpenID Connect Core 5.5).
  ///
  /// An essential `acr` or `auth_time` of the id_token is checked; other essential claims are the app's to check.
  public var claimsRequest: String?
  /// The correlation id; the configuration's, else a fresh one, when `nil`.
  public var correlationID: UUID?
  /// Whether the browser session should share no cookies with others.
  public var prefersEphemeralSession = false
  /// Whether the page should cover the full screen (the tutorial's `fullScreen`).
  public var prefersFullScreen = false

  /// Creates options that ask for nothing beyond the settings.
  ///
  /// - Parameter prompt: The OpenID Connect `prompt` parameter.
  public init(prompt: Prompt = .automatic) {
    self.prompt = prompt
  }
}
