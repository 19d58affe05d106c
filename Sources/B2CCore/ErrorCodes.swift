/// The reason for an error, as an open set of codes that all errors of a request, a sign-in or a task call share.
///
/// The package's own codes are in the extension below; an app's own part may throw codes of its own.
public struct ErrorCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The code's stable name.
  public var rawValue: String

  /// Makes a code from its stable name.
  ///
  /// - Parameter rawValue: The name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The code's stable name.
  public var description: String { rawValue }
}

extension ErrorCode {
  /// No answer: offline, refused, or the connection was lost; the underlying error is the transport's.
  public static let network = Self(rawValue: "network")
  /// No answer in time (also status 408), or the sign-in page was not finished in time.
  public static let timedOut = Self(rawValue: "timedOut")
  /// Too many requests (status 429).
  public static let throttled = Self(rawValue: "throttled")
  /// The service is not available (5xx).
  public static let serviceUnavailable = Self(rawValue: "serviceUnavailable")
  /// The server refused for a reason without a code here.
  public static let server = Self(rawValue: "server")
  /// The answer, the callback or the id_token is not what the protocol says it is, cannot be read, or is of another sign-in.
  public static let invalidResponse = Self(rawValue: "invalidResponse")
  /// The authority or the task server does not offer what was asked of it (405, 501).
  public static let unsupported = Self(rawValue: "unsupported")
  /// The authority, policy, client ID, redirect URI or scopes do not fit what the service knows, or the settings lack them.
  public static let configuration = Self(rawValue: "configuration")
  /// A presenter or transport supplied by the app failed with an error of its own, which is the underlying one.
  public static let other = Self(rawValue: "other")

  // MARK: Outcomes of the user's actions

  /// The user pressed Cancel in the page, and the service says so (such as by AADB2C90091).
  public static let userCancelledInPage = Self(rawValue: "userCancelledInPage")
  /// The user did not agree to a new token: the app's `beforeRefresh` threw.
  public static let userCancelled = Self(rawValue: "userCancelled")
  /// The service does not let this user in, for a reason that ``ConnectorError/serverDescription`` tells the user.
  public static let accessDenied = Self(rawValue: "accessDenied")
  /// The user closed the browser sheet or window, a newer sign-in replaced the page, or another page had just opened.
  public static let userClosedBrowser = Self(rawValue: "userClosedBrowser")
  /// The user asked for a new password (AADB2C90118).
  public static let passwordResetRequested = Self(rawValue: "passwordResetRequested")
  /// No user is signed in, or the session has expired: show a sign-in page.
  public static let interactionRequired = Self(rawValue: "interactionRequired")
  /// Another user signed in than the required one.
  public static let wrongUser = Self(rawValue: "wrongUser")
  /// The user exists already (sign-up).
  public static let userAlreadyExists = Self(rawValue: "userAlreadyExists")
  /// A federated identity provider, such as Facebook, failed.
  public static let identityProviderFailed = Self(rawValue: "identityProviderFailed")

  // MARK: Configuration errors

  /// The chosen presenter cannot serve the redirect URI.
  public static let unsupportedRedirectURI = Self(rawValue: "unsupportedRedirectURI")
  /// The answer has no access token: no API scope was asked for, or the app lacks the permission for it.
  public static let missingAPIScope = Self(rawValue: "missingAPIScope")

  // MARK: Failures on this device

  /// The token cache failed; the `underlying` error is its own.
  public static let tokenCache = Self(rawValue: "tokenCache")
  /// The sign-in page could not be shown.
  public static let presentationFailed = Self(rawValue: "presentationFailed")
  /// The port of the redirect URI is in use.
  public static let portInUse = Self(rawValue: "portInUse")
  /// The system is about to suspend the app: no token was requested, and it may be when the app is active again.
  public static let suspended = Self(rawValue: "suspended")
  /// The access token has expired, and this process must not refresh it: the options say so, or it is an app extension.
  public static let refreshNotAllowed = Self(rawValue: "refreshNotAllowed")

  // MARK: Refusals of an API

  /// The API refused a token (401), and the new one that replaced it too, unless there was none.
  public static let unauthorized = Self(rawValue: "unauthorized")
  /// The token lacks a scope; the message says which, if the API does (RFC 6750 section 3.1).
  public static let insufficientScope = Self(rawValue: "insufficientScope")
  /// The API asks for further claims, such as a second factor: the user has to sign in with them.
  public static let claimsRequired = Self(rawValue: "claimsRequired")
  /// The request leads to an origin that tokens may not be sent to; nothing was sent, and no token was asked for.
  public static let originNotAllowed = Self(rawValue: "originNotAllowed")

  // MARK: Found before anything is sent

  /// The task cannot be sent: its title is empty or over the limit, or no id or title tells the server which one is meant.
  public static let invalidItem = Self(rawValue: "invalidItem")

  // MARK: The server refused

  /// The user is not allowed to do this (403).
  public static let forbidden = Self(rawValue: "forbidden")
  /// Nothing exists at the URL (404, 410): the base URL is wrong, or the task does not exist.
  public static let notFound = Self(rawValue: "notFound")
  /// The request does not fit the server's state or fields (409), such as `MissingTask` in the wrong dialect.
  public static let conflict = Self(rawValue: "conflict")
  /// The request or the answer is larger than a limit (413, or a limit of the client).
  public static let tooLarge = Self(rawValue: "tooLarge")

  // MARK: Codes of the settings

  /// The settings cannot be used; ``ConnectorError/underlying`` is a `SettingsError` with every problem.
  public static let settings = Self(rawValue: "settings")

  // MARK: What a code alone says

  /// Whether an error with this code is retryable where nothing more is known about it.
  package var isRetryable: Bool { [.network, .serviceUnavailable, .throttled, .timedOut, .suspended].contains(self) }

  /// Whether only the user, at a sign-in page, can fix an error with this code.
  package var needsInteraction: Bool { self == .interactionRequired }
}
