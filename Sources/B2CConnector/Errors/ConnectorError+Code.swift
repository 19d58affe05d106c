extension ConnectorError {
  /// What went wrong, as an open set: the engine's codes, the task API's, and the facade's own.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code's stable name.
    public var rawValue: String

    /// Makes a code from its stable name.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    init(_ code: OAuthError.Code) { rawValue = code.rawValue }

    init(_ code: TaskAPIError.Code) { rawValue = code.rawValue }
  }
}

/// The facade's own.
extension ConnectorError.Code {
  /// The settings cannot be used; ``ConnectorError/underlying`` is a ``SettingsError`` with every problem.
  public static let settings = Self(rawValue: "settings")
  /// The settings have no policy of the wanted kind.
  public static let policyNotConfigured = Self(rawValue: "policyNotConfigured")
  /// The settings have no task API.
  public static let taskAPINotConfigured = Self(rawValue: "taskAPINotConfigured")
  /// A token may not be sent to that origin.
  public static let originNotAllowed = Self(rawValue: "originNotAllowed")
  /// An error of a part that the app brought itself; see ``ConnectorError/underlying``.
  public static let other = Self(rawValue: "other")
}

/// The user's part.
extension ConnectorError.Code {
  /// The user pressed Cancel in the page.
  public static let userCancelledInPage = Self(.userCancelledInPage)
  /// The user closed the browser.
  public static let userClosedBrowser = Self(.userClosedBrowser)
  /// The user asked for a new password.
  public static let passwordResetRequested = Self(.passwordResetRequested)
  /// Only a sign-in helps.
  public static let interactionRequired = Self(.interactionRequired)
  /// Somebody else signed in than the required user.
  public static let wrongUser = Self(.wrongUser)
}

/// The developer's part.
extension ConnectorError.Code {
  /// Settings and registration do not fit.
  public static let configuration = Self(.configuration)
  /// Azure AD B2C has retired the authority's host.
  public static let retiredAuthority = Self(.retiredAuthority)
  /// The presenter cannot serve the redirect URI.
  public static let unsupportedRedirectURI = Self(.unsupportedRedirectURI)
  /// No scope names an API.
  public static let missingAPIScope = Self(.missingAPIScope)
  /// The API wants a scope that the token has not.
  public static let insufficientScope = Self(.insufficientScope)
  /// The API wants a token with further claims: sign in with ``ConnectorError/claims``.
  public static let claimsRequired = Self(.claimsRequired)
}

/// The wire's and the device's part.
extension ConnectorError.Code {
  /// No answer.
  public static let network = Self(OAuthError.Code.network)
  /// No answer in time.
  public static let timedOut = Self(OAuthError.Code.timedOut)
  /// The service has trouble.
  public static let serviceUnavailable = Self(.serviceUnavailable)
  /// Too many requests.
  public static let throttled = Self(OAuthError.Code.throttled)
  /// The API refused the token twice.
  public static let unauthorized = Self(.unauthorized)
  /// The answer is not what the protocol says it is.
  public static let invalidResponse = Self(OAuthError.Code.invalidResponse)
  /// The id_token is refused.
  public static let invalidIDToken = Self(.invalidIDToken)
  /// The token cache failed.
  public static let tokenCache = Self(.tokenCache)
}
