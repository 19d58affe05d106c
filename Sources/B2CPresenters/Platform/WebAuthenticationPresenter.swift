#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
  public import AuthenticationServices
  internal import B2CCore

  /// Signs in with the system's own sheet, `ASWebAuthenticationSession`.
  ///
  /// For apps on iOS, iPadOS, visionOS and macOS. It serves redirect URIs with a private-use scheme, such as
  /// `com.example.app:/callback` and `msauth.com.example.app://auth`, and https ones from iOS 17.4, macOS 14.4 and
  /// visionOS 1.1 on, when the app claims the domain. The scheme need not be in the app's `Info.plist`. A scheme without a dot
  /// works too, but another app can claim the same one.
  public struct WebAuthenticationPresenter: SignInPresenter {
    // Global, because the system shows one sheet of an app at a time, whichever presenter asks for it.
    private static let pages = OpenPages()

    private let flow: WebAuthenticationFlow

    /// Creates a presenter.
    ///
    /// The size of the sheet is the system's to choose: an app that is asked for a full screen answers by the window it
    /// gives here.
    ///
    /// - Parameter anchor: Returns the window that the sheet belongs to; it may be called several times for one sheet. If it is
    ///   `nil` or returns `nil`, the key window of the active scene is used. A Mac app without a key window gets a window of
    ///   the browser. In an app extension, which has no window, the sign-in ends with ``ErrorCode/presentationFailed``.
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
      // `UIApplication.shared` ends the process of an app extension.
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

    /// Accepts schemes of an app, and https where the system can end its sheet there.
    ///
    /// - Parameter redirectURI: The redirect URI of the settings.
    /// - Throws: An error with code ``ErrorCode/unsupportedRedirectURI`` for any other.
    public func validate(redirectURI: URL) throws { _ = try flow.callback(for: redirectURI) }

    /// Shows the sheet and waits for its end, however long the user takes.
    ///
    /// The sheet replaces an older one of this app, unless that one opened less than two seconds ago. If no scene is active
    /// yet, the sheet waits up to two seconds for one.
    ///
    /// - Parameter request: The page to show and the redirect to wait for.
    /// - Returns: The callback URL.
    /// - Throws: An error with code ``ErrorCode/userClosedBrowser`` if the user closed the sheet, if a newer sign-in replaced
    ///   it, and if another sheet opened less than two seconds ago; ``ErrorCode/presentationFailed`` if it could not be shown,
    ///   also in an app extension and if the app is not associated with the host of an https redirect URI;
    ///   ``ErrorCode/unsupportedRedirectURI``; `CancellationError`.
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
      // Written out as `@Sendable`: inside a main-actor type the closure would be taken for main-actor code, and trap when
      // the system calls it elsewhere.
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
      // An https callback is refused before it gets here on a system that cannot have it.
      let scheme: String? = if case .customScheme(let scheme) = callback { scheme } else { nil }
      return ASWebAuthenticationSession(url: request.url, callbackURLScheme: scheme, completionHandler: handler)
    }
  }

  extension SystemWebAuthenticationSession: ASWebAuthenticationPresentationContextProviding {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
  }
#endif
