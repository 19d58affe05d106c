#if os(macOS) || os(Linux)
  import B2CConnector
  import B2CTestKit
  import Foundation
  import TestSupport
  import Testing

  /// Sign-ins as a user does them: Chromium on the tenant's pages and a real listener for the redirect.
  @Suite(
    "Real browser", .serialized,
    .enabled(if: Browser.driver != nil, "B2C_CHROMEDRIVER is not set; .ci/browser sets it."), .hangLimit)
  struct RealBrowserTests {
    private let alice = LocalUser.alice

    @Test("A user signs in and the app works with the tokens", arguments: ["127.0.0.1", "localhost"])
    func signIn(host: String) async throws {
      try await BrowserScene.run(host: host) { scene in
        let signIn = try await scene.begin(.signIn)
        try await scene.browser.waitForHeading("Sign in")
        #expect(try await scene.browser.complaints() == [])
        try await scene.browser.signIn(alice.email, alice.password.value)
        #expect(try await signIn.value.name == alice.displayName)
        try await scene.checkLastPage(BrowserScene.finished)
        #expect(try await scene.browser.evaluate("return location.hostname;") == .string(host))
        try await scene.connector.addTask(TaskItem(itemName: "Buy milk"))
        #expect(try await scene.connector.getTaskList().map(\.itemName) == ["Buy milk"])
      }
    }

    @Test("Cancel ends the sign-in although the fields are empty")
    func cancel() async throws {
      try await BrowserScene.run { scene in
        let signIn = try await scene.begin(.signIn)
        try await scene.browser.press("Cancel")
        let error = await #expect(throws: ConnectorError.self) { try await signIn.value }
        #expect(error?.code == .userCancelledInPage)
        try await scene.checkLastPage(BrowserScene.notFinished)
        #expect(scene.tenant.counters.tokenRequests == 0)
      }
    }

    @Test("A forgotten password runs the reset policy and then the sign-in again")
    func resetPassword() async throws {
      try await BrowserScene.run { scene in
        let signIn = try await scene.begin(.signIn, options: SignInOptions(prompt: .login))
        try await scene.browser.press("Forgot your password?")
        try await scene.openPage()
        try await scene.browser.waitForHeading("Reset password")
        try await scene.browser.type(alice.email, into: "email")
        try await scene.browser.type("Not-A-Secret-6", into: "password")
        try await scene.browser.press("Set new password")
        try await scene.checkLastPage(BrowserScene.finished)
        try await scene.openPage()
        try await scene.browser.waitForHeading("Sign in")
        try await scene.browser.signIn(alice.email, "Not-A-Secret-6")
        #expect(try await signIn.value.name == alice.displayName)
        try await scene.checkLastPage(BrowserScene.finished)
      }
    }

    @Test("After Back, a wrong password and a reload, the page still signs in")
    func backAndReload() async throws {
      try await BrowserScene.run { scene in
        let signIn = try await scene.begin(.signUpOrSignIn)
        try await scene.browser.press("Sign up now")
        try await scene.browser.waitForHeading("Sign up")
        try await scene.browser.goBack()
        try await scene.browser.waitForHeading("Sign in")
        try await scene.browser.signIn(alice.email, "Not-A-Secret-0")
        #expect(try await scene.browser.alert() == "Your password is incorrect.")
        #expect(try await scene.browser.value(of: "email") == alice.email)
        #expect(try await scene.browser.value(of: "password") == "")
        try await scene.browser.reload()
        try await scene.browser.signIn(alice.email, alice.password.value)
        #expect(try await signIn.value.name == alice.displayName)
        try await scene.checkLastPage(BrowserScene.finished)
        // The browser must not have kept the page, whose URL has a code. Whether the driver reports its own error page, which
        // is all that it can show, as a failure does not matter.
        try? await scene.browser.reload()
        #expect(try await scene.browser.evaluate("return document.title;") != .string(BrowserScene.finished))
        #expect(scene.tenant.counters.tokenRequests == 1)
      }
    }

    @Test("The profile policy needs no second sign-in, and changes the name")
    func editProfile() async throws {
      try await BrowserScene.run { scene in
        let signIn = try await scene.begin(.signIn)
        try await scene.browser.signIn(alice.email, alice.password.value)
        _ = try await signIn.value
        let edit = try await scene.begin(.profileEdit)
        try await scene.browser.waitForHeading("Edit profile")
        #expect(try await scene.browser.value(of: "displayName") == alice.displayName)
        try await scene.browser.type("Alice Renamed", into: "displayName")
        try await scene.browser.press("Save")
        #expect(try await edit.value.name == "Alice Renamed")
        try await scene.checkLastPage(BrowserScene.finished)
      }
    }

    @Test("Three sign-ins in the browser lead the quickstart to its end", arguments: [true, false])
    func quickstart(namesPort: Bool) async throws {
      // .ci/browser builds it, and the build puts it beside the tests.
      let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      let port = namesPort ? ["--loopback-port", "\(try await BrowserScene.freePort())"] : []
      try await Browser.run { browser in
        let quickstart = try ChildProcess(
          executable: program.appendingPathComponent("quickstart"), arguments: ["--print-url"] + port)
        defer { quickstart.end() }
        for page in 1...3 {
          var line = ""
          while !line.hasPrefix("OPEN "), quickstart.isRunning || !line.isEmpty { line = quickstart.readLine() }
          try await browser.open(url(String(line.dropFirst("OPEN ".count))))
          if page == 1 {
            try await browser.waitForHeading("Sign up")
            try await browser.type("dora@example.com", into: "email")
            try await browser.type("Not-A-Secret-5", into: "password")
            try await browser.type("Dora Example", into: "displayName")
            try await browser.press("Create")
          } else {
            let user = ("dora@example.com", "Not-A-Secret-5")
            let (email, password) = page == 2 ? user : (LocalUser.bob.email, LocalUser.bob.password.value)
            try await browser.signIn(email, password)
          }
          try await browser.waitForHeading(BrowserScene.finished)
        }
        let output = quickstart.readToEnd()
        #expect(quickstart.ending == 0, "\(output)")
        #expect(!output.contains("OPEN "))
        #expect(output.split(separator: "\n").last?.hasPrefix("Next: ") == true)
      }
    }
  }
#endif
