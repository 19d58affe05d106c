public import B2CCore
public import Foundation

/// Signs in with a browser outside the app, which returns through the app's open-URL callback.
///
/// For apps that open the page themselves and receive a custom scheme, or an https link that they claim. Hand every URL the
/// app is opened with to ``resume(with:)``, as MSAL's `handleMSALResponse` wants it.
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
  ///   - open: Opens a URL and returns, as `UIApplication.open(_:)` or SwiftUI's `openURL` does, or throws when it cannot; it is
  ///     neither waited for nor cancelled. Do not log the URL or pass it on a command line: who reads it can finish the sign-in.
  ///   - timeout: The longest wait for the user; 10 minutes.
  ///   - clock: The clock that the timeout runs on.
  public init(
    open: @escaping @Sendable (URL) async throws -> Void, timeout: Duration = .seconds(600),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.open = open
    self.timeout = timeout
    pages = OpenPages(clock: clock)
  }

  /// Handles a URL that the app was opened with.
  ///
  /// May be called with any URL at any time, on any thread.
  ///
  /// - Parameter url: The URL, unchanged.
  /// - Returns: Whether it is the callback that a sign-in or sign-out waits for; `false` for every other one, also for a
  ///   callback that comes twice or too late. A sign-out takes any URL at its redirect.
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

  /// Ends the waiting sign-in, as when the user returns to the app without having finished.
  ///
  /// The sign-in throws an error with code ``ErrorCode/userClosedBrowser``.
  public func cancel() {
    pages.take { _ in true }?.callback.fail(
      ConnectorError(own: .userClosedBrowser, "The user returned without finishing the page."))
  }

  /// Accepts schemes of an app and https.
  ///
  /// - Parameter redirectURI: The redirect URI of the settings.
  /// - Throws: An error with code ``ErrorCode/unsupportedRedirectURI`` for any other.
  public func validate(redirectURI: URL) throws {
    switch RedirectKind(redirectURI) {
    case .appScheme, .https: return
    case .loopback, .unusable: throw RedirectKind.mismatch(redirectURI, presenter: "ExternalBrowserPresenter")
    }
  }

  /// Opens the page and waits until ``resume(with:)`` gets the callback.
  ///
  /// The page replaces an older page of this presenter, unless that page opened less than two seconds ago.
  ///
  /// - Parameter request: The page to show and the redirect to wait for.
  /// - Returns: The callback URL.
  /// - Throws: An error with code ``ErrorCode/userClosedBrowser`` after ``cancel()``, if a newer page replaces this one, and
  ///   if another page opened less than two seconds ago; ``ErrorCode/timedOut``, ``ErrorCode/presentationFailed`` or
  ///   ``ErrorCode/unsupportedRedirectURI``; `CancellationError`.
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
