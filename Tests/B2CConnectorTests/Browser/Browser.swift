#if os(macOS) || os(Linux)
  import B2CConnector
  import B2CTestKit
  import Foundation
  import TestSupport
  import Testing

  /// Chromium with an empty profile, driven over the WebDriver protocol (W3C WebDriver).
  struct Browser: Sendable {
    struct Failure: Error, CustomStringConvertible {
      let description: String
    }

    /// The path of chromedriver, which must be set explicitly so that a plain run of the tests opens no browser.
    static let driver = ProcessInfo.processInfo.environment["B2C_CHROMEDRIVER"].flatMap {
      $0.isEmpty ? nil : URL(fileURLWithPath: $0)
    }

    private let port: UInt16
    private var session = ""

    /// Runs a test with a new browser and ends it afterwards.
    static func run(_ test: (Browser) async throws -> Void) async throws {
      let driver = try ChildProcess(
        executable: driver, arguments: ["--port=0", "--log-level=SEVERE"], keepsErrors: true)
      defer { driver.end() }
      var line = ""
      while !line.contains("started successfully"), driver.isRunning || !line.isEmpty { line = driver.readLine() }
      guard let port = line.firstMatch(of: /on port ([0-9]+)/).flatMap({ UInt16($0.1) }) else {
        throw Failure(description: "chromedriver did not start: \(driver.errors)")
      }
      let browser = try await Browser(port)
      let result: Result<Void, any Error>
      do { result = .success(try await test(browser)) } catch { result = .failure(error) }
      try await browser.send("DELETE", "")
      try result.get()
    }

    private init(_ port: UInt16) async throws {
      self.port = port
      let capabilities: JSONValue = [
        "browserName": "chrome", "timeouts": ["implicit": 10_000, "pageLoad": 60_000],
        "goog:loggingPrefs": ["browser": "ALL"],
        "goog:chromeOptions": [
          "args": [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server",
            "--no-first-run", "--hide-scrollbars", "--window-size=1280,900", "--lang=en-US",
          ]
        ],
      ]
      let answer = try await send("POST", "", ["capabilities": ["alwaysMatch": capabilities]])
      guard let id = answer.object?["sessionId"]?.string else { throw Failure(description: "There is no session.") }
      session = "/\(id)"
    }

    /// Sends a command of the session and returns its value.
    @discardableResult
    private func send(_ method: String, _ command: String, _ parameters: JSONValue = [:]) async throws -> JSONValue {
      let body = method == "POST" ? try JSONEncoder().encode(parameters) : Data()
      let head = "\(method) /session\(session)\(command) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
      // URLSession on Linux cannot read the response, because the driver writes no space after a header field's colon.
      let client = try await LoopbackClient(port: port)
      defer { client.close() }
      await client.send(
        Data("\(head)Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body)
      var received = Data()
      while let bytes = await client.receive() {
        received += bytes
        guard let gap = received.range(of: Data("\r\n\r\n".utf8)) else { continue }
        let head = String(decoding: received[..<gap.lowerBound], as: UTF8.self)
        let length = head.firstMatch(of: /(?i)content-length: *([0-9]+)/).flatMap { Int($0.1) } ?? 0
        let body = Data(received[gap.upperBound...])
        guard body.count >= length else { continue }
        let value = try JSONDecoder().decode(JSONValue.self, from: body).object?["value"] ?? .null
        if head.hasPrefix("HTTP/1.1 200 ") { return value }
        throw Failure(description: "\(method) \(command) \(parameters): \(value.object?["message"]?.string ?? head)")
      }
      throw Failure(description: "The driver closed the connection.")
    }
  }

  /// What a user does.
  extension Browser {
    func open(_ page: URL) async throws { try await send("POST", "/url", ["url": .string(page.absoluteString)]) }
    func goBack() async throws { try await send("POST", "/back") }
    func reload() async throws { try await send("POST", "/refresh") }

    /// Waits for an element and returns the start of its commands.
    private func element(_ xpath: String) async throws -> String {
      let reference = try await send("POST", "/element", ["using": "xpath", "value": .string(xpath)])
      guard let id = reference.object?.values.first?.string else { throw Failure(description: "no \(xpath)") }
      return "/element/\(id)"
    }

    func waitForHeading(_ text: String) async throws { _ = try await element("//h1[normalize-space()='\(text)']") }

    func type(_ text: String, into id: String) async throws {
      let field = try await element("//input[@id='\(id)']")
      try await send("POST", field + "/clear")
      try await send("POST", field + "/value", ["text": .string(text)])
    }

    func press(_ label: String) async throws {
      try await send("POST", element("//button[normalize-space()='\(label)']") + "/click")
    }

    func signIn(_ email: String, _ password: String) async throws {
      try await type(email, into: "email")
      try await type(password, into: "password")
      try await press("Sign in")
    }

    /// Presses the Tab key.
    func pressTab() async throws {
      let keys: JSONValue = [["type": "keyDown", "value": "\u{E004}"], ["type": "keyUp", "value": "\u{E004}"]]
      try await send("POST", "/actions", ["actions": [["type": "key", "id": "keyboard", "actions": keys]]])
    }

    /// Sets the appearance of the system and the width of the window.
    func look(isDark: Bool, width: Int64) async throws {
      let scheme: JSONValue = ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]
      try await emulate("setEmulatedMedia", ["features": [scheme]])
      try await emulate(
        "setDeviceMetricsOverride",
        ["width": .integer(width), "height": 800, "deviceScaleFactor": 1, "mobile": .bool(width < 500)])
    }

    private func emulate(_ name: String, _ parameters: JSONValue) async throws {
      try await send("POST", "/goog/cdp/execute", ["cmd": .string("Emulation." + name), "params": parameters])
    }
  }

  /// What a user, a screen reader or the browser's console finds in a page.
  extension Browser {
    /// The text of the page's error.
    func alert() async throws -> String? { try await send("GET", element("//*[@role='alert']") + "/text").string }

    /// Runs the body of a function in the page and returns its result.
    func evaluate(_ script: String) async throws -> JSONValue {
      try await send("POST", "/execute/sync", ["script": .string(script), "args": []])
    }

    func value(of id: String) async throws -> String? {
      try await evaluate("return document.getElementById('\(id)').value;").string
    }

    /// The complaints of the browser since the last call, for example about what the page's own policy forbids.
    func complaints() async throws -> [String] {
      let entries = try await send("POST", "/se/log", ["type": "browser"]).array ?? []
      return entries.compactMap { $0.object?["message"]?.string }
    }
  }

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
