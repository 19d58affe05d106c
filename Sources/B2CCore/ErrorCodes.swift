/// The code of an error, which is one of an open set.
///
/// The SDK's own codes are listed here. Parts that your app supplies can throw codes of their own.
public struct ErrorCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The name of the code, which never changes.
  public var rawValue: String

  /// Creates a code from its name.
  ///
  /// - Parameter rawValue: The name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The name of the code.
  public var description: String { rawValue }
}

extension ErrorCode {
  /// The request got no response, because the device is offline, the connection was refused, or it was lost.
  public static let network = Self(rawValue: "network")
  /// The response did not arrive in time (also status 408), or the user did not finish the sign-in page in time.
  public static let timedOut = Self(rawValue: "timedOut")
  /// The server received too many requests (status 429).
  public static let throttled = Self(rawValue: "throttled")
  /// The server is not available (status 5xx).
  public static let serviceUnavailable = Self(rawValue: "serviceUnavailable")
  /// The server refused the request for a reason that has no code here.
  public static let server = Self(rawValue: "server")
  /// The response, the callback or the id_token breaks the protocol, cannot be read, or belongs to another sign-in.
  public static let invalidResponse = Self(rawValue: "invalidResponse")
  /// The provider or the task server does not support the operation (status 405 or 501).
  public static let unsupported = Self(rawValue: "unsupported")
  /// The authority, policy, client ID, redirect URI or scopes do not match the registration, or the settings lack them.
  public static let configuration = Self(rawValue: "configuration")
  /// A presenter or transport that the app supplies threw an error of its own, which is the underlying error.
  public static let other = Self(rawValue: "other")

  // MARK: Outcomes of the user's actions

  /// The user pressed Cancel on the sign-in page, as the provider reports (for example with AADB2C90091).
  public static let userCancelledInPage = Self(rawValue: "userCancelledInPage")
  /// The user did not allow the use of the refresh token, so the app's `beforeRefresh` threw.
  public static let userCancelled = Self(rawValue: "userCancelled")
  /// The provider does not let this user in, for a reason that ``ConnectorError/serverDescription`` explains.
  public static let accessDenied = Self(rawValue: "accessDenied")
  /// The user closed the sign-in page, a newer sign-in replaced it, or another page had just opened.
  public static let userClosedBrowser = Self(rawValue: "userClosedBrowser")
  /// The user pressed "Forgot your password?" (AADB2C90118), and the SDK did not show a page for that.
  public static let passwordResetRequested = Self(rawValue: "passwordResetRequested")
  /// No user is signed in, or the session has ended, so show a sign-in page.
  public static let interactionRequired = Self(rawValue: "interactionRequired")
  /// Another user signed in than the required one.
  public static let wrongUser = Self(rawValue: "wrongUser")
  /// The user signed up with an account that exists already.
  public static let userAlreadyExists = Self(rawValue: "userAlreadyExists")
  /// A federated identity provider, for example Facebook, failed.
  public static let identityProviderFailed = Self(rawValue: "identityProviderFailed")

  // MARK: Configuration errors

  /// The presenter does not support the redirect URI.
  public static let unsupportedRedirectURI = Self(rawValue: "unsupportedRedirectURI")
  /// The response has no access token, because no API scope was requested, or the app lacks the permission for it.
  public static let missingAPIScope = Self(rawValue: "missingAPIScope")

  // MARK: Failures on this device

  /// The token cache failed with the underlying error.
  public static let tokenCache = Self(rawValue: "tokenCache")
  /// The sign-in page could not be shown.
  public static let presentationFailed = Self(rawValue: "presentationFailed")
  /// Another program uses the port of the redirect URI.
  public static let portInUse = Self(rawValue: "portInUse")
  /// The system is about to suspend the app, so no token was requested and the call can be repeated when the app is
  /// active.
  public static let suspended = Self(rawValue: "suspended")
  /// The access token has expired, and this process must not refresh it, because the options say so or it is an app
  /// extension.
  public static let refreshNotAllowed = Self(rawValue: "refreshNotAllowed")

  // MARK: Refusals of an API

  /// The API refused the access token (401), and there was no new token, or the API refused that too.
  public static let unauthorized = Self(rawValue: "unauthorized")
  /// The access token lacks a scope, which the message names if the API does (RFC 6750 section 3.1).
  public static let insufficientScope = Self(rawValue: "insufficientScope")
  /// The API requires further claims, for example a second factor, so the user must sign in with them.
  public static let claimsRequired = Self(rawValue: "claimsRequired")
  /// The URL's origin must not receive tokens, so nothing was sent and no token was requested.
  public static let originNotAllowed = Self(rawValue: "originNotAllowed")

  // MARK: Found before anything is sent

  /// The task cannot be sent, because its title is empty or too long, or because neither id nor title identifies it.
  public static let invalidItem = Self(rawValue: "invalidItem")

  // MARK: The server refused

  /// The user is not allowed to do this (403).
  public static let forbidden = Self(rawValue: "forbidden")
  /// Nothing exists at the URL (404 or 410), because the base URL is wrong or the task does not exist.
  public static let notFound = Self(rawValue: "notFound")
  /// The request conflicts with the server's state or fields (409), for example `MissingTask` in the wrong dialect.
  public static let conflict = Self(rawValue: "conflict")
  /// The request or the response is larger than a limit of the server (413) or of the client.
  public static let tooLarge = Self(rawValue: "tooLarge")

  // MARK: Codes of the settings

  /// The settings cannot be used, and ``ConnectorError/underlying`` is a `SettingsError` with every problem.
  public static let settings = Self(rawValue: "settings")

  // MARK: What a code alone says

  /// Whether an error with this code is retryable, if nothing more is known about it.
  package var isRetryable: Bool { [.network, .serviceUnavailable, .throttled, .timedOut, .suspended].contains(self) }

  /// Whether only the user can resolve an error with this code, on a sign-in page.
  package var needsInteraction: Bool { self == .interactionRequired }
}
