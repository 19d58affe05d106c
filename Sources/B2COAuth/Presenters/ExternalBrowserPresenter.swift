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
  }

  private struct State {
    var nextID = 0
    var flows: [Int: Flow] = [:]
  }

  private let opening: BrowserOpening
  private let timeout: Duration
  private let clock: any Clock<Duration>
  private let state = Locked(State())

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
  ///   callback that comes twice or too late. A sign-out takes any URL at its redirect that no sign-in waits for.
  @discardableResult
  public func resume(with url: URL) -> Bool {
    let flow = state.withLock { state -> Flow? in
      let match =
        state.flows.first {
          CallbackState.isRight(url, redirectURI: $0.value.request.redirectURI, state: $0.value.request.state)
        }
        ?? state.flows.first {
          $0.value.request.purpose == .signOut && CallbackState.isAtRedirect(url, $0.value.request.redirectURI)
        }
      return match.flatMap { state.flows.removeValue(forKey: $0.key) }
    }
    flow?.callback.succeed(url)
    return flow != nil
  }

  /// Ends every waiting sign-in, as when the user returns to the app without having finished.
  ///
  /// The sign-ins throw an error with code ``ErrorCode/userClosedBrowser``.
  public func cancel() {
    let flows = state.withLock { state in
      defer { state.flows = [:] }
      return Array(state.flows.values)
    }
    for flow in flows {
      flow.callback.fail(OAuthError(.userClosedBrowser, "The user returned without finishing the page."))
    }
  }

  /// Accepts schemes of an app and https.
  ///
  /// - Parameter redirectURI: The redirect URI of the settings.
  /// - Throws: An error with code ``ErrorCode/unsupportedRedirectURI`` for any other.
  public func validate(redirectURI: URL) throws {
    switch RedirectKind(redirectURI) {
    case .privateUse, .customScheme, .https: return
    case .loopback, .outOfBand, .unusable:
      throw RedirectKind.mismatch(redirectURI, presenter: "ExternalBrowserPresenter")
    }
  }

  /// Opens the page and waits until ``resume(with:)`` gets the callback.
  ///
  /// - Parameter request: The page to show and the redirect to wait for.
  /// - Returns: The callback URL.
  /// - Throws: An error with code ``ErrorCode/userClosedBrowser`` after ``cancel()``,
  ///   ``ErrorCode/timedOut``, ``ErrorCode/presentationFailed`` or
  ///   ``ErrorCode/unsupportedRedirectURI``; `CancellationError`.
  public func present(_ request: PresentationRequest) async throws -> URL {
    try validate(redirectURI: request.redirectURI)
    try Task.checkCancellation()
    try BrowserOpening.check(request.url)
    let callback = PendingCallback()
    let localPage =
      opening.exposesURL ? try await OneTimePage.serve(request.url, onFailure: callback.fail) : nil
    let id = add(Flow(request: request, callback: callback))
    opening.start(localPage?.url ?? request.url, onFailure: callback.fail)
    let outcome = await callback.result(within: timeout, purpose: request.purpose, clock: clock)
    state.withLock { _ = $0.flows.removeValue(forKey: id) }
    await localPage?.listener.close()
    return try outcome.get()
  }

  private func add(_ flow: Flow) -> Int {
    state.withLock { state in
      state.nextID += 1
      state.flows[state.nextID] = flow
      return state.nextID
    }
  }
}
