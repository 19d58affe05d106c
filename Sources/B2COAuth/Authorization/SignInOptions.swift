public import Foundation

/// What a sign-in may ask for beyond the settings.
public struct SignInOptions: Sendable {
  /// What the server shows even when it could do without.
  public var prompt: Prompt?
  /// The user name to fill in; the required user when `nil`.
  public var loginHint: String?
  /// The identity provider to go to at once, such as `facebook.com`; the policy's own when `nil`.
  public var domainHint: String?
  /// The languages of the page, best first, as BCP 47 tags.
  public var uiLocales: [String]
  /// Further scopes to consent to in this sign-in.
  public var extraScopesToConsent: [String]
  /// Scopes of the API to get a token for, in place of the configuration's.
  public var scopes: [String]?
  /// Further query parameters for the sign-in page; names of the protocol's own are refused.
  public var extraParameters: [String: String]
  /// A claims request as JSON text (OpenID Connect Core 5.5).
  public var claimsRequest: String?
  /// The correlation id; the configuration's, else a fresh one, when `nil`.
  public var correlationID: UUID?
  /// Whether the browser session should share no cookies with others.
  public var prefersEphemeralSession: Bool
  /// Whether the page should cover the full screen (the tutorial's `fullScreen`).
  public var prefersFullScreen: Bool
  /// Whether a forgotten password runs the reset policy, if one is configured, and then returns to the sign-in.
  public var runsPasswordReset: Bool

  /// Makes options; every one has a default.
  ///
  /// - Parameters:
  ///   - prompt: What the server shows even when it could do without.
  ///   - loginHint: The user name to fill in.
  ///   - domainHint: The identity provider to go to at once.
  ///   - uiLocales: The languages of the page, best first, as BCP 47 tags.
  ///   - extraScopesToConsent: Further scopes to consent to in this sign-in.
  ///   - scopes: Scopes of the API to get a token for, in place of the configuration's.
  ///   - extraParameters: Further query parameters for the sign-in page.
  ///   - claimsRequest: A claims request as JSON text.
  ///   - correlationID: The correlation id.
  ///   - prefersEphemeralSession: Whether the browser session should share no cookies with others.
  ///   - prefersFullScreen: Whether the page should cover the full screen.
  ///   - runsPasswordReset: Whether a forgotten password runs the reset policy.
  public init(
    prompt: Prompt? = nil, loginHint: String? = nil, domainHint: String? = nil, uiLocales: [String] = [],
    extraScopesToConsent: [String] = [], scopes: [String]? = nil, extraParameters: [String: String] = [:],
    claimsRequest: String? = nil, correlationID: UUID? = nil, prefersEphemeralSession: Bool = false,
    prefersFullScreen: Bool = false, runsPasswordReset: Bool = true
  ) {
    self.prompt = prompt
    self.loginHint = loginHint
    self.domainHint = domainHint
    self.uiLocales = uiLocales
    self.extraScopesToConsent = extraScopesToConsent
    self.scopes = scopes
    self.extraParameters = extraParameters
    self.claimsRequest = claimsRequest
    self.correlationID = correlationID
    self.prefersEphemeralSession = prefersEphemeralSession
    self.prefersFullScreen = prefersFullScreen
    self.runsPasswordReset = runsPasswordReset
  }
}
