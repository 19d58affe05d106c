#if os(macOS) || os(Linux)
  import B2CConnector
  import B2CTestKit
  import Foundation
  import TestSupport
  import Testing

  /// A tenant on this machine, an app that signs in to it, and the browser between them.
  struct BrowserScene: Sendable {
    static let finished = "You can close this window"
    static let notFinished = "Not finished"

    let tenant: LocalTenant
    let tasks: LocalTaskServer
    let connector: Connector
    let browser: Browser
    private let pages: AsyncStream<URL>

    static func run(host: String = "127.0.0.1", _ test: (BrowserScene) async throws -> Void) async throws {
      try await Browser.run { try await test(BrowserScene(host: host, $0)) }
    }

    private init(host: String, _ browser: Browser) async throws {
      self.browser = browser
      let (pages, opened) = AsyncStream<URL>.makeStream()
      self.pages = pages
      // Azure AD B2C accepts only the registered port, and so does the tenant.
      tenant = LocalTenant(redirectURIs: ["http://\(host):\(try await Self.freePort())/callback"])
      tasks = LocalTaskServer(tenant: tenant)
      try await tenant.start()
      try await tasks.start()
      var environment = Connector.Environment()
      environment.presenter = LoopbackPresenter(open: { opened.yield($0) }, timeout: .seconds(60))
      environment.cache = .memory()
      connector = try Connector(settings: tenant.settings(taskServer: tasks), environment: environment)
    }

    /// Returns a port that was free a moment ago.
    static func freePort() async throws -> UInt16 {
      let tenant = LocalTenant()
      try await tenant.start()
      let port = tenant.origin.port.flatMap(UInt16.init(exactly:))
      await tenant.stop()
      return try #require(port)
    }

    /// Begins a sign-in and opens its page in the browser.
    func begin(_ kind: Policy.Kind, options: SignInOptions = SignInOptions()) async throws -> Task<UserInfo, any Error>
    {
      let signIn = Task { try await connector.doPolicy(kind, options: options) }
      try await openPage()
      return signIn
    }

    /// Waits for the next page that the app opens, and opens it in the browser.
    func openPage() async throws {
      for await page in pages { return try await browser.open(page) }
      throw Browser.Failure(description: "No page was opened.")
    }

    /// Checks what the last page says, and that nothing of the request is in it.
    func checkLastPage(_ heading: String) async throws {
      try await browser.waitForHeading(heading)
      let page = try await browser.evaluate(
        """
        const html = document.documentElement.outerHTML;
        return [...new URLSearchParams(location.search)].filter(([, value]) => html.includes(value)).map(([name]) => name);
        """)
      #expect(page == [], "The page repeats parameters of its URL.")
      #expect(try await browser.complaints() == [])
    }
  }
#endif
