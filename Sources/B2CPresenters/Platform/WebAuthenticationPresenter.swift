#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
  public import AuthenticationServices
  internal import B2CCore

  /// A presenter that uses the system's sheet, `ASWebAuthenticationSession`, on iOS, iPadOS, visionOS and macOS.
  ///
  /// It accepts redirect URIs with a private-use scheme, for example `com.example.app:/callback` or
  /// `msauth.com.example.app://auth`. From iOS 17.4, macOS 14.4 and visionOS 1.1 on, it also accepts https redirect
  /// URIs whose domain the app claims. The scheme need not be in the app's `Info.plist`. A scheme without a dot works
  /// too, but another app can claim the same one. See <doc:SignIn>.
  public struct WebAuthenticationPresenter: SignInPresenter {
    // This is global, because the system shows one sheet of an app at a time, whichever presenter asks for it.
    private static let pages = OpenPages()

    private let flow: WebAuthenticationFlow

    /// Creates a presenter.
    ///
    /// The system chooses the size of the sheet. To follow `prefersFullScreen`, return a window of the right size here.
    ///
    /// - Parameter anchor: Returns the window that the sheet belongs to. It may be called several times for one sheet.
    ///   If it is `nil`, the default, or returns `nil`, the sheet belongs to the key window of the active scene, and in
    ///   a Mac app without a key window to a window of the browser. In an app extension, which has no window, the
    ///   sign-in throws ``ErrorCode/presentationFailed``.
    public init(anchor: (@MainActor @Sendable (PresentationRequest) -> ASPresentationAnchor?)? = nil) {
      flow = WebAuthenticationFlow(
        supportsHTTPSCallbacks: Self.supportsHTTPSCallbacks, pages: Self.pages,
        isWindowActive: { request in
          if let window = anchor?(request) { return PresentationAnchor.isActive(window) }
          return Bundle.main.isAppExtension || PresentationAnchor.current != nil
        },
        makeSession: { callback, request in
          let chosen = anchor?(request)
          return SystemWebAuthenticationSession(request, callback: callback, anchor: try chosen ?? Self.window())
        })
    }

    @MainActor
    private static func window() throws -> ASPresentationAnchor {
      // `UIApplication.shared` would end the process of an app extension.
      guard !Bundle.main.isAppExtension else {
        throw ConnectorError(
          own: .presentationFailed, "An app extension cannot show a sign-in page.",
          recoverySuggestion: "Ask the user to open the app, and sign in there.")
      }
      guard let window = PresentationAnchor.current else {
        throw ConnectorError(
          own: .presentationFailed, "The app has no active window to show the sign-in sheet in.",
          recoverySuggestion: "Sign in when a window is active, or pass one as the anchor.")
      }
      return window
    }

    /// Accepts redirect URIs with the scheme of an app, and https ones if the system can end its sheet there.
    ///
    /// - Parameter redirectURI: The redirect URI of the settings.
    /// - Throws: An error with code ``ErrorCode/unsupportedRedirectURI`` for any other.
    public func validate(redirectURI: URL) throws { _ = try flow.callback(for: redirectURI) }

    /// Shows the sheet and waits until it ends, however long the user takes.
    ///
    /// The sheet replaces an older one of this app, unless that one opened less than two seconds ago. If no scene is
    /// active yet, the sheet waits up to two seconds for one.
    ///
    /// - Parameter request: The page to show and the redirect to wait for.
    /// - Returns: The callback URL.
    /// - Throws: An error with code ``ErrorCode/userClosedBrowser`` if the user closed the sheet, if a newer sign-in
    ///   replaced it, or if another sheet opened less than two seconds ago; ``ErrorCode/presentationFailed`` if it
    ///   could not be shown, for example in an app extension or if the app is not associated with the host of an https
    ///   redirect URI; ``ErrorCode/unsupportedRedirectURI``; `CancellationError`.
    public func present(_ request: PresentationRequest) async throws -> URL { try await flow.run(request) }

    private static var supportsHTTPSCallbacks: Bool {
      if #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) { true } else { false }
    }
  }

  /// The system's sheet.
  @MainActor
  final class SystemWebAuthenticationSession: NSObject, WebAuthenticationSession {
    private let request: PresentationRequest
    private let callback: WebAuthenticationCallback
    private let anchor: ASPresentationAnchor
    private var session: ASWebAuthenticationSession?

    init(_ request: PresentationRequest, callback: WebAuthenticationCallback, anchor: ASPresentationAnchor) {
      self.request = request
      self.callback = callback
      self.anchor = anchor
    }

    func start(_ completion: @escaping @Sendable (WebAuthenticationOutcome) -> Void) -> Bool {
      // The closure is explicitly `@Sendable`. Otherwise it would inherit the isolation of this main-actor type, and
      // trap when the system calls it on another thread.
      let handler: @Sendable (URL?, (any Error)?) -> Void = { [callback] url, error in
        let known = error as? ASWebAuthenticationSessionError
        let failure = callback.error(code: known?.errorCode, userInfo: known?.userInfo ?? [:])
        completion(url.map { .success($0) } ?? .failure(failure))
      }
      let session = makeSession(handler: handler)
      session.presentationContextProvider = self
      session.prefersEphemeralWebBrowserSession = request.prefersEphemeralSession
      self.session = session
      return session.start()
    }

    func cancel() {
      session?.cancel()
      session = nil
    }

    private func makeSession(handler: @escaping @Sendable (URL?, (any Error)?) -> Void) -> ASWebAuthenticationSession {
      if #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) {
        let end: ASWebAuthenticationSession.Callback =
          switch callback {
          case .customScheme(let scheme): .customScheme(scheme)
          case .https(let host, let path): .https(host: host, path: path)
          }
        return ASWebAuthenticationSession(url: request.url, callback: end, completionHandler: handler)
      }
      // Here the callback is always a custom scheme: on a system whose sheet cannot return to an https URL,
      // `WebAuthenticationFlow` has already refused a redirect URI of that kind.
      let scheme: String? = if case .customScheme(let scheme) = callback { scheme } else { nil }
      return ASWebAuthenticationSession(url: request.url, callbackURLScheme: scheme, completionHandler: handler)
    }
  }

  extension SystemWebAuthenticationSession: ASWebAuthenticationPresentationContextProviding {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
  }
#endif
