#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
  public import AuthenticationServices

  /// Signs in with the system's own sheet, `ASWebAuthenticationSession`.
  ///
  /// For apps on iOS, iPadOS, visionOS and macOS. It serves redirect URIs with a private-use scheme, such as
  /// `com.example.app:/callback` and `msauth.com.example.app://auth`, and https ones from iOS 17.4, macOS 14.4 and
  /// visionOS 1.1 on, when the app claims the domain. The scheme need not be in the app's `Info.plist`.
  public struct WebAuthenticationPresenter: SignInPresenter {
    private let flow: WebAuthenticationFlow

    /// Makes a presenter.
    ///
    /// The size of the sheet is the system's to choose: an app that is asked for a full screen answers by the window it
    /// gives here.
    ///
    /// - Parameter anchor: Gives the window that the sheet belongs to; the app's key window is looked for when it is `nil`
    ///   or gives `nil`.
    public init(anchor: (@MainActor @Sendable (PresentationRequest) -> ASPresentationAnchor?)? = nil) {
      flow = WebAuthenticationFlow(supportsHTTPSCallbacks: Self.supportsHTTPSCallbacks) { page, request in
        guard let window = anchor?(request) ?? PresentationAnchor.current else {
          throw OAuthError(
            .presentationFailed, "The app has no window to show the sign-in sheet in.",
            recoverySuggestion: "Sign in when a window is there, or pass one as the anchor.")
        }
        return SystemWebAuthenticationSession(page, anchor: window)
      }
    }

    /// Accepts private-use schemes, and https where the system can end its sheet there.
    ///
    /// - Parameter redirectURI: The redirect URI of the settings.
    /// - Throws: ``OAuthError`` with code ``OAuthError/Code/unsupportedRedirectURI`` for any other.
    public func validate(redirectURI: URL) throws {
      _ = try flow.callback(for: redirectURI)
    }

    /// Shows the sheet and waits for its end.
    ///
    /// - Parameter request: The page to show and the redirect to wait for.
    /// - Returns: The callback URL.
    /// - Throws: ``OAuthError`` with code ``OAuthError/Code/userClosedBrowser`` when the user closed the sheet,
    ///   ``OAuthError/Code/presentationFailed`` or ``OAuthError/Code/unsupportedRedirectURI``; `CancellationError`.
    public func present(_ request: PresentationRequest) async throws -> URL {
      try await flow.run(request)
    }

    private static var supportsHTTPSCallbacks: Bool {
      if #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) { true } else { false }
    }
  }
#endif
