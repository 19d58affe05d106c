internal import B2CCore
internal import B2CLoopback
public import Foundation

/// Signs in with a browser outside the app, which returns through the app's open-URL callback.
///
/// For apps that open the page themselves and receive a custom scheme, or an https link that they claim. Hand every URL the
/// app is opened with to ``resume(with:)``, as MSAL's `handleMSALResponse` wants it.
///
/// ```swift
/// let presenter = ExternalBrowserPresenter(opening: BrowserOpening { await openURL($0) })
/// // in the app: .onOpenURL { presenter.resume(with: $0) }
/// ```
public final class ExternalBrowserPresenter: SignInPresenter {
  private struct Flow {
    let request: PresentationRequest
    let callback: PendingCallback
    let id = UUID()

    func isAnswered(by url: URL) -> Bool {
      request.purpose == .signOut
        ? CallbackState.isAtRedirect(url, request.redirectURI)
        : CallbackState.isRight(url, redirectURI: request.redirectURI, state: request.state)
    }
  }

  private let opening: BrowserOpening
  private let timeout: Duration
  private let clock: any Clock<Duration>
  /// The page that is open.
  private let flow = Locked<Flow?>(nil)

  /// Creates a presenter.
  ///
  /// - Parameters:
  ///   - opening: The way to bring the page before the user.
  ///   - timeout: The longest wait for the user; 10 minutes.
  ///   - clock: The clock that the timeout runs on.
  public init(
    opening: BrowserOpening, timeout: Duration = .seconds(600), clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.opening = opening
    self.timeout = timeout
    self.clock = clock
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
    let matching = flow.withLock { flow -> Flow? in
      guard let open = flow, open.isAnswered(by: url) else { return nil }
      flow = nil
      return open
    }
    matching?.callback.succeed(url)
    return matching != nil
  }

  /// Ends the waiting sign-in, as when the user returns to the app without having finished.
  ///
  /// The sign-in throws an error with code ``ErrorCode/userClosedBrowser``.
  public func cancel() {
    replaceFlow(with: nil)
  }

  /// Accepts schemes of an app and https.
  ///
  /// - Parameter redirectURI: The redirect URI of the settings.
  /// - Throws: An error with code ``ErrorCode/unsupportedRedirectURI`` for any other.
  public func validate(redirectURI: URL) throws {
    switch RedirectKind(redirectURI) {
    case .appScheme, .https: return
    case .loopback, .unusable:
      throw RedirectKind.mismatch(redirectURI, presenter: "ExternalBrowserPresenter")
    }
  }

  /// Opens the page and waits until ``resume(with:)`` gets the callback; an older page of this presenter ends.
  ///
  /// - Parameter request: The page to show and the redirect to wait for.
  /// - Returns: The callback URL.
  /// - Throws: An error with code ``ErrorCode/userClosedBrowser`` after ``cancel()`` and when a newer page is opened,
  ///   ``ErrorCode/timedOut``, ``ErrorCode/presentationFailed`` or
  ///   ``ErrorCode/unsupportedRedirectURI``; `CancellationError`.
  public func present(_ request: PresentationRequest) async throws -> URL {
    try validate(redirectURI: request.redirectURI)
    try Task.checkCancellation()
    try BrowserOpening.check(request.url)
    let callback = PendingCallback()
    let localPage =
      opening.exposesURL ? try await OneTimePage.serve(request.url, onFailure: callback.fail) : nil
    let flow = Flow(request: request, callback: callback)
    replaceFlow(with: flow)
    opening.start(localPage?.url ?? request.url, onFailure: callback.fail)
    let outcome = await callback.result(within: timeout, purpose: request.purpose, clock: clock)
    self.flow.withLock { open in
      if open?.id == flow.id { open = nil }
    }
    await localPage?.listener.close()
    return try outcome.get()
  }

  private func replaceFlow(with new: Flow?) {
    let older = flow.withLock { flow in
      defer { flow = new }
      return flow
    }
    older?.callback.fail(ConnectorError(own: .userClosedBrowser, "The user returned without finishing the page."))
  }
}
