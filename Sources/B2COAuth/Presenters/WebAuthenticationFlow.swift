internal import B2CCore
package import Foundation

/// One sign-in with the system's sheet, without the sheet itself.
package struct WebAuthenticationFlow: Sendable {
  private let supportsHTTPSCallbacks: Bool
  private let makeSession:
    @MainActor @Sendable (WebAuthenticationPage, PresentationRequest) throws -> any WebAuthenticationSession

  /// Creates a flow.
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

  /// Returns where the sheet ends for a redirect URI.
  ///
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/unsupportedRedirectURI``.
  package func callback(for redirectURI: URL) throws -> WebAuthenticationPage.Callback {
    switch RedirectKind(redirectURI) {
    case .privateUse(let scheme), .customScheme(let scheme):
      return .customScheme(scheme)
    case .https where supportsHTTPSCallbacks:
      let path = URLComponents(url: redirectURI, resolvingAgainstBaseURL: true)?.path ?? ""
      return .https(host: redirectURI.host ?? "", path: path.isEmpty ? "/" : path)
    case .https:
      throw RedirectKind.mismatch(
        redirectURI, presenter: "WebAuthenticationPresenter", reason: "this system's version is too old for https.")
    case .loopback, .outOfBand, .unusable:
      throw RedirectKind.mismatch(redirectURI, presenter: "WebAuthenticationPresenter")
    }
  }

  /// Shows the sheet and waits for its end.
  ///
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/userClosedBrowser``, ``ErrorCode/presentationFailed`` or
  ///   ``ErrorCode/unsupportedRedirectURI``; `CancellationError`.
  @MainActor
  package func run(_ request: PresentationRequest) async throws -> URL {
    let page = WebAuthenticationPage(
      url: request.url, callback: try callback(for: request.redirectURI), isEphemeral: request.prefersEphemeralSession)
    try Task.checkCancellation()
    let session = try makeSession(page, request)
    // A stream and not a continuation: the end may come twice, from the sheet and from the cancellation.
    let outcomes = AsyncStream<WebAuthenticationOutcome>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let isStarted = session.start { outcome in
      outcomes.continuation.yield(outcome)
      outcomes.continuation.finish()
    }
    guard isStarted else {
      outcomes.continuation.finish()
      // What the system has said at once is why; that the user closed a sheet which was not there, it is not.
      for await case .failed(let reason, let suggestion) in outcomes.stream {
        throw Self.failure(reason, suggestion)
      }
      throw ConnectorError(
        own: .presentationFailed, "The system did not show the sign-in sheet.",
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
    case .closed: throw ConnectorError(own: .userClosedBrowser, "The user closed the sign-in sheet.")
    case .failed(let reason, let suggestion): throw failure(reason, suggestion)
    }
  }

  private static func failure(_ reason: String, _ suggestion: String?) -> ConnectorError {
    ConnectorError(
      own: .presentationFailed, "The sign-in sheet failed: " + ErrorText.sentence(reason),
      recoverySuggestion: suggestion)
  }
}

/// The system's sign-in sheet, as a protocol so that the flow can be tested without it.
@MainActor
package protocol WebAuthenticationSession: AnyObject, Sendable {
  /// Shows the sheet; the completion is called at most once, on any thread.
  ///
  /// - Returns: Whether the sheet could be shown.
  func start(_ completion: @escaping @Sendable (WebAuthenticationOutcome) -> Void) -> Bool

  /// Takes the sheet away; whether the completion is called then is open.
  func cancel()
}

/// A sheet's page and the redirect that ends it.
package struct WebAuthenticationPage: Sendable {
  /// Where the sheet ends.
  package enum Callback: Sendable, Hashable {
    /// Any URL of a scheme.
    case customScheme(String)
    /// Any https URL of a host and a path.
    case https(host: String, path: String)
  }

  /// The URL of the page.
  package let url: URL
  /// Where the sheet ends.
  package let callback: Callback
  /// Whether the sheet shares no cookies with the browser.
  package let isEphemeral: Bool
}
