#if os(macOS) || os(Linux)
  import B2CConnector
  import B2CTestKit
  import Foundation
  import TestSupport
  import Testing

  /// Sign-ins as a user does them: Chromium on the tenant's pages, which can be read and used, and a real listener for the
  /// redirect.
  @Suite(
    "Real browser", .serialized,
    .enabled(if: Browser.driver != nil, "B2C_CHROMEDRIVER is not set; .ci/browser sets it."), .hangLimit)
  struct RealBrowserTests {
    private let alice = LocalUser.alice

    @Test(
      "A user signs in, the app works with the tokens, and the profile policy needs no second sign-in",
      arguments: ["127.0.0.1", "localhost"])
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
        let edit = try await scene.begin(.profileEdit)
        try await scene.browser.waitForHeading("Edit profile")
        #expect(try await scene.browser.value(of: "displayName") == alice.displayName)
        try await scene.browser.type("Alice Renamed", into: "displayName")
        try await scene.browser.press("Save")
        #expect(try await edit.value.name == "Alice Renamed")
        try await scene.checkLastPage(BrowserScene.finished)
      }
    }

    @Test(
      "Cancel ends the sign-in although the fields are empty, and the last page lets no script in and keeps its style")
    func cancel() async throws {
      try await BrowserScene.run { scene in
        let signIn = try await scene.begin(.signIn)
        try await scene.browser.press("Cancel")
        await expectError(ConnectorError.self, .userCancelledInPage) { try await signIn.value }
        try await scene.checkLastPage(BrowserScene.notFinished)
        #expect(scene.tenant.counters.tokenRequests == 0)
        let answer = try await scene.browser.evaluate(
          """
          const before = document.title, script = document.createElement('script');
          script.textContent = "document.title = 'a script ran'";
          document.head.append(script);
          return [document.title === before, document.styleSheets[0].cssRules.length > 0];
          """)
        #expect(answer == [true, true])
        #expect(try await scene.browser.complaints().contains { $0.contains("Content Security Policy") })
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

    // MARK: The pages

    @Test("Every page can be read and used, in light and dark, on a desk, on a phone and with the keyboard")
    func looks() async throws {
      try await BrowserScene.run { scene in
        for (kind, heading) in [
          (Policy.Kind.signUp, "Sign up"), (.signUpOrSignIn, "Sign in"), (.passwordReset, "Reset password"),
          (.federatedSignIn, "Log in with facebook.com"),
        ] {
          let signIn = try await scene.begin(kind)
          try await check(scene.browser, heading)
          try await scene.browser.press("Cancel")
          await #expect(throws: ConnectorError.self) { try await signIn.value }
          try await check(scene.browser, BrowserScene.notFinished)
        }
      }
      try await BrowserScene.run { scene in
        let signIn = try await scene.begin(.signIn)
        try await scene.browser.signIn(LocalUser.alice.email, "Not-A-Secret-0")
        #expect(try await scene.browser.alert() == "Your password is incorrect.")
        try await check(scene.browser, "Sign in")
        try await scene.browser.signIn(LocalUser.alice.email, LocalUser.alice.password.value)
        _ = try await signIn.value
        try await check(scene.browser, BrowserScene.finished)
        let edit = try await scene.begin(.profileEdit)
        try await check(scene.browser, "Edit profile")
        edit.cancel()
      }
      try await Browser.run { browser in
        let tenant = LocalTenant(shape: .openIDConnect)
        try await tenant.start()
        for (path, heading) in [
          ("device", "Sign in on your device"), ("authorize", "Sorry, we cannot sign you in"),
          ("logout", "You are signed out"), ("nothing", "Not found"),
        ] {
          try await browser.open(tenant.origin.appendingPathComponent(path))
          try await check(browser, heading)
        }
        await tenant.stop()
      }
    }

    private func check(_ browser: Browser, _ heading: String) async throws {
      try await browser.waitForHeading(heading)
      for isDark in [false, true] {
        // WCAG 2.2 asks for no horizontal scrolling at 320 (1.4.10), for this contrast (1.4.3), and for targets of 44 (2.5.5).
        for width: Int64 in [1_280, 390, 320] {
          try await browser.look(isDark: isDark, width: width)
          let look = Comment(rawValue: "\(heading), \(isDark ? "dark" : "light"), \(width)")
          let found = try await browser.evaluate(Self.measures)
          #expect(try #require(found.object?["contrast"]?.double) >= 4.5, look)
          #expect(found.object?["isWider"] == false, look)
          #expect(try #require(found.object?["target"]?.double) >= 44, look)
          #expect(found.object?["ground"] == .bool(isDark), look)
          #expect(found.object?["unnamed"] == [], look)
        }
      }
      // The Tab key goes through fields and buttons as they are read, and shows which one has the focus.
      let count = try #require(try await browser.evaluate("return \(Self.targets).length;").double)
      for index in 0..<Int(count) {
        try await browser.pressTab()
        let answer = try await browser.evaluate(
          """
          const { outlineWidth, outlineStyle } = getComputedStyle(document.activeElement);
          const isNext = \(Self.targets)[\(index)] === document.activeElement;
          return [isNext, outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2];
          """)
        #expect(answer == [true, true], "\(heading), \(index)")
      }
    }

    private static let targets = "[...document.querySelectorAll('input:not([type=hidden]), button, a')]"

    // The backgrounds and text colors of the pages are opaque, so no color has to be mixed.
    private static let measures = """
      const part = text => text.match(/[\\d.]+/g).map(Number);
      const light = v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
      const luminance = text => { const [r, g, b] = part(text); return 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b); };
      const ground = e => { const own = getComputedStyle(e).backgroundColor; return part(own)[3] === 0 ? ground(e.parentElement) : own; };
      const contrasts = [...document.querySelectorAll('main *')].map(e => {
        const both = [luminance(getComputedStyle(e).color), luminance(ground(e))].sort((a, b) => b - a);
        return (both[0] + 0.05) / (both[1] + 0.05);
      });
      const targets = \(targets);
      return {
        contrast: Math.min(...contrasts), isWider: document.documentElement.scrollWidth > window.innerWidth,
        target: Math.min(1000, ...targets.map(e => e.getBoundingClientRect().height)),
        ground: luminance(ground(document.body)) < 0.1,
        unnamed: targets.filter(e => !(e.labels?.[0] ?? e).textContent.trim()).map(e => e.outerHTML),
      };
      """

    @Test("HTML in a URL is shown as text on the sign-in page")
    func reflection() async throws {
      let markup = "\"><script>document.title='a script ran'</script><b id='smuggled'>@example.com"
      try await BrowserScene.run { scene in
        let signIn = try await scene.begin(.signIn, options: SignInOptions(loginHint: markup))
        try await scene.browser.waitForHeading("Sign in")
        #expect(try await scene.browser.value(of: "email") == markup)
        let page = try await scene.browser.evaluate("return [document.title, document.getElementById('smuggled')];")
        #expect(page == ["Sign in", .null])
        signIn.cancel()
      }
    }
  }
#endif
