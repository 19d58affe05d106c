#if os(macOS) || os(Linux)
  import B2CConnector
  import B2CTestKit
  import Foundation
  import TestSupport
  import Testing

  /// The quickstart as a new user runs it, with the browser in the user's hands.
  @Suite(
    "Real browser: quickstart", .serialized,
    .enabled(if: ChromeDriver.executable != nil, "B2C_CHROMEDRIVER names none: .ci/browser does."),
    .enabled(if: Quickstart.program != nil, "The quickstart is not built."), .hangLimit)
  struct RealBrowserQuickstartTests {
    @Test("Three sign-ins in the browser lead to the end, with exit code 0", arguments: [true, false])
    func quickstart(namesPort: Bool) async throws {
      let program = try #require(Quickstart.program)
      let port = namesPort ? ["--loopback-port", "\(try await BrowserScene.freePort())"] : []
      try await Browser.run { browser in
        let quickstart = try ChildProgram(program, ["--print-url"] + port)
        var pages = 0
        var output: [String] = []
        for await line in quickstart.lines {
          output.append(line)
          guard line.hasPrefix("OPEN ") else { continue }
          pages += 1
          try await browser.open(try url(String(line.dropFirst("OPEN ".count))))
          try await fill(browser, page: pages)
          try await browser.waitForHeading("You can close this window")
        }
        #expect(await quickstart.exitCode() == 0, "\(output.joined(separator: "\n"))")
        #expect(pages == 3)
        #expect(output.last?.hasPrefix("Next: ") == true)
      }
    }

    private func fill(_ browser: Browser, page: Int) async throws {
      switch page {
      case 1:
        try await browser.waitForHeading("Sign up")
        try await browser.type("dora@example.com", into: "email")
        try await browser.type("Not-A-Secret-5", into: "password")
        try await browser.type("Dora Example", into: "displayName")
        try await browser.press("Create")
      case 2: try await browser.signIn("dora@example.com", "Not-A-Secret-5")
      default: try await browser.signIn(LocalUser.bob.email, LocalUser.bob.password.value)
      }
    }
  }
#endif
