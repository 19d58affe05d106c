package import B2CCore
package import Foundation

/// One sign-in with the system's sheet, without the sheet itself.
package struct WebAuthenticationFlow: Sendable {
  /// Makes the sheet for a page.
  package typealias MakeSession =
    @MainActor @Sendable (WebAuthenticationCallback, PresentationRequest) throws -> any WebAuthenticationSession

  private let supportsHTTPSCallbacks: Bool
  private let pages: OpenPages
  private let isWindowActive: @MainActor @Sendable (PresentationRequest) -> Bool
  private let makeSession: MakeSession

  /// Creates a flow.
  ///
  /// - Parameters:
  ///   - supportsHTTPSCallbacks: Whether this system's sheet can end at an https URL.
  ///   - pages: The sheets of this app, of which the system shows one.
  ///   - isWindowActive: Whether the window that the sheet belongs to is in an active scene.
  ///   - makeSession: Makes the sheet for a page.
  package init(
    supportsHTTPSCallbacks: Bool, pages: OpenPages = OpenPages(),
    isWindowActive: @escaping @MainActor @Sendable (PresentationRequest) -> Bool = { _ in true },
    makeSession: @escaping MakeSession
  ) {
    self.supportsHTTPSCallbacks = supportsHTTPSCallbacks
    self.pages = pages
    self.isWindowActive = isWindowActive
    self.makeSession = makeSession
  }

  /// Returns where the sheet ends for a redirect URI.
  ///
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/unsupportedRedirectURI``.
  package func callback(for redirectURI: URL) throws -> WebAuthenticationCallback {
    switch RedirectKind(redirectURI) {
    case .appScheme(let scheme):
      return .customScheme(scheme)
    case .https where supportsHTTPSCallbacks:
      let path = URLComponents(url: redirectURI, resolvingAgainstBaseURL: true)?.path ?? ""
      return .https(host: redirectURI.host ?? "", path: path.isEmpty ? "/" : path)
    case .https, .loopback, .unusable:
      throw RedirectKind.mismatch(redirectURI, presenter: "WebAuthenticationPresenter")
    }
  }

  /// Shows the sheet and waits for its end.
  ///
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/userClosedBrowser``, ``ErrorCode/presentationFailed`` or
  ///   ``ErrorCode/unsupportedRedirectURI``; `CancellationError`.
  @MainActor
  package func run(_ request: PresentationRequest) async throws -> URL {
    let callback = try callback(for: request.redirectURI)
    do {
      return try await show(request, callback)
    } catch let error as ConnectorError where error.isRetryable {
      // The system may still be taking another sheet away, or the app is about to become active.
      try await pages.clock.sleep(for: .milliseconds(500))
      return try await show(request, callback)
    }
  }

  @MainActor
  private func show(_ request: PresentationRequest, _ callback: WebAuthenticationCallback) async throws -> URL {
    try Task.checkCancellation()
    let page = try await pages.begin(request)
    var isShown = false
    defer { pages.end(page, isClosed: !isShown) }
    // At launch and after Face ID a scene needs a moment to become active. The system refuses a sheet until then.
    let waiting = Stopwatch(pages.clock)
    while !isWindowActive(request), waiting.elapsed < .seconds(2) {
      try await pages.clock.sleep(for: .milliseconds(100))
    }
    let session = try makeSession(callback, request)
    guard pages.open(page) else { return try await page.callback.value() }
    isShown = session.start { [pages] outcome in
      pages.close(page)
      page.callback.end(outcome.mapError { $0 })
    }
    let refusal = ConnectorError(
      own: .presentationFailed, "The system did not show the sign-in sheet.",
      recoverySuggestion: "Call from an app that is in the foreground and has a window.", isRetryable: true)
    // The system may have given a reason already, which then is the one that counts.
    if !isShown { page.callback.fail(refusal) }
    do {
      return try await page.callback.value()
    } catch let error as ConnectorError where !isShown && error.code == .userClosedBrowser {
      // The user cannot have closed a sheet that never appeared.
      throw refusal
    } catch {
      if !pages.isClosed(page) { session.cancel() }
      throw error
    }
  }
}

/// The end of a sheet: the callback, or why there is none.
package typealias WebAuthenticationOutcome = Result<URL, ConnectorError>

/// The system's sign-in sheet, as a protocol so that the flow can be tested without it.
@MainActor
package protocol WebAuthenticationSession: AnyObject, Sendable {
  /// Shows the sheet. The completion may be called on any thread, twice or never.
  ///
  /// - Returns: Whether the sheet could be shown.
  func start(_ completion: @escaping @Sendable (WebAuthenticationOutcome) -> Void) -> Bool

  /// Takes the sheet away. The system may call the completion afterwards, or not.
  func cancel()
}

/// Where a sheet ends.
package enum WebAuthenticationCallback: Sendable, Hashable {
  /// Any URL of a scheme.
  case customScheme(String)
  /// Any https URL of a host and a path.
  case https(host: String, path: String)

  /// Returns the error of a sheet that the system has ended without a callback.
  ///
  /// Code 1 (`canceledLogin`) means two things: the user closed the sheet, or the system refused an https callback because
  /// the app is not associated with its host. Only the second has a failure reason.
  ///
  /// - Parameters:
  ///   - code: The code of an `ASWebAuthenticationSessionError`; `nil` for any other error.
  ///   - userInfo: The error's details.
  /// - Returns: The error; with code ``ErrorCode/userClosedBrowser`` only where it was the user.
  package func error(code: Int?, userInfo: [String: Any]) -> ConnectorError {
    let reason: String
    var suggestion: String?
    switch code {
    case 1:
      guard let given = userInfo[NSLocalizedFailureReasonErrorKey] as? String else {
        return ConnectorError(own: .userClosedBrowser, "The user closed the sign-in sheet.")
      }
      // A reason of the system names the app and the domain; one with a URL might hold the whole page's or callback's.
      reason = (given.contains("://") ? nil : PrintableText(limit: 400).show(given)) ?? "the system refused it."
      if case .https(let host, _) = self {
        suggestion =
          "Add webcredentials:\(host) to Associated Domains, and the app to the host's apple-app-site-association."
      }
    case 2, 3:
      reason = "the window cannot show it."
      suggestion = "Pass a window of a scene in the foreground as the anchor."
    default:
      // Not the error's own text: it may hold the whole URL.
      reason = "the system gave neither a callback nor a known error."
    }
    return ConnectorError(
      own: .presentationFailed, "The sign-in sheet failed: " + ErrorText.sentence(reason),
      // The window's scene may become active.
      recoverySuggestion: suggestion, isRetryable: code == 3)
  }
}
