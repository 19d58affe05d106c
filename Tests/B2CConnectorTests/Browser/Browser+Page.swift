#if os(macOS) || os(Linux)
  import B2CConnector
  import Foundation

  /// What a person does with a page.
  extension Browser {
    func open(_ page: URL) async throws {
      try await send("POST", "url", ["url": .string(page.absoluteString)])
    }

    func goBack() async throws { try await send("POST", "back") }

    func reload() async throws { try await send("POST", "refresh") }

    /// Waits for a page with a heading.
    func waitForHeading(_ text: String) async throws {
      _ = try await element("xpath", "//h1[normalize-space()='\(text)']")
    }

    func type(_ text: String, into field: String) async throws {
      let field = try await element("css selector", "#\(field)")
      try await send("POST", "element/\(field)/clear")
      try await send("POST", "element/\(field)/value", ["text": .string(text)])
    }

    func press(_ label: String) async throws {
      let button = try await element("xpath", "//button[normalize-space()='\(label)']")
      try await send("POST", "element/\(button)/click")
    }

    func signIn(_ email: String, _ password: String) async throws {
      try await type(email, into: "email")
      try await type(password, into: "password")
      try await press("Sign in")
    }

    func element(_ strategy: String, _ value: String) async throws -> String {
      let answer: JSONValue
      do {
        answer = try await send("POST", "element", ["using": .string(strategy), "value": .string(value)])
      } catch let error as WebDriverError {
        throw WebDriverError("\(error) in the page:\n\(try await source)")
      }
      // The name that the protocol gives to a reference (W3C WebDriver, section 12).
      guard let id = answer.object?["element-6066-11e4-a52e-4f735466cecf"]?.string else {
        throw WebDriverError("The driver gave no reference for \(value).")
      }
      return id
    }
  }

  /// What a person, or a program that reads the page aloud, sees of it.
  extension Browser {
    func text(_ selector: String) async throws -> String? {
      try await send("GET", "element/\(element("css selector", selector))/text").string
    }

    /// What a screen reader calls an element.
    func spokenLabel(_ selector: String) async throws -> String? {
      try await send("GET", "element/\(element("css selector", selector))/computedlabel").string
    }

    func value(of field: String) async throws -> String? {
      try await send("GET", "element/\(element("css selector", "#\(field)"))/property/value").string
    }

    var location: String {
      get async throws { try await send("GET", "url").string ?? "" }
    }

    var title: String {
      get async throws { try await send("GET", "title").string ?? "" }
    }

    var source: String {
      get async throws { try await send("GET", "source").string ?? "" }
    }

    /// What the page made the browser complain of, such as something that its own policy forbids.
    var complaints: [String] {
      get async throws {
        let entries = try await send("POST", "se/log", ["type": "browser"]).array ?? []
        // The browser asks for an icon by itself.
        return entries.compactMap { $0.object?["message"]?.string }.filter { !$0.contains("favicon.ico") }
      }
    }

    /// Runs the body of a function in the page and gives what it returns.
    func evaluate(_ script: String) async throws -> JSONValue {
      try await send("POST", "execute/sync", ["script": .string(script), "args": []])
    }
  }

  /// What a person's device is like.
  extension Browser {
    func prefersDark(_ isDark: Bool) async throws {
      try await sendDevTools(
        "Emulation.setEmulatedMedia",
        ["features": [["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]]])
    }

    /// Takes the size of a window or of a phone.
    func resize(width: Int64, height: Int64, scale: Double = 1, isPhone: Bool = false) async throws {
      try await sendDevTools(
        "Emulation.setDeviceMetricsOverride",
        [
          "width": .integer(width), "height": .integer(height), "deviceScaleFactor": .number(scale),
          "mobile": .bool(isPhone),
        ])
    }

    private func sendDevTools(_ command: String, _ parameters: JSONValue) async throws {
      try await send("POST", "goog/cdp/execute", ["cmd": .string(command), "params": parameters])
    }
  }
#endif
