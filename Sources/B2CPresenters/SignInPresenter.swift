public import B2CCore
public import Foundation

/// Shows a page to the user and returns the URL of its redirect.
///
/// An app, a command line and a test each have their own; a new one is a type with one method.
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
  /// Checks before a page opens whether this presenter can receive a redirect URI.
  ///
  /// - Parameter redirectURI: The redirect URI of the settings.
  /// - Throws: `ConnectorError` with code ``ErrorCode/unsupportedRedirectURI`` whose message names a presenter that
  ///   can.
  func validate(redirectURI: URL) throws

  /// Shows the page and waits until it redirects.
  ///
  /// - Parameter request: The page to show and the redirect to wait for.
  /// - Returns: The whole callback URL, unchanged.
  /// - Throws: `ConnectorError` with code ``ErrorCode/userClosedBrowser`` when the user closed the page,
  ///   ``ErrorCode/presentationFailed``, ``ErrorCode/portInUse`` or ``ErrorCode/timedOut`` when it could
  ///   not be shown or nothing came back; `CancellationError` when the calling task was cancelled.
  func present(_ request: PresentationRequest) async throws -> URL
}

extension SignInPresenter {
  /// Accepts any redirect URI.
  ///
  /// - Parameter redirectURI: The redirect URI of the settings.
  /// - Throws: Nothing.
  public func validate(redirectURI: URL) throws {}
}

/// A page to show and the redirect to wait for.
///
/// Printing it shows its type alone, because its URL and its state are secret.
public struct PresentationRequest: Sendable, Redacted {
  /// The reason for showing the page.
  package enum Purpose: Sendable, Hashable {
    /// A policy is run: sign-up, sign-in, profile edit, password reset.
    case signIn
    /// The session at the server is ended.
    case signOut
  }

  /// The reason for showing the page.
  package let purpose: Purpose
  /// The number of the sign-in that shows this page; all pages of one sign-in share it.
  let signIn: Int?
  /// The redirect URI of the settings.
  public let redirectURI: URL
  /// The request's `state`.
  ///
  /// A listener uses it to tell the real callback from others.
  public let state: Secret
  /// Whether the app wants a browser session that shares no cookies.
  public var prefersEphemeralSession: Bool
  /// Whether the app wants the page over the full screen (the tutorial's `fullScreen`).
  public var prefersFullScreen: Bool

  /// The URL of the page to show.
  ///
  /// It may hold an `id_token_hint`: never print it, log it or pass it on a command line.
  public let url: URL

  private let makeURL: @Sendable (URL) throws -> URL

  /// Creates a request to show a page.
  ///
  /// - Parameters:
  ///   - purpose: The reason for showing the page.
  ///   - signIn: The number of the sign-in, if it may show several pages.
  ///   - redirectURI: The redirect URI of the settings.
  ///   - state: The request's `state`.
  ///   - prefersEphemeralSession: Whether the app wants a browser session that shares no cookies.
  ///   - prefersFullScreen: Whether the app wants the page over the full screen.
  ///   - makeURL: Builds the URL of the page for a redirect URI; another port of this machine changes nothing that could fail.
  /// - Throws: What the closure throws for the redirect URI of the settings.
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

  /// Creates a request to sign in, for a test of an app's own presenter.
  ///
  /// - Parameters:
  ///   - url: The URL of the page.
  ///   - redirectURI: The redirect URI to come back from.
  ///   - state: The request's `state`.
  public init(url: URL, redirectURI: URL, state: Secret) {
    self.init(purpose: .signIn, redirectURI: redirectURI, state: state) { _ in url }
  }

  /// Returns the URL of the page for a redirect to another port of this machine.
  ///
  /// RFC 8252 section 7.3 lets a loopback redirect choose its port at request time; nothing else may differ.
  ///
  /// - Parameter loopbackRedirectURI: The redirect URI with the port of the listener.
  /// - Returns: The URL of the page.
  package func url(redirectingTo loopbackRedirectURI: URL) -> URL { (try? makeURL(loopbackRedirectURI)) ?? url }
}
