extension OAuthError {
  /// What went wrong, as an open set of codes.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code's stable name.
    public var rawValue: String

    /// Makes a code from its stable name.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }
}

/// The user's part.
extension OAuthError.Code {
  /// The user pressed Cancel in the page (AADB2C90091).
  public static let userCancelledInPage = Self(rawValue: "userCancelledInPage")
  /// The user closed the browser sheet or window.
  public static let userClosedBrowser = Self(rawValue: "userClosedBrowser")
  /// The user asked for a new password (AADB2C90118).
  public static let passwordResetRequested = Self(rawValue: "passwordResetRequested")
  /// Nobody is signed in, or the session has ended: show a sign-in page.
  public static let interactionRequired = Self(rawValue: "interactionRequired")
  /// Somebody else signed in than the required user.
  public static let wrongUser = Self(rawValue: "wrongUser")
  /// User name or password are wrong.
  public static let invalidCredentials = Self(rawValue: "invalidCredentials")
  /// The account is locked.
  public static let accountLocked = Self(rawValue: "accountLocked")
  /// The user exists already (sign-up).
  public static let userAlreadyExists = Self(rawValue: "userAlreadyExists")
  /// Too many tries on a page.
  public static let tooManyAttempts = Self(rawValue: "tooManyAttempts")
  /// Facebook, or whoever else was to say who the user is, failed.
  public static let identityProviderFailed = Self(rawValue: "identityProviderFailed")
}

/// The developer's part.
extension OAuthError.Code {
  /// The authority, policy, client id, redirect URI or scopes do not fit what the service knows.
  public static let configuration = Self(rawValue: "configuration")
  /// The authority is on the host that Azure AD B2C has retired.
  public static let retiredAuthority = Self(rawValue: "retiredAuthority")
  /// The chosen presenter cannot serve the redirect URI.
  public static let unsupportedRedirectURI = Self(rawValue: "unsupportedRedirectURI")
  /// An extra parameter would override one of the protocol's own.
  public static let reservedParameter = Self(rawValue: "reservedParameter")
  /// The answer has no access token, because no API scope was asked for.
  public static let missingAPIScope = Self(rawValue: "missingAPIScope")
  /// The authority does not offer what was asked of it.
  public static let unsupported = Self(rawValue: "unsupported")
}

/// The wire's part.
extension OAuthError.Code {
  /// No answer: offline, refused, timed out; ``OAuthError/underlying`` is the transport's error.
  public static let network = Self(rawValue: "network")
  /// The service has trouble.
  public static let serviceUnavailable = Self(rawValue: "serviceUnavailable")
  /// Too many requests.
  public static let throttled = Self(rawValue: "throttled")
  /// The server refused for a reason that has no code of its own here.
  public static let server = Self(rawValue: "server")
  /// The answer is not what the protocol says it is.
  public static let invalidResponse = Self(rawValue: "invalidResponse")
  /// The callback belongs to no request of ours, or was used before.
  public static let stateMismatch = Self(rawValue: "stateMismatch")
  /// The callback URL is not one the protocol allows.
  public static let invalidCallback = Self(rawValue: "invalidCallback")
  /// The callback comes from another issuer (RFC 9207).
  public static let issuerMismatch = Self(rawValue: "issuerMismatch")
  /// The id_token is refused; the message says by which rule.
  public static let invalidIDToken = Self(rawValue: "invalidIDToken")
  /// Server and client disagree on the protocol, such as PKCE.
  public static let protocolViolation = Self(rawValue: "protocolViolation")
}

/// The device's part.
extension OAuthError.Code {
  /// The token cache failed; ``OAuthError/underlying`` is its error.
  public static let tokenCache = Self(rawValue: "tokenCache")
  /// The sign-in page could not be shown.
  public static let presentationFailed = Self(rawValue: "presentationFailed")
  /// The port of the redirect URI is in use.
  public static let portInUse = Self(rawValue: "portInUse")
  /// Nothing came back in time.
  public static let timedOut = Self(rawValue: "timedOut")
}

extension OAuthError.Code {
  var isRetryable: Bool {
    [.network, .serviceUnavailable, .throttled, .timedOut].contains(self)
  }

  var needsInteraction: Bool {
    self == .interactionRequired
  }
}
