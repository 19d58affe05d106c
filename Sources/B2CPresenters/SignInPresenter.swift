public import B2CCore
public import Foundation

/// A type that shows a page to the user and returns the URL that the page redirects to.
///
/// To write your own presenter, implement one method. See <doc:SignIn>.
///
/// ```swift
/// struct PastedAddress: SignInPresenter {
///   func present(_ request: PresentationRequest) async throws -> URL {
///     await openURL(request.url)
///     if let url = readLine().flatMap({ URL(string: $0) }) { return url }
///     throw ConnectorError(.userClosedBrowser, "No address was pasted.")
///   }
/// }
/// ```
public protocol SignInPresenter: Sendable {
  /// Checks whether this presenter can receive a redirect URI, before a page opens.
  ///
  /// - Parameter redirectURI: The redirect URI of the settings.
  /// - Throws: `ConnectorError` with code ``ErrorCode/unsupportedRedirectURI``, which names a presenter that can.
  func validate(redirectURI: URL) throws

  /// Shows the page and waits until it redirects.
  ///
  /// - Parameter request: The page to show and the redirect to wait for.
  /// - Returns: The whole callback URL, unchanged.
  /// - Throws: `ConnectorError` with code ``ErrorCode/userClosedBrowser`` if the user closed the page,
  ///   ``ErrorCode/presentationFailed`` or ``ErrorCode/portInUse`` if the page could not be shown, or
  ///   ``ErrorCode/timedOut`` if no callback arrived; `CancellationError` if the calling task was cancelled.
  func present(_ request: PresentationRequest) async throws -> URL
}

extension SignInPresenter {
  /// Accepts any redirect URI, for presenters without a check of their own.
  ///
  /// - Parameter redirectURI: The redirect URI of the settings.
  /// - Throws: Nothing.
  public func validate(redirectURI: URL) throws {}
}

/// The page to show and the redirect to wait for.
///
/// Printing it shows only its type, because its URL and its state are secret.
public struct PresentationRequest: Sendable, Redacted {
  /// The reason for showing the page.
  package enum Purpose: Sendable, Hashable {
    /// The user goes through a policy: sign-up, sign-in, profile edit or password reset.
    case signIn
    /// The user ends the session at the provider.
    case signOut
  }

  /// The reason for showing the page.
  package let purpose: Purpose
  /// The number of the sign-in that shows this page; all pages of one sign-in share it.
  let signIn: Int?
  /// The redirect URI of the settings.
  public let redirectURI: URL
  /// The `state` of the request.
  ///
  /// A listener uses it to recognize the real callback.
  public let state: Secret
  /// Whether the app wants a browser session that shares no cookies, by default `false`.
  public var prefersEphemeralSession: Bool
  /// Whether the app wants the page to cover the whole screen (the tutorial's `fullScreen`), by default `false`.
  public var prefersFullScreen: Bool

  /// The URL of the page to show.
  ///
  /// Never print it, log it or pass it on a command line, because it may contain an `id_token_hint`.
  public let url: URL

  private let makeURL: @Sendable (URL) throws -> URL

  /// Creates a request to show a page.
  ///
  /// - Parameters:
  ///   - purpose: The reason for showing the page.
  ///   - signIn: The number of the sign-in, if it may show several pages.
  ///   - redirectURI: The redirect URI of the settings.
  ///   - state: The `state` of the request.
  ///   - prefersEphemeralSession: Whether the app wants a browser session that shares no cookies.
  ///   - prefersFullScreen: Whether the app wants the page to cover the whole screen.
  ///   - makeURL: Builds the URL of the page for a redirect URI. If it succeeds for the redirect URI of the settings,
  ///     it must also succeed with another port of this machine.
  /// - Throws: The error of `makeURL` for the redirect URI of the settings.
  package init(
    purpose: Purpose, signIn: Int? = nil, redirectURI: URL, state: Secret,
    prefersEphemeralSession: Bool = false, prefersFullScreen: Bool = false,
    makeURL: @escaping @Sendable (URL) throws -> URL
  ) rethrows {
    self.purpose = purpose
    self.signIn = signIn
    self.redirectURI = redirectURI
    self.state = state
    self.prefersEphemeralSession = prefersEphemeralSession
    self.prefersFullScreen = prefersFullScreen
    self.makeURL = makeURL
    url = try makeURL(redirectURI)
  }

  /// Creates a request to sign in, for a test of your own presenter.
  ///
  /// - Parameters:
  ///   - url: The URL of the page.
  ///   - redirectURI: The redirect URI that the page redirects to.
  ///   - state: The `state` of the request.
  public init(url: URL, redirectURI: URL, state: Secret) {
    self.init(purpose: .signIn, redirectURI: redirectURI, state: state) { _ in url }
  }

  /// Returns the URL of the page for a redirect to another port of this machine.
  ///
  /// RFC 8252 section 7.3 lets a loopback redirect choose its port for each request. Nothing else may differ.
  ///
  /// - Parameter loopbackRedirectURI: The redirect URI with the port of the listener.
  /// - Returns: The URL of the page.
  package func url(redirectingTo loopbackRedirectURI: URL) -> URL { (try? makeURL(loopbackRedirectURI)) ?? url }
}
