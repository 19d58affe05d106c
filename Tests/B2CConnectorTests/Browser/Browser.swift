#if os(macOS) || os(Linux)
  import B2CConnector
  import B2CHTTP
  import B2CTestKit
  import Foundation
  import TestSupport

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// A Chromium of its own, with an empty profile, driven by the WebDriver protocol (W3C WebDriver, section 6).
  ///
  /// Looking for an element waits until it is there, by the driver's own implicit wait.
  struct Browser: Sendable {
    let session: URL
    private let transport = DriverTransport()

    /// Runs a test with a fresh browser, which is gone afterwards.
    static func run(scripts: Bool = true, _ test: (Browser) async throws -> Void) async throws {
      let profile = FileManager.default.temporaryDirectory.appendingPathComponent("browser-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: profile) }
      let driver = try await ChromeDriver()
      defer { driver.stop() }
      let browser = try await Browser(driver, profile: profile, scripts: scripts)
      do {
        try await test(browser)
      } catch {
        try? await browser.quit()
        throw error
      }
      try await browser.quit()
    }

    private init(_ driver: ChromeDriver, profile: URL, scripts: Bool) async throws {
      var chrome: [String: JSONValue] = [
        "args": [
          "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server",
          "--no-first-run", "--hide-scrollbars", "--window-size=1280,900", "--lang=en-US",
          .string("--user-data-dir=\(profile.path)"),
        ]
      ]
      if !scripts { chrome["prefs"] = ["profile.managed_default_content_settings.javascript": 2] }
      let capabilities: JSONValue = [
        "alwaysMatch": [
          "browserName": "chrome", "goog:chromeOptions": .object(chrome), "goog:loggingPrefs": ["browser": "ALL"],
          "timeouts": ["implicit": 10_000, "pageLoad": 60_000],
        ]
      ]
      let answer = try await Self.send(
        "POST", driver.origin.appendingPathComponent("session"), ["capabilities": capabilities], over: transport)
      guard let id = answer.object?["sessionId"]?.string else { throw WebDriverError("The driver named no session.") }
      session = driver.origin.appendingPathComponent("session/\(id)")
    }

    private func quit() async throws {
      try await send("DELETE", "")
    }

    /// Sends a command of the session and gives its value.
    @discardableResult
    func send(_ method: String, _ command: String, _ parameters: JSONValue = [:]) async throws
      -> JSONValue
    {
      let target = command.isEmpty ? session : session.appendingPathComponent(command)
      return try await Self.send(method, target, parameters, over: transport)
    }

    private static func send(
      _ method: String, _ target: URL, _ parameters: JSONValue, over transport: DriverTransport
    ) async throws -> JSONValue {
      let response = try await transport.answer(
        to: URLRequest(
          method: method, url: target, headers: ["Content-Type": "application/json; charset=utf-8"],
          body: method == "POST" ? try JSONEncoder().encode(parameters) : nil))
      let value = try JSONDecoder().decode(JSONValue.self, from: response.body).object?["value"] ?? .null
      guard response.status == 200 else {
        let problem = value.object ?? [:]
        throw WebDriverError(
          "\(method) \(target.lastPathComponent): \(problem["error"]?.string ?? "\(response.status)"), "
            + (problem["message"]?.string ?? ""))
      }
      return value
    }
  }
#endif
