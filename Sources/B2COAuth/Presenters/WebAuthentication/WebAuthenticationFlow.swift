internal import B2CCore
package import Foundation

/// One sign-in with the system's sheet, without the sheet itself.
package struct WebAuthenticationFlow: Sendable {
  private let supportsHTTPSCallbacks: Bool
  private let makeSession:
    @MainActor @Sendable (WebAuthenticationPage, PresentationRequest) throws -> any WebAuthenticationSession

  /// Makes a flow.
  ///
  /// - Parameters:
  ///   - supportsHTTPSCallbacks: Whether this system's sheet can end at an https URL.
  ///   - makeSession: Makes the sheet for a page.
  package init(
    supportsHTTPSCallbacks: Bool,
    makeSession:
      @escaping @MainActor @Sendable (WebAuthenticationPage, PresentationRequest) throws ->
      any WebAuthenticationSession
  ) {
    self.supportsHTTPSCallbacks = supportsHTTPSCallbacks
    self.makeSession = makeSession
  }

  /// Says where the sheet ends for a redirect URI.
  ///
  /// - Throws: ``OAuthError`` with code ``OAuthError/Code/unsupportedRedirectURI``.
  package func callback(for redirectURI: URL) throws -> WebAuthenticationPage.Callback {
    switch RedirectKind(redirectURI) {
    case .privateUse(let scheme):
      return .customScheme(scheme)
    case .https where supportsHTTPSCallbacks:
      let path = URLComponents(url: redirectURI, resolvingAgainstBaseURL: true)?.path ?? ""
      return .https(host: redirectURI.host ?? "", path: path.isEmpty ? "/" : path)
    case .https:
      throw RedirectKind.mismatch(
        redirectURI, presenter: "WebAuthenticationPresenter", reason: "this system's version is too old for https.")
    case .loopback, .customScheme, .outOfBand, .unusable:
      throw RedirectKind.mismatch(redirectURI, presenter: "WebAuthenticationPresenter")
    }
  }

  /// Shows the sheet and waits for its end.
  ///
  /// - Throws: ``OAuthError`` with code ``OAuthError/Code/userClosedBrowser``, ``OAuthError/Code/presentationFailed`` or
  ///   ``OAuthError/Code/unsupportedRedirectURI``; `CancellationError`.
  @MainActor
  package func run(_ request: PresentationRequest) async throws -> URL {
    let page = WebAuthenticationPage(
      url: request.url, callback: try callback(for: request.redirectURI), isEphemeral: request.prefersEphemeralSession)
    try Task.checkCancellation()
    let session = try makeSession(page, request)
    // A stream and not a continuation: it may be told the end twice, by the sheet and by the cancellation.
    let outcomes = AsyncStream<WebAuthenticationOutcome>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let isStarted = session.start { outcome in
      outcomes.continuation.yield(outcome)
      outcomes.continuation.finish()
    }
    guard isStarted else {
      throw OAuthError(
        .presentationFailed, "The system did not show the sign-in sheet.",
        recoverySuggestion: "Call from an app that is in the foreground and has a window.")
    }
    for await outcome in outcomes.stream {
      return try Self.url(of: outcome)
    }
    session.cancel()
    throw CancellationError()
  }

  private static func url(of outcome: WebAuthenticationOutcome) throws -> URL {
    switch outcome {
    case .callback(let url): return url
    case .closed: throw OAuthError(.userClosedBrowser, "The user closed the sign-in sheet.")
    case .failed(let reason): throw OAuthError(.presentationFailed, "The sign-in sheet failed: \(reason)")
    }
  }
}
