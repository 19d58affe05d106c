extension ConnectorError {
  /// What went wrong, as an open set: the engine's codes, the task API's, and the facade's own.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
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

    /// The code's stable name.
    public var description: String { rawValue }
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
  /// A token cache, presenter or transport supplied by the app failed; see ``ConnectorError/underlying``.
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
  /// Another user signed in than the required one.
  public static let wrongUser = Self(.wrongUser)
  /// The user name or the password is wrong.
  public static let invalidCredentials = Self(.invalidCredentials)
  /// The account is locked.
  public static let accountLocked = Self(.accountLocked)
  /// The user exists already (sign-up).
  public static let userAlreadyExists = Self(.userAlreadyExists)
  /// Too many tries on a page.
  public static let tooManyAttempts = Self(.tooManyAttempts)
  /// A federated identity provider, such as Facebook, failed.
  public static let identityProviderFailed = Self(.identityProviderFailed)
}

/// The developer's part.
extension ConnectorError.Code {
  /// Settings and app registration differ.
  public static let configuration = Self(.configuration)
  /// Azure AD B2C has retired the authority's host.
  public static let retiredAuthority = Self(.retiredAuthority)
  /// The presenter cannot serve the redirect URI.
  public static let unsupportedRedirectURI = Self(.unsupportedRedirectURI)
  /// An extra parameter would override one of the protocol's own.
  public static let reservedParameter = Self(.reservedParameter)
  /// No scope names an API.
  public static let missingAPIScope = Self(.missingAPIScope)
  /// The authority or the task server does not offer what was asked of it.
  public static let unsupported = Self(OAuthError.Code.unsupported)
  /// The API wants a scope that the token lacks.
  public static let insufficientScope = Self(.insufficientScope)
  /// The API wants a token with further claims; see ``ConnectorError/claims``.
  public static let claimsRequired = Self(.claimsRequired)
  /// The task API's base URL or a limit cannot be used.
  public static let invalidConfiguration = Self(.invalidConfiguration)
  /// The task cannot be sent: its title is empty or over the limit.
  public static let invalidItem = Self(.invalidItem)
  /// The task has nothing that would tell the server which one is meant.
  public static let missingKey = Self(.missingKey)
}

/// The service's and the API's part.
extension ConnectorError.Code {
  /// The service is in trouble.
  public static let serviceUnavailable = Self(.serviceUnavailable)
  /// Too many requests.
  public static let throttled = Self(OAuthError.Code.throttled)
  /// The server refused for a reason that has no code of its own here, or is in trouble (5xx of the task API).
  public static let server = Self(OAuthError.Code.server)
  /// The API refused the token twice.
  public static let unauthorized = Self(.unauthorized)
  /// The user may not do this (403).
  public static let forbidden = Self(.forbidden)
  /// Nothing is there (404, 410).
  public static let notFound = Self(.notFound)
  /// The request does not fit what the task server has or expects (409).
  public static let conflict = Self(.conflict)
  /// The request or the answer is larger than a limit.
  public static let tooLarge = Self(.tooLarge)
  /// The task server refused with another status of the 400s.
  public static let refused = Self(.refused)
  /// The task server wants the request sent elsewhere; a token does not follow.
  public static let redirected = Self(.redirected)
}

/// The wire's and the device's part.
extension ConnectorError.Code {
  /// No answer.
  public static let network = Self(OAuthError.Code.network)
  /// No answer in time, or nobody finished the page in time.
  public static let timedOut = Self(OAuthError.Code.timedOut)
  /// The answer is not what the protocol says it is.
  public static let invalidResponse = Self(OAuthError.Code.invalidResponse)
  /// The callback belongs to no request of ours, or was used before.
  public static let stateMismatch = Self(.stateMismatch)
  /// The callback URL is not one the protocol allows.
  public static let invalidCallback = Self(.invalidCallback)
  /// The callback or the metadata comes from another issuer.
  public static let issuerMismatch = Self(.issuerMismatch)
  /// The id_token is refused.
  public static let invalidIDToken = Self(.invalidIDToken)
  /// Server and client disagree on the protocol, such as PKCE.
  public static let protocolViolation = Self(.protocolViolation)
  /// The token cache failed.
  public static let tokenCache = Self(.tokenCache)
  /// The sign-in page could not be shown.
  public static let presentationFailed = Self(.presentationFailed)
  /// The port of the redirect URI is in use.
  public static let portInUse = Self(.portInUse)
}
