package import B2CCore
package import Foundation

/// A sign-in with the system's sheet, separated from the sheet itself so that it can be tested.
package struct WebAuthenticationFlow: Sendable {
  /// A function that creates the sheet for a page.
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
  ///   - pages: The sheets of this app, of which the system shows one at a time.
  ///   - isWindowActive: Whether the window that the sheet belongs to is in an active scene.
  ///   - makeSession: Creates the sheet for a page.
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

  /// Returns the callback at which the sheet ends for a redirect URI.
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

  /// Shows the sheet and waits until it ends.
  ///
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/userClosedBrowser``, ``ErrorCode/presentationFailed`` or
  ///   ``ErrorCode/unsupportedRedirectURI``; `CancellationError`.
  @MainActor
  package func run(_ request: PresentationRequest) async throws -> URL {
    let callback = try callback(for: request.redirectURI)
    do {
      return try await show(request, callback)
    } catch let error as ConnectorError where error.isRetryable {
      // The system may still be removing another sheet, or the app may be about to become active, so try again.
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
    // At launch and after Face ID, a scene needs a moment to become active. The system refuses a sheet until then.
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
    // If the system has already given a reason, this changes nothing, because only the first end of a callback counts.
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

/// The end of a sheet: the callback, or the error that ended it.
package typealias WebAuthenticationOutcome = Result<URL, ConnectorError>

/// The system's sign-in sheet, as a protocol so that the flow can be tested without it.
@MainActor
package protocol WebAuthenticationSession: AnyObject, Sendable {
  /// Shows the sheet.
  ///
  /// The system may call the completion on any thread, twice or never.
  ///
  /// - Returns: Whether the system shows the sheet.
  func start(_ completion: @escaping @Sendable (WebAuthenticationOutcome) -> Void) -> Bool

  /// Removes the sheet, after which the system may still call the completion.
  func cancel()
}

/// The callback at which a sheet ends.
package enum WebAuthenticationCallback: Sendable, Hashable {
  /// Any URL of a scheme.
  case customScheme(String)
  /// Any https URL of a host and a path.
  case https(host: String, path: String)

  /// Returns the error of a sheet that the system has ended without a callback.
  ///
  /// Code 1 (`canceledLogin`) has two meanings: the user closed the sheet, or the system refused an https callback
  /// because the app is not associated with its host. Only the second one has a failure reason.
  ///
  /// - Parameters:
  ///   - code: The code of an `ASWebAuthenticationSessionError`, or `nil` for any other error.
  ///   - userInfo: The details of the error.
  /// - Returns: The error, with code ``ErrorCode/userClosedBrowser`` only if the user closed the sheet.
  package func error(code: Int?, userInfo: [String: Any]) -> ConnectorError {
    let reason: String
    var suggestion: String?
    switch code {
    case 1:
      guard let given = userInfo[NSLocalizedFailureReasonErrorKey] as? String else {
        return ConnectorError(own: .userClosedBrowser, "The user closed the sign-in sheet.")
      }
      // The system's reason names the app and the domain. If it has a URL, it is not shown, because the URL may be the
      // whole URL of the page or the callback.
      reason = (given.contains("://") ? nil : PrintableText(limit: 400).show(given)) ?? "the system refused it."
      if case .https(let host, _) = self {
        suggestion =
          "Add webcredentials:\(host) to Associated Domains, and the app to the host's apple-app-site-association."
      }
    case 2, 3:
      reason = "the window cannot show it."
      suggestion = "Pass a window of a scene in the foreground as the anchor."
    default:
      // The error's own text is not shown, because it may contain the whole URL.
      reason = "the system gave neither a callback nor a known error."
    }
    return ConnectorError(
      own: .presentationFailed, "The sign-in sheet failed: " + ErrorText.sentence(reason),
      // Only code 3 is retryable, because the scene of the window may become active later.
      recoverySuggestion: suggestion, isRetryable: code == 3)
  }
}
