public import B2CCore
internal import B2CLoopback
public import Foundation

/// Signs in with the user's own browser and listens on this machine for the redirect (RFC 8252 section 7.3).
///
/// For command lines and desktop apps on Linux and macOS. It serves redirect URIs such as `http://localhost:8400/callback`
/// and `http://127.0.0.1/callback`. With a port in the URI that port is listened on, and a port in use is an error; without
/// one the system chooses, which Microsoft Entra accepts, and Azure AD B2C where exactly `http://localhost` is registered.
///
/// The listener lives for one sign-in. The browser is opened at a one-time local page of it that redirects to the sign-in
/// page, so that the page's URL is on no command line. Besides that page only the redirect's path with the right `state` is
/// answered; everything else is 404. A sign-out ends at the path with any `state`.
public struct LoopbackPresenter: SignInPresenter, Redacted {
  private let open: @Sendable (URL) async throws -> Void
  private let page: @Sendable (_ isSuccess: Bool) -> String
  private let timeout: Duration
  private let pages: OpenPages

  /// Creates a presenter.
  ///
  /// - Parameters:
  ///   - open: Opens a URL of this machine in a browser on it and returns, or throws when it cannot, or tells the user to
  ///     open it, once; it is neither waited for nor cancelled.
  ///   - page: Returns the HTML that the browser shows at the end; a page in English when `nil`. It may have inline styles,
  ///     no script runs in it, and nothing is loaded.
  ///   - timeout: The longest wait for the user; 5 minutes when `nil`.
  ///   - clock: The clock that the timeout runs on.
  public init(
    open: @escaping @Sendable (URL) async throws -> Void, page: (@Sendable (_ isSuccess: Bool) -> String)? = nil,
    timeout: Duration? = nil, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.open = open
    self.page = page ?? LoopbackPage.html
    self.timeout = timeout ?? .seconds(300)
    pages = OpenPages(clock: clock)
  }

  /// Accepts `http` redirect URIs to `localhost`, `127.0.0.1` and `[::1]`.
  ///
  /// - Parameter redirectURI: The redirect URI of the settings.
  /// - Throws: An error with code ``ErrorCode/unsupportedRedirectURI`` for any other.
  public func validate(redirectURI: URL) throws { _ = try LoopbackRedirectURI(validating: redirectURI) }

  /// Listens, opens the browser and waits for the redirect.
  ///
  /// The page replaces an older page of this presenter, unless that page opened less than two seconds ago.
  ///
  /// - Parameter request: The page to show and the redirect to wait for.
  /// - Returns: The callback URL, with the listener's port.
  /// - Throws: An error with code ``ErrorCode/userClosedBrowser`` if a newer page replaces this one, and if another page opened
  ///   less than two seconds ago; ``ErrorCode/portInUse``, ``ErrorCode/timedOut``, ``ErrorCode/presentationFailed`` (also when
  ///   the local page is opened twice) or ``ErrorCode/unsupportedRedirectURI``; `CancellationError`.
  public func present(_ request: PresentationRequest) async throws -> URL {
    let redirect = try LoopbackRedirectURI(validating: request.redirectURI)
    try Browser.check(request.url)
    try Task.checkCancellation()
    // An older page may have the port that this page needs, so `begin` waits until that port is free.
    let current = try await pages.begin(request)
    defer { pages.end(current) }
    let firstPage = OneTimePage()
    let listener = try await listen(for: current, at: redirect, firstPage)
    if pages.open(current) { Browser.open(firstPage.url(at: listener), by: open, onFailure: current.callback.fail) }
    let outcome = await pages.outcome(of: current, within: timeout)
    await listener.close()
    return try outcome.get()
  }

  /// Starts to listen at the redirect URI's port for the one-time page and the redirect; everything else is 404.
  ///
  /// - Throws: An error with code ``ErrorCode/portInUse`` or ``ErrorCode/presentationFailed``.
  private func listen(
    for current: OpenPages.Page, at redirect: LoopbackRedirectURI, _ firstPage: OneTimePage
  ) async throws -> LoopbackListener {
    let (request, callback) = (current.request, current.callback)
    // The first answer wins: reloading the page cannot bring a second one.
    let isAnswered = Locked(false)
    return try await LoopbackListener(port: redirect.port, addresses: redirect.addresses, limits: .redirect) {
      [page] exchange in
      let redirectURI = redirect.listening(on: exchange.port)
      let target = request.url(redirectingTo: redirectURI)
      if await firstPage.answer(exchange, target: target, onFailure: callback.fail) { return }
      guard let answer = LoopbackCallback(exchange, path: redirect.path, redirectURI: redirectURI, for: request),
        isAnswered.setOnce()
      else {
        await exchange.respond(.page("Not found.\n", status: 404))
        return
      }
      await exchange.respond(.page(page(answer.isSuccess), type: "text/html"))
      callback.succeed(answer.url)
    }
  }
}

/// The one request that ends a sign-in.
private struct LoopbackCallback {
  /// The callback as a URL of the redirect URI, with the answer in its query.
  let url: URL
  /// Whether the server gave what was requested, and not an error.
  let isSuccess: Bool

  /// Reads a request; `nil` unless it is a GET to exactly the path, by a name of this machine, and with the right state.
  ///
  /// Any answer at the path ends the wait of a sign-out, since some servers do not send the state back; only one with the
  /// state says that the session has ended (OpenID Connect RP-Initiated Logout 1.0 section 3).
  init?(_ exchange: LoopbackExchange, path: String, redirectURI: URL, for request: PresentationRequest) {
    let query = exchange.request.query ?? ""
    let pairs = FormEncoding.decode(query)
    // A browser never sends a fragment; one that came would hide what follows it.
    guard exchange.isGetOfThisMachine, exchange.request.path == path, !query.contains("#"),
      request.purpose == .signOut || CallbackState.isRight(pairs, for: request.state),
      let url = URL(string: redirectURI.textBeforeQuery + (query.isEmpty ? "" : "?" + query))
    else { return nil }
    self.url = url
    let hasCode = pairs.contains { $0.name == "code" && !$0.value.isEmpty }
    isSuccess = !pairs.contains { $0.name == "error" } && (hasCode || request.purpose == .signOut)
  }
}

/// A redirect URI of this machine, parsed for a listener.
private struct LoopbackRedirectURI: Sendable {
  /// The redirect URI as registered.
  let registered: URL
  /// Its port; 0 when it has none, and the system is to choose.
  let port: UInt16
  /// The path a browser asks for.
  let path: String
  /// The addresses it means: both for `localhost`.
  let addresses: [LoopbackAddress]

  init(validating url: URL) throws {
    guard RedirectKind(url) == .loopback,
      let components = URLComponents(url: url, resolvingAgainstBaseURL: true),
      let port = UInt16(exactly: components.port ?? 0)
    else { throw RedirectKind.mismatch(url, presenter: "LoopbackPresenter") }
    registered = url
    self.port = port
    path = components.percentEncodedPath.isEmpty ? "/" : components.percentEncodedPath
    let host = (url.host ?? "").lowercased()
    addresses = host == "localhost" ? [.ipv4, .ipv6] : host.contains(":") ? [.ipv6] : [.ipv4]
  }

  /// Returns the redirect URI with the listener's port; everything else stays as written.
  func listening(on port: UInt16) -> URL {
    guard self.port == 0, var components = URLComponents(url: registered, resolvingAgainstBaseURL: true) else {
      return registered
    }
    components.port = Int(port)
    return components.url ?? registered
  }
}
