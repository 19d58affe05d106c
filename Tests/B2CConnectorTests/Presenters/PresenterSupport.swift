import B2CConnector
import Foundation
import TestSupport

/// A browser that opens nothing and tells what it should have opened.
struct PageWatcher: Sendable {
  private let pages = AsyncStream<URL>.makeStream()

  /// Tells the watcher what was opened.
  @Sendable func opened(_ url: URL) { pages.continuation.yield(url) }

  /// Waits for the next page.
  func next() async -> ShownPage { await ShownPage(opened: nextURL()) }

  /// Waits for the next URL that a browser is opened with, without fetching it.
  func nextURL() async -> URL {
    for await url in pages.stream { return url }
    return URL(fileURLWithPath: "/none")
  }
}

/// A suite whose loopback presenters open pages that it watches.
protocol LoopbackPages {
  var pages: PageWatcher { get }
}

extension LoopbackPages {
  static var state: String { PresentationRequest.testState }

  /// Follows the redirect to the app with a code, and returns the answer.
  @discardableResult
  func redirect(to page: ShownPage, code: String = "x") async throws -> String {
    try await get("/callback?code=\(code)&state=\(Self.state)", port: page.port)
  }

  func presenter(timeout: Duration = .seconds(300), clock: any Clock<Duration> = ContinuousClock())
    -> LoopbackPresenter
  {
    LoopbackPresenter(open: pages.opened, timeout: timeout, clock: clock)
  }

  func present(
    _ redirectURI: String = "http://localhost/callback", purpose: PresentationRequest.Purpose = .signIn
  ) async -> (Task<URL, any Error>, ShownPage) {
    let presenter = presenter()
    let task = Task { try await presenter.present(.test(redirectURI, purpose: purpose)) }
    return (task, await pages.next())
  }
}

extension PresentationRequest {
  static let testState = "st4te-of-this-flow"

  /// A request whose page's URL tells the redirect URI.
  static func test(
    _ redirectURI: String = "http://localhost/callback", purpose: Purpose = .signIn, ephemeral: Bool = false,
    page: String = "https://login.example/authorize", state: String = testState
  ) -> PresentationRequest {
    PresentationRequest(
      purpose: purpose, redirectURI: URL(string: redirectURI) ?? URL(fileURLWithPath: "/"), state: Secret(state),
      prefersEphemeralSession: ephemeral
    ) { redirect in
      let query = FormEncoding.encode([("redirect_uri", redirect.absoluteString)])
      return URL(string: page + (page.contains("?") ? "&" : "?") + query) ?? redirect
    }
  }
}
