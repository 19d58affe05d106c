public import B2CCore
internal import B2CLoopback
public import Foundation

/// A presenter that uses the user's browser and listens on this machine for the redirect (RFC 8252 section 7.3).
///
/// Use it for command lines and desktop apps on Linux and macOS. It accepts redirect URIs like
/// `http://localhost:8400/callback` and `http://127.0.0.1/callback`. If the URI has a port, the presenter listens on
/// it, and fails if the port is in use. Without a port the system chooses one. Microsoft Entra accepts that, and Azure
/// AD B2C accepts it if exactly `http://localhost` is registered. See <doc:SignIn>.
///
/// The listener exists for one sign-in. The browser first opens a local page that works once and redirects to the
/// sign-in page, so that the URL of the sign-in page is on no command line. The listener answers only that page and the
/// redirect with the right `state`, and everything else with 404. A sign-out accepts any `state`.
public struct LoopbackPresenter: SignInPresenter, Redacted {
  private let open: @Sendable (URL) async throws -> Void
  private let page: @Sendable (_ isSuccess: Bool) -> String
  private let timeout: Duration
  private let pages: OpenPages

  /// Creates a presenter.
  ///
  /// - Parameters:
  ///   - open: Opens the URL in a browser on this machine, or asks the user to, and throws if it cannot. It is called
  ///     once. The presenter does not wait for it and never cancels it.
  ///   - page: Returns the HTML that the browser shows at the end, by default a page in English. The HTML may contain
  ///     inline styles, but no script runs in it and nothing is loaded.
  ///   - timeout: The longest wait for the user. With `nil`, the default, it is 5 minutes.
  ///   - clock: The clock for the timeout. The default is a `ContinuousClock`.
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
  /// - Throws: An error with code ``ErrorCode/userClosedBrowser`` if a newer page replaces this one, or if another page
  ///   opened less than two seconds ago; ``ErrorCode/portInUse``; ``ErrorCode/timedOut`` after the timeout;
  ///   ``ErrorCode/presentationFailed`` if the browser could not be opened or the local page was opened twice;
  ///   ``ErrorCode/unsupportedRedirectURI``; `CancellationError`.
  public func present(_ request: PresentationRequest) async throws -> URL {
    let redirect = try LoopbackRedirectURI(validating: request.redirectURI)
    try Browser.check(request.url)
    try Task.checkCancellation()
    // An older page may hold the port that this page needs, so `begin` waits until the port is free.
    let current = try await pages.begin(request)
    defer { pages.end(current) }
    let firstPage = OneTimePage()
    let listener = try await listen(for: current, at: redirect, firstPage)
    if pages.open(current) { Browser.open(firstPage.url(at: listener), by: open, onFailure: current.callback.fail) }
    let outcome = await pages.outcome(of: current, within: timeout)
    await listener.close()
    return try outcome.get()
  }

  /// Listens on the redirect URI's port, and answers everything but the one-time page and the redirect with 404.
  ///
  /// - Throws: An error with code ``ErrorCode/portInUse`` or ``ErrorCode/presentationFailed``.
  private func listen(
    for current: OpenPages.Page, at redirect: LoopbackRedirectURI, _ firstPage: OneTimePage
  ) async throws -> LoopbackListener {
    let (request, callback) = (current.request, current.callback)
    // The first callback is final, so that reloading the page cannot deliver a second one.
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

/// The one request that ends a sign-in or a sign-out.
private struct LoopbackCallback {
  /// The callback URL: the redirect URI with the query of the request.
  let url: URL
  /// Whether the server sent the requested result and not an error.
  let isSuccess: Bool

  /// Reads a request, or returns `nil` unless it is a GET for the path that names this machine and has the state.
  ///
  /// A sign-out accepts any request for the path, because some servers do not send the state back. Only the right state
  /// proves that the browser returned from the sign-out page (OpenID Connect RP-Initiated Logout 1.0 section 3).
  init?(_ exchange: LoopbackExchange, path: String, redirectURI: URL, for request: PresentationRequest) {
    let query = exchange.request.query ?? ""
    let pairs = FormEncoding.decode(query)
    // A browser never sends a `#`. If another program does, the rest would become the fragment of the callback URL.
    guard exchange.isGetOfThisMachine, exchange.request.path == path, !query.contains("#"),
      request.purpose == .signOut || CallbackState.isRight(pairs, for: request.state),
      let url = URL(string: redirectURI.textBeforeQuery + (query.isEmpty ? "" : "?" + query))
    else { return nil }
    self.url = url
    let hasCode = pairs.contains { $0.name == "code" && !$0.value.isEmpty }
    isSuccess = !pairs.contains { $0.name == "error" } && (hasCode || request.purpose == .signOut)
  }
}

/// The redirect URI of a listener, split into the parts that it needs.
private struct LoopbackRedirectURI: Sendable {
  /// The redirect URI as registered.
  let registered: URL
  /// The port, or 0 if the URI has none and the system must choose one.
  let port: UInt16
  /// The path that a browser requests.
  let path: String
  /// The addresses that the host means, which are two for `localhost`.
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

  /// Returns the redirect URI with the listener's port and otherwise unchanged.
  func listening(on port: UInt16) -> URL {
    guard self.port == 0, var components = URLComponents(url: registered, resolvingAgainstBaseURL: true) else {
      return registered
    }
    components.port = Int(port)
    return components.url ?? registered
  }
}
