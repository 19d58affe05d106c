#if os(macOS) || os(Linux)
  import B2CConnector
  import B2CHTTP
  import B2CTestKit
  import Foundation
  import TestSupport
  import Testing

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// A tenant on this machine, an app that signs in to it, and the browser between them.
  struct BrowserScene: Sendable {
    let tenant: LocalTenant
    let tasks: LocalTaskServer
    let connector: Connector
    let browser: Browser
    private let opened: (stream: AsyncStream<URL>, continuation: AsyncStream<URL>.Continuation)

    /// Plays a scene from the first start of the servers to the end of the browser.
    static func run(
      host: String = "127.0.0.1", resetsPasswords: Bool = false, scripts: Bool = true,
      _ test: (BrowserScene) async throws -> Void
    ) async throws {
      // The tenant takes a redirect to the registered port only, as Azure AD B2C does.
      let redirectURI = "http://\(host):\(try await freePort())/callback"
      try await Browser.run(scripts: scripts) { browser in
        let tenant = LocalTenant(redirectURIs: [redirectURI])
        let tasks = LocalTaskServer(tenant: tenant)
        try await tenant.start()
        try await tasks.start()
        let outcome: Result<Void, any Error>
        do {
          let scene = try BrowserScene(
            tenant, tasks, browser, redirectURI: try url(redirectURI), resetsPasswords: resetsPasswords)
          outcome = .success(try await test(scene))
        } catch {
          outcome = .failure(error)
        }
        await tenant.stop()
        await tasks.stop()
        try outcome.get()
      }
    }

    private init(
      _ tenant: LocalTenant, _ tasks: LocalTaskServer, _ browser: Browser, redirectURI: URL, resetsPasswords: Bool
    ) throws {
      let opened = AsyncStream<URL>.makeStream()
      let others =
        try [
          Policy(id: "B2C_1_SignUpOrSignIn", kind: .signUpOrSignIn),
          Policy(id: "B2C_1_EditProfile", kind: .profileEdit),
        ]
        + (resetsPasswords ? [Policy(id: "B2C_1_ResetPassword", kind: .passwordReset)] : [])
      self.tenant = tenant
      self.tasks = tasks
      self.browser = browser
      self.opened = opened
      connector = try Connector(
        settings: ConnectorSettings(
          authority: try Authority(tenant.authority(form: .query)), clientID: tenant.clientID, scopes: tenant.apiScopes,
          redirectURI: redirectURI, taskWebAPI: tasks.url,
          policies: .init(
            emailSignUp: try Policy(id: "B2C_1_SignUp", kind: .signUp),
            emailSignIn: try Policy(id: "B2C_1_SignIn", kind: .signIn), others: others)),
        presenter: LoopbackPresenter(
          open: { opened.continuation.yield($0) },
          timeout: .seconds(60)),
        cache: InMemoryTokenCache())
    }

    /// A port that the system has just had to give.
    static func freePort() async throws -> UInt16 {
      let tenant = LocalTenant()
      try await tenant.start()
      let port = tenant.origin.port.flatMap { UInt16(exactly: $0) }
      await tenant.stop()
      return try #require(port)
    }

    /// Lets the app begin a sign-in.
    func begin(_ kind: Policy.Kind, options: SignInOptions = SignInOptions()) -> Task<UserInfo, any Error> {
      Task {
        do {
          return try await connector.doPolicy(kind, options: options)
        } catch {
          // No page will come that a user might be waiting for.
          opened.continuation.finish()
          throw error
        }
      }
    }

    /// Waits for the next page that the app wants opened: a local one, which can be fetched once.
    func page() async throws -> URL {
      for await page in opened.stream { return page }
      throw WebDriverError("The sign-in failed before it opened a page.")
    }

    /// Fetches the next page in the browser's place, and returns the tenant's page that it leads to.
    func tenantPage() async throws -> URL {
      let local = try await PatientTransport().answer(to: URLRequest(url: try await page()))
      return try url(try #require(local.headers["Location"]))
    }

    /// Waits for the next page and opens it.
    func openPage() async throws {
      try await browser.open(page())
    }

    /// Checks the page that ends the browser's part: what it says, and that nothing of the request is in it.
    func checkLastPage(_ heading: String) async throws {
      try await browser.waitForHeading(heading)
      #expect(try await browser.title == heading)
      let location = try #require(URLComponents(string: try await browser.location))
      let source = try await browser.source
      for item in location.queryItems ?? [] {
        let value = try #require(item.value)
        #expect(!source.contains(value), "the page repeats \(item.name)")
      }
      let complaints = try await browser.complaints
      #expect(complaints == [])
    }
  }
#endif
