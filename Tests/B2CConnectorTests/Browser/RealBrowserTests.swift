#if os(macOS) || os(Linux)
  import B2CConnector
  import B2CTestKit
  import Foundation
  import TestSupport
  import Testing

  /// Sign-ins as a person does them: Chromium on the tenant's pages, redirected to the real loopback listener.
  @Suite(
    "Real browser", .serialized,
    .enabled(if: ChromeDriver.executable != nil, "B2C_CHROMEDRIVER names none: .ci/browser does."),
    .hangLimit)
  struct RealBrowserTests {
    private static let finished = "You can close this window"
    private static let notFinished = "Not finished"

    @Test("A user signs in and the app works with the tokens", arguments: ["127.0.0.1", "localhost"])
    func signIn(host: String) async throws {
      try await BrowserScene.run(host: host) { scene in
        let signIn = scene.begin(.signIn)
        try await scene.openPage()
        try await scene.browser.waitForHeading("Sign in")
        let complaints = try await scene.browser.complaints
        #expect(complaints == [])
        try await scene.browser.signIn(LocalUser.alice.email, LocalUser.alice.password.value)
        let user = try await signIn.value
        #expect(user.name == LocalUser.alice.displayName)
        try await scene.checkLastPage(Self.finished)
        #expect(try await scene.browser.location.hasPrefix("http://\(host):"))
        try await scene.connector.addTask(TaskItem(itemName: "Buy milk"))
        #expect(try await scene.connector.getTaskList().map(\.itemName) == ["Buy milk"])
      }
    }

    @Test("A new user signs up")
    func signUp() async throws {
      try await BrowserScene.run { scene in
        let signUp = scene.begin(.signUp)
        try await scene.openPage()
        try await scene.browser.waitForHeading("Sign up")
        try await scene.browser.type("dora@example.com", into: "email")
        try await scene.browser.type("Not-A-Secret-5", into: "password")
        try await scene.browser.type("Dora Example", into: "displayName")
        try await scene.browser.press("Create")
        #expect(try await signUp.value.name == "Dora Example")
        try await scene.checkLastPage(Self.finished)
        #expect(scene.tenant.user(email: "dora@example.com")?.displayName == "Dora Example")
      }
    }

    @Test("Cancel ends the sign-in")
    func cancel() async throws {
      try await BrowserScene.run { scene in
        let signIn = scene.begin(.signIn)
        try await scene.openPage()
        try await scene.browser.press("Cancel")
        let error = await #expect(throws: ConnectorError.self) { try await signIn.value }
        #expect(error?.code == .userCancelledInPage)
        try await scene.checkLastPage(Self.notFinished)
        #expect(scene.tenant.counters.tokenRequests == 0)
      }
    }

    @Test("A forgotten password without a policy for it is told to the app")
    func forgotPassword() async throws {
      try await BrowserScene.run { scene in
        let signIn = scene.begin(.signIn)
        try await scene.openPage()
        try await scene.browser.press("Forgot your password?")
        let error = await #expect(throws: ConnectorError.self) { try await signIn.value }
        #expect(error?.code == .passwordResetRequested)
        try await scene.checkLastPage(Self.notFinished)
      }
    }

    @Test("A forgotten password runs the reset policy and then the sign-in again")
    func resetPassword() async throws {
      try await BrowserScene.run(resetsPasswords: true) { scene in
        let signIn = scene.begin(.signIn, options: SignInOptions(prompt: .login))
        try await scene.openPage()
        try await scene.browser.press("Forgot your password?")
        try await scene.openPage()
        try await scene.browser.waitForHeading("Reset password")
        try await scene.browser.type(LocalUser.alice.email, into: "email")
        try await scene.browser.type("Not-A-Secret-6", into: "password")
        try await scene.browser.press("Set new password")
        try await scene.checkLastPage(Self.finished)
        try await scene.openPage()
        try await scene.browser.waitForHeading("Sign in")
        try await scene.browser.signIn(LocalUser.alice.email, "Not-A-Secret-6")
        #expect(try await signIn.value.name == LocalUser.alice.displayName)
        try await scene.checkLastPage(Self.finished)
      }
    }

    @Test("A wrong password is told in the page, and the right one goes on")
    func wrongPassword() async throws {
      try await BrowserScene.run { scene in
        let signIn = scene.begin(.signIn)
        try await scene.openPage()
        try await scene.browser.signIn(LocalUser.alice.email, "Not-A-Secret-0")
        #expect(try await scene.browser.text("[role=alert]") == "Your password is incorrect.")
        #expect(try await scene.browser.value(of: "email") == LocalUser.alice.email)
        #expect(try await scene.browser.value(of: "password") == "")
        try await scene.browser.type(LocalUser.alice.password.value, into: "password")
        try await scene.browser.press("Sign in")
        #expect(try await signIn.value.name == LocalUser.alice.displayName)
        try await scene.checkLastPage(Self.finished)
      }
    }

    @Test("Back from the sign-up to the sign-in, and on")
    func back() async throws {
      try await BrowserScene.run { scene in
        let signIn = scene.begin(.signUpOrSignIn)
        try await scene.openPage()
        try await scene.browser.press("Sign up now")
        try await scene.browser.waitForHeading("Sign up")
        try await scene.browser.goBack()
        try await scene.browser.waitForHeading("Sign in")
        try await scene.browser.signIn(LocalUser.alice.email, LocalUser.alice.password.value)
        #expect(try await signIn.value.name == LocalUser.alice.displayName)
        try await scene.checkLastPage(Self.finished)
      }
    }

    @Test("Reload of a fresh page, and of one that says what was wrong")
    func reload() async throws {
      try await BrowserScene.run { scene in
        let signIn = scene.begin(.signIn)
        try await scene.openPage()
        try await scene.browser.type("half typed", into: "email")
        try await scene.browser.reload()
        try await scene.browser.waitForHeading("Sign in")
        try await scene.browser.signIn(LocalUser.alice.email, "Not-A-Secret-0")
        #expect(try await scene.browser.text("[role=alert]") == "Your password is incorrect.")
        try await scene.browser.reload()
        try await scene.browser.waitForHeading("Sign in")
        try await scene.browser.signIn(LocalUser.alice.email, LocalUser.alice.password.value)
        #expect(try await signIn.value.name == LocalUser.alice.displayName)
        try await scene.checkLastPage(Self.finished)
      }
    }

    @Test("The page after success is not kept, and leads nowhere a second time")
    func afterSuccess() async throws {
      try await BrowserScene.run { scene in
        let signIn = scene.begin(.signIn)
        try await scene.openPage()
        try await scene.browser.signIn(LocalUser.alice.email, LocalUser.alice.password.value)
        _ = try await signIn.value
        try await scene.checkLastPage(Self.finished)
        // The listener was for one flow, and a page with a code in its URL comes out of no cache. Whether the driver takes
        // the browser's own page on that for a failure is left to it.
        try? await scene.browser.reload()
        #expect(try await !scene.browser.source.contains(Self.finished))
        #expect(scene.tenant.counters.tokenRequests == 1)
        #expect(try await scene.connector.getTaskList() == [])
      }
    }

    @Test("Another page of the listener's and a forged answer end nothing")
    func strayRequests() async throws {
      try await BrowserScene.run { scene in
        let signIn = scene.begin(.signIn)
        let page = try await scene.tenantPage()
        let query = try #require(URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems)
        let redirect = try #require(query.first { $0.name == "redirect_uri" }?.value)
        try await scene.browser.open(try url(redirect + "?code=forged&state=forged"))
        #expect(try await scene.browser.text("body") == "Not found.")
        #expect(try await scene.browser.complaints.allSatisfy { $0.contains("404") })
        try await scene.browser.open(page)
        try await scene.browser.signIn(LocalUser.alice.email, LocalUser.alice.password.value)
        #expect(try await signIn.value.name == LocalUser.alice.displayName)
        try await scene.checkLastPage(Self.finished)
      }
    }

    @Test("The profile policy shows who is signed in, and changes the name")
    func editProfile() async throws {
      try await BrowserScene.run { scene in
        let signIn = scene.begin(.signIn)
        try await scene.openPage()
        try await scene.browser.signIn(LocalUser.alice.email, LocalUser.alice.password.value)
        _ = try await signIn.value
        let edit = scene.begin(.profileEdit)
        try await scene.openPage()
        try await scene.browser.waitForHeading("Edit profile")
        #expect(try await scene.browser.value(of: "displayName") == LocalUser.alice.displayName)
        try await scene.browser.type("Alice Renamed", into: "displayName")
        try await scene.browser.press("Save")
        #expect(try await edit.value.name == "Alice Renamed")
        try await scene.checkLastPage(Self.finished)
      }
    }
  }
#endif
