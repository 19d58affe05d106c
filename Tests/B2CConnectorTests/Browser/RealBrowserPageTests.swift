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

  /// What the pages look like and forbid, in Chromium.
  @Suite(
    "Real browser: pages", .serialized,
    .enabled(if: ChromeDriver.executable != nil, "B2C_CHROMEDRIVER names none: .ci/browser does."),
    .hangLimit)
  struct RealBrowserPageTests {
    @Test("The last page is readable in light and dark, on a desk and in a hand")
    func appearance() async throws {
      try await BrowserScene.run { scene in
        let signIn = scene.begin(.signUpOrSignIn)
        try await scene.openPage()
        try await scene.browser.waitForHeading("Sign in")
        try await scene.browser.press("Cancel")
        _ = await signIn.result
        try await scene.checkLastPage("Not finished")
        try await check(scene.browser, "cancelled")
      }
      try await BrowserScene.run { scene in
        let signIn = scene.begin(.signIn)
        try await scene.openPage()
        try await scene.browser.signIn(LocalUser.alice.email, LocalUser.alice.password.value)
        _ = try await signIn.value
        try await scene.checkLastPage("You can close this window")
        try await check(scene.browser, "success")
      }
    }

    private func check(_ browser: Browser, _ name: String) async throws {
      for isDark in [false, true] {
        try await browser.prefersDark(isDark)
        for isPhone in [false, true] {
          try await browser.resize(
            width: isPhone ? 390 : 1_280, height: isPhone ? 844 : 900, scale: isPhone ? 2 : 1, isPhone: isPhone)
          let look = "\(name)-\(isDark ? "dark" : "light")-\(isPhone ? "phone" : "desktop")"
          #expect(try await browser.smallestContrast() >= 4.5, "\(look)")
          #expect(try await !browser.isWiderThanTheWindow(), "\(look)")
        }
      }
      // The narrowest width without scrolling sideways (WCAG 2.2, success criterion 1.4.10), and targets for fingers.
      try await browser.resize(width: 320, height: 640, isPhone: true)
      #expect(try await !browser.isWiderThanTheWindow(), "\(name)")
      #expect(try await browser.smallestTarget() >= 44, "\(name)")
    }

    @Test("Every field and button has a name that is spoken")
    func labels() async throws {
      try await BrowserScene.run { scene in
        let signIn = scene.begin(.signUp)
        defer { signIn.cancel() }
        try await scene.openPage()
        #expect(try await scene.browser.spokenLabel("#email") == "Email address")
        #expect(try await scene.browser.spokenLabel("#password") == "New password")
        #expect(try await scene.browser.spokenLabel("#displayName") == "Display name")
        #expect(try await scene.browser.spokenLabel("button[value=continue]") == "Create")
        #expect(try await scene.browser.evaluate("return document.documentElement.lang;") == "en")
      }
    }

    @Test("The pages work without scripts")
    func withoutScripts() async throws {
      let probe = try url(
        "data:text/html,%3Ctitle%3Eoff%3C/title%3E%3Cscript%3Edocument.title=%27on%27%3C/script%3E")
      try await Browser.run { browser in
        try await browser.open(probe)
        #expect(try await browser.title == "on")
      }
      try await BrowserScene.run(scripts: false) { scene in
        try await scene.browser.open(probe)
        #expect(try await scene.browser.title == "off")
        let signIn = scene.begin(.signIn)
        try await scene.openPage()
        try await scene.browser.signIn(LocalUser.alice.email, LocalUser.alice.password.value)
        #expect(try await signIn.value.name == LocalUser.alice.displayName)
        try await scene.browser.waitForHeading("You can close this window")
      }
    }

    @Test("The last page lets no script in, and keeps its own style")
    func policy() async throws {
      try await BrowserScene.run { scene in
        let signIn = scene.begin(.signIn)
        try await scene.openPage()
        try await scene.browser.signIn(LocalUser.alice.email, LocalUser.alice.password.value)
        _ = try await signIn.value
        try await scene.browser.waitForHeading("You can close this window")
        try await checkPolicy(scene.browser)
      }
    }

    private func checkPolicy(_ browser: Browser) async throws {
      let answer = try await browser.evaluate(
        """
        const before = document.title, script = document.createElement('script');
        script.textContent = "document.title = 'a script ran'";
        document.head.append(script);
        return [document.title === before, document.styleSheets[0].cssRules.length > 0];
        """)
      #expect(answer == [true, true])
      #expect(try await browser.complaints.contains { $0.contains("Content Security Policy") })
    }

    @Test("What a URL carries is text in the sign-in page and nothing in the last one")
    func reflection() async throws {
      let markup = "\"><script>document.title='a script ran'</script><b id='smuggled'>@example.com"
      try await BrowserScene.run { scene in
        let signIn = scene.begin(.signIn, options: SignInOptions(loginHint: markup))
        try await scene.openPage()
        #expect(try await scene.browser.title == "Sign in")
        let page = try url(try await scene.browser.location)
        #expect(try await scene.browser.value(of: "email") == markup)
        #expect(try await scene.browser.evaluate("return document.getElementById('smuggled') === null;") == true)
        let query = try #require(URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems)
        var answer = try #require(
          query.first { $0.name == "redirect_uri" }?.value.flatMap { URLComponents(string: $0) })
        answer.queryItems = [
          URLQueryItem(name: "state", value: query.first { $0.name == "state" }?.value),
          URLQueryItem(name: "error", value: "access_denied"), URLQueryItem(name: "error_description", value: markup),
        ]
        try await scene.browser.open(try #require(answer.url))
        _ = await signIn.result
        try await scene.checkLastPage("Not finished")
        #expect(try await !scene.browser.source.contains("smuggled"))
      }
    }

    @Test("The last page is not kept by the browser or shown in a frame")
    func headers() async throws {
      try await BrowserScene.run { scene in
        let signIn = scene.begin(.signIn)
        let transport = URLSessionTransport()
        let local = try await transport.answer(to: URLRequest(url: try await scene.page()))
        #expect(local.headers["Cache-Control"] == "no-store")
        #expect(local.headers["Referrer-Policy"] == "no-referrer")
        let page = try url(try #require(local.headers["Location"]))
        let query = try #require(URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems)
        let redirect = try #require(query.first { $0.name == "redirect_uri" }?.value)
        let state = try #require(query.first { $0.name == "state" }?.value)
        let target = try url("\(redirect)?error=access_denied&state=\(state)")
        let headers = try await transport.answer(to: URLRequest(url: target)).headers
        #expect(headers["Cache-Control"] == "no-store")
        #expect(headers["Referrer-Policy"] == "no-referrer")
        #expect(headers["X-Frame-Options"] == "DENY")
        let policy = try #require(headers["Content-Security-Policy"])
        #expect(policy.hasPrefix("default-src 'none'"))
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("script-src"))
        _ = await signIn.result
      }
    }
  }
#endif
