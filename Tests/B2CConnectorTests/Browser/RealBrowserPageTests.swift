#if os(macOS) || os(Linux)
  import B2CConnector
  import B2CTestKit
  import Foundation
  import TestSupport
  import Testing

  /// What the pages look like and what they forbid, in Chromium.
  @Suite(
    "Real browser: pages", .serialized,
    .enabled(if: Browser.driver != nil, "B2C_CHROMEDRIVER is not set; .ci/browser sets it."), .hangLimit)
  struct RealBrowserPageTests {
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

    @Test("The last page lets no script in, and keeps its own style")
    func policy() async throws {
      try await BrowserScene.run { scene in
        let signIn = try await scene.begin(.signIn)
        try await scene.browser.press("Cancel")
        await #expect(throws: ConnectorError.self) { try await signIn.value }
        try await scene.checkLastPage(BrowserScene.notFinished)
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
