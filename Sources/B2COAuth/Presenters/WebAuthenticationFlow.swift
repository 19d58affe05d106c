package import B2CCore
package import Foundation

/// One sign-in with the system's sheet, without the sheet itself.
package struct WebAuthenticationFlow: Sendable {
  /// Makes the sheet for a page.
  package typealias MakeSession =
    @MainActor @Sendable (WebAuthenticationCallback, PresentationRequest) throws -> any WebAuthenticationSession

  private let supportsHTTPSCallbacks: Bool
  private let makeSession: MakeSession
  private let isOpen: Locked<Bool>

  /// Creates a flow.
  ///
  /// - Parameters:
  ///   - supportsHTTPSCallbacks: Whether this system's sheet can end at an https URL.
  ///   - isOpen: Whether the system shows a sheet of this app.
  ///   - makeSession: Makes the sheet for a page.
  package init(
    supportsHTTPSCallbacks: Bool, isOpen: Locked<Bool> = Locked(false), makeSession: @escaping MakeSession
  ) {
    self.supportsHTTPSCallbacks = supportsHTTPSCallbacks
    self.isOpen = isOpen
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
    case .https:
      throw RedirectKind.mismatch(
        redirectURI, presenter: "WebAuthenticationPresenter", reason: "this system's version is too old for https.")
    case .loopback, .unusable:
      throw RedirectKind.mismatch(redirectURI, presenter: "WebAuthenticationPresenter")
    }
  }

  /// Shows the sheet and waits for its end.
  ///
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/userClosedBrowser``, ``ErrorCode/signInUnderWay``,
  ///   ``ErrorCode/presentationFailed`` or ``ErrorCode/unsupportedRedirectURI``; `CancellationError`.
  @MainActor
  package func run(_ request: PresentationRequest) async throws -> URL {
    let callback = try callback(for: request.redirectURI)
    try Task.checkCancellation()
    let isSecond = isOpen.withLock { isOpen in
      defer { isOpen = true }
      return isOpen
    }
    guard !isSecond else {
      throw ConnectorError(
        own: .signInUnderWay, "Another sign-in page of this app is open.",
        recoverySuggestion: "Begin one sign-in at a time, such as by a button that is disabled meanwhile.")
    }
    defer { isOpen.withLock { $0 = false } }
    let session = try makeSession(callback, request)
    // A stream and not a continuation: the end may come twice, from the sheet and from the cancellation.
    let outcomes = AsyncStream<WebAuthenticationOutcome>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let isStarted = session.start { outcome in
      outcomes.continuation.yield(outcome)
      outcomes.continuation.finish()
    }
    guard isStarted else {
      outcomes.continuation.finish()
      // What the system has said at once is why; that the user closed a sheet which was not there, it is not.
      for await case .failure(let error) in outcomes.stream where error.code != .userClosedBrowser { throw error }
      throw ConnectorError(
        own: .presentationFailed, "The system did not show the sign-in sheet.",
        recoverySuggestion: "Call from an app that is in the foreground and has a window.")
    }
    for await outcome in outcomes.stream { return try outcome.get() }
    session.cancel()
    throw CancellationError()
  }
}

/// The end of a sheet: the callback, or why there is none.
package typealias WebAuthenticationOutcome = Result<URL, ConnectorError>

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
      recoverySuggestion: suggestion)
  }
}
