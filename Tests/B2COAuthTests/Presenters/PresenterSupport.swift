import B2CCore
import B2COAuth
import Foundation
import TestSupport

/// A page that is shown, as a test sees it.
struct ShownPage: Sendable {
  /// The URL that the browser was opened with.
  let opened: URL
  /// The page's URL, after the one-time local page where there is one.
  let url: URL

  init(opened: URL) async {
    self.opened = opened
    url = await Self.location(of: opened) ?? opened
  }

  /// Fetches a local page as a browser does, and returns where it redirects to.
  private static func location(of url: URL) async -> URL? {
    guard url.scheme == "http", let port = url.port.flatMap(UInt16.init(exactly:)), let host = url.host,
      let answer = try? await get(url.path, port: port, host: host)
    else { return nil }
    return answer.field("Location").flatMap { URL(string: $0) }
  }

  /// The redirect URI that the page was given.
  var redirectURI: URL? {
    URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedQuery.flatMap { query in
      FormEncoding.decode(query).first { $0.name == "redirect_uri" }.flatMap { URL(string: $0.value) }
    }
  }

  /// The port of that redirect URI.
  var port: UInt16 { UInt16(redirectURI?.port ?? 0) }
}

/// A browser that opens nothing and tells what it should have opened.
struct PageWatcher: Sendable {
  private let stream: AsyncStream<URL>
  private let continuation: AsyncStream<URL>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  /// Tells the watcher what was opened.
  @Sendable func opened(_ url: URL) {
    continuation.yield(url)
  }

  /// Waits for the next page.
  func next() async -> ShownPage {
    for await url in stream { return await ShownPage(opened: url) }
    return await ShownPage(opened: URL(fileURLWithPath: "/none"))
  }

  /// Waits for the next URL that a browser is opened with, without fetching it.
  func nextURL() async -> URL {
    for await url in stream { return url }
    return URL(fileURLWithPath: "/none")
  }
}

/// A suite whose loopback presenters open pages that it watches.
protocol LoopbackPages {
  var pages: PageWatcher { get }
}

extension LoopbackPages {
  static var state: String { PresentationRequest.testState }

  func presenter(timeout: Duration = .seconds(300), clock: any Clock<Duration> = ContinuousClock())
    -> LoopbackPresenter
  {
    LoopbackPresenter(open: pages.opened, timeout: timeout, clock: clock)
  }

  func present(
    _ redirectURI: String, purpose: PresentationRequest.Purpose = .signIn
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
    _ redirectURI: String, purpose: Purpose = .signIn, ephemeral: Bool = false,
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

/// Sends one GET and returns the whole answer.
func get(_ target: String, port: UInt16, host: String = "127.0.0.1", headers: String = "") async throws -> String {
  let client = try await LoopbackClient(
    port: port, host: host, sending: "GET \(target) HTTP/1.1\r\nHost: localhost:\(port)\r\n\(headers)\r\n")
  return await client.receiveAll()
}

extension String {
  /// The value of a header field of an answer.
  func field(_ name: String) -> String? {
    components(separatedBy: "\r\n").first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
  }
}
