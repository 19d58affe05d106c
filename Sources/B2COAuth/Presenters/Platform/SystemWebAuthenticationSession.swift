#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
  internal import AuthenticationServices
  internal import Foundation

  /// The system's sheet.
  @MainActor
  final class SystemWebAuthenticationSession: NSObject, WebAuthenticationSession {
    private let page: WebAuthenticationPage
    private let anchor: ASPresentationAnchor
    private var session: ASWebAuthenticationSession?

    init(_ page: WebAuthenticationPage, anchor: ASPresentationAnchor) {
      self.page = page
      self.anchor = anchor
    }

    func start(_ completion: @escaping @Sendable (WebAuthenticationOutcome) -> Void) -> Bool {
      // Written out as `@Sendable`: inside a main-actor type the closure would be taken for main-actor code, and trap when
      // the system calls it elsewhere.
      let handler: @Sendable (URL?, (any Error)?) -> Void = { url, error in
        completion(Self.outcome(url, error))
      }
      let session = Self.makeSession(page, handler: handler)
      session.presentationContextProvider = self
      session.prefersEphemeralWebBrowserSession = page.isEphemeral
      self.session = session
      return session.start()
    }

    func cancel() {
      session?.cancel()
      session = nil
    }

    private static func makeSession(
      _ page: WebAuthenticationPage, handler: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) -> ASWebAuthenticationSession {
      if #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) {
        let callback: ASWebAuthenticationSession.Callback =
          switch page.callback {
          case .customScheme(let scheme): .customScheme(scheme)
          case .https(let host, let path): .https(host: host, path: path)
          }
        return ASWebAuthenticationSession(url: page.url, callback: callback, completionHandler: handler)
      }
      // An https callback is refused before it gets here on a system that cannot have it.
      let scheme: String? = if case .customScheme(let scheme) = page.callback { scheme } else { nil }
      return ASWebAuthenticationSession(url: page.url, callbackURLScheme: scheme, completionHandler: handler)
    }

    private nonisolated static func outcome(_ url: URL?, _ error: (any Error)?) -> WebAuthenticationOutcome {
      if let url { return .callback(url) }
      switch (error as? ASWebAuthenticationSessionError)?.code {
      case .canceledLogin: return .closed
      case .presentationContextNotProvided, .presentationContextInvalid:
        return .failed("the window cannot show it.")
      default:
        // Not the error's own text: it may hold the whole URL.
        return .failed("the system gave neither a callback nor a known error.")
      }
    }
  }

  extension SystemWebAuthenticationSession: ASWebAuthenticationPresentationContextProviding {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
  }
#endif
