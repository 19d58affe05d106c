public import B2CCore
public import Foundation

/// A presenter that uses a browser outside your app, which returns through the app's open-URL callback.
///
/// Use it if your app opens the page itself and receives a custom scheme or an https link that it claims. Pass every
/// URL that the app is opened with to ``resume(with:)``. See <doc:SignIn>.
///
/// ```swift
/// let presenter = ExternalBrowserPresenter { await openURL($0) }
/// // in the app: .onOpenURL { presenter.resume(with: $0) }
/// ```
public final class ExternalBrowserPresenter: SignInPresenter, Redacted {
  private let open: @Sendable (URL) async throws -> Void
  private let timeout: Duration
  private let pages: OpenPages

  /// Creates a presenter.
  ///
  /// - Parameters:
  ///   - open: Opens a URL and returns, as `UIApplication.open(_:)` and SwiftUI's `openURL` do, or throws if it cannot.
  ///     The presenter does not wait for it and never cancels it. Do not log the URL or pass it on a command line,
  ///     because anyone who reads it can finish the sign-in.
  ///   - timeout: The longest wait for the user. The default is 10 minutes.
  ///   - clock: The clock for the timeout. The default is a `ContinuousClock`.
  public init(
    open: @escaping @Sendable (URL) async throws -> Void, timeout: Duration = .seconds(600),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.open = open
    self.timeout = timeout
    pages = OpenPages(clock: clock)
  }

  /// Handles a URL that your app was opened with.
  ///
  /// You can call it with any URL, at any time and on any thread.
  ///
  /// - Parameter url: The URL, unchanged.
  /// - Returns: Whether the URL is the callback that a sign-in or sign-out waits for. It is `false` for any other URL
  ///   and for a callback that arrives twice or too late. A sign-out accepts any URL at its redirect URI.
  @discardableResult
  public func resume(with url: URL) -> Bool {
    let page = pages.take { request in
      request.purpose == .signOut
        ? CallbackState.isAtRedirect(url, request.redirectURI)
        : CallbackState.isRight(url, redirectURI: request.redirectURI, state: request.state)
    }
    page?.callback.succeed(url)
    return page != nil
  }

  /// Ends the sign-in that waits, for example because the user returned to the app without finishing it.
  ///
  /// The sign-in throws an error with code ``ErrorCode/userClosedBrowser``.
  public func cancel() {
    pages.take { _ in true }?.callback.fail(
      ConnectorError(own: .userClosedBrowser, "The user came back to the app before the page was finished."))
  }

  /// Accepts redirect URIs with the scheme of an app or https.
  ///
  /// - Parameter redirectURI: The redirect URI of the settings.
  /// - Throws: An error with code ``ErrorCode/unsupportedRedirectURI`` for any other.
  public func validate(redirectURI: URL) throws {
    switch RedirectKind(redirectURI) {
    case .appScheme, .https: return
    case .loopback, .unusable: throw RedirectKind.mismatch(redirectURI, presenter: "ExternalBrowserPresenter")
    }
  }

  /// Opens the page and waits until ``resume(with:)`` receives the callback.
  ///
  /// The page replaces an older page of this presenter, unless that page opened less than two seconds ago.
  ///
  /// - Parameter request: The page to show and the redirect to wait for.
  /// - Returns: The callback URL.
  /// - Throws: An error with code ``ErrorCode/userClosedBrowser`` after ``cancel()``, if a newer page replaces this
  ///   one, or if another page opened less than two seconds ago; ``ErrorCode/timedOut`` after the timeout;
  ///   ``ErrorCode/presentationFailed`` if the page could not be opened; ``ErrorCode/unsupportedRedirectURI``;
  ///   `CancellationError`.
  public func present(_ request: PresentationRequest) async throws -> URL {
    try validate(redirectURI: request.redirectURI)
    try Task.checkCancellation()
    try Browser.check(request.url)
    let page = try await pages.begin(request)
    defer { pages.end(page) }
    if pages.open(page) { Browser.open(request.url, by: open, onFailure: page.callback.fail) }
    return try await pages.outcome(of: page, within: timeout).get()
  }
}
