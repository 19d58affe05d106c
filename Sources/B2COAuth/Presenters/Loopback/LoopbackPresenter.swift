internal import B2CCore
internal import B2CHTTP
public import Foundation

/// Signs in with the user's own browser and listens on this machine for the redirect (RFC 8252 section 7.3).
///
/// For command lines and desktop apps on Linux and macOS. It serves redirect URIs such as `http://localhost:8400/callback`
/// and `http://127.0.0.1/callback`. With a port in the URI that port is listened on, and a port in use is an error; without
/// one the system chooses, which Microsoft Entra accepts and Azure AD B2C does not: register the port there.
///
/// The listener lives for one flow. It answers only the redirect's path with the right `state`, by GET or by
/// `response_mode=form_post`; everything else is 404, and it goes on waiting.
public struct LoopbackPresenter: SignInPresenter {
  private let opening: BrowserOpening
  private let pages: LoopbackPages
  private let timeout: Duration
  private let clock: any Clock<Duration>

  /// Makes a presenter.
  ///
  /// - Parameters:
  ///   - opening: How the page is brought before the user.
  ///   - pages: What the browser shows at the end.
  ///   - timeout: How long the user may take; 5 minutes.
  ///   - clock: The clock that the timeout runs on.
  public init(
    opening: BrowserOpening, pages: LoopbackPages = LoopbackPages(), timeout: Duration = .seconds(300),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.opening = opening
    self.pages = pages
    self.timeout = timeout
    self.clock = clock
  }

  /// Accepts `http` redirect URIs to `localhost`, `127.0.0.1` and `[::1]`.
  ///
  /// - Parameter redirectURI: The redirect URI of the settings.
  /// - Throws: ``OAuthError`` with code ``OAuthError/Code/unsupportedRedirectURI`` for any other.
  public func validate(redirectURI: URL) throws {
    _ = try parsed(redirectURI)
  }

  /// Listens, opens the browser and waits for the redirect.
  ///
  /// - Parameter request: The page to show and the redirect to wait for.
  /// - Returns: The callback URL, with the port that was really listened on; a form's fields stand in its query.
  /// - Throws: ``OAuthError`` with code ``OAuthError/Code/portInUse``, ``OAuthError/Code/timedOut``,
  ///   ``OAuthError/Code/presentationFailed`` or ``OAuthError/Code/unsupportedRedirectURI``; `CancellationError`.
  public func present(_ request: PresentationRequest) async throws -> URL {
    let redirect = try parsed(request.redirectURI)
    try Task.checkCancellation()
    let answers = AsyncThrowingStream<URL, any Error>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let flow = LoopbackFlow(redirect: redirect, state: request.state, pages: pages, answers: answers.continuation)
    let listener = try await flow.listen()
    let page = request.url(redirectingTo: redirect.listening(on: listener.port))
    // Not waited for: a browser that was started may run as long as it likes.
    let browser = Task { [opening] in
      do {
        try await opening.open(page)
      } catch {
        answers.continuation.finish(throwing: error)
      }
    }
    let outcome = await Result.catching {
      try await PresentationDeadline.run(timeout, clock: clock) {
        for try await url in answers.stream { return url }
        throw CancellationError()
      }
    }
    browser.cancel()
    await listener.close()
    return try outcome.get()
  }

  private func parsed(_ redirectURI: URL) throws -> LoopbackRedirectURI {
    guard let redirect = LoopbackRedirectURI(redirectURI) else {
      throw RedirectKind.mismatch(redirectURI, presenter: "LoopbackPresenter")
    }
    return redirect
  }
}

extension Result where Failure == any Error {
  fileprivate static func catching(_ body: () async throws -> Success) async -> Self {
    do {
      return .success(try await body())
    } catch {
      return .failure(error)
    }
  }
}
