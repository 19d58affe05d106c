import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit)
struct ScriptedPresenterTests {
  let tenant = LocalTenant()
  var visitor: TenantVisitor { TenantVisitor(tenant) }
  private static let wrongPassword = ScriptedPresenter.Action.signIn(email: "alice@example.com", password: "wrong")

  @Test("The steps tell the way without secrets")
  func steps() async throws {
    let seen = Recorder<String>()
    let user = ScriptedPresenter(transport: tenant.transport, .signIn(.alice), onStep: { seen.record($0) })
    let code = try #require(try await visitor.signIn(as: user)["code"])
    #expect(user.steps == seen.values && user.steps.count == 4 && user.requests.count == 1)
    let page = "GET https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize "
    #expect(user.steps[0].hasPrefix(page) && user.steps[0].hasSuffix("→ 200"))
    #expect(user.steps[1] == "on 'Sign in': sign in, typing email, password")
    #expect(user.steps[3].hasPrefix("redirect to com.example.tasks:/callback"))
    let all = user.steps.joined()
    for secret in [code, "state-1", "nonce-1", LocalUser.alice.password.value] { #expect(!all.contains(secret)) }
  }

  @Test("An action describes itself without what is typed, because test runners print arguments")
  func actionDescription() {
    #expect("\([ScriptedPresenter.Action.signIn(.alice), .cancel])" == "[sign in, cancel]")
  }

  @Test(
    "A closed browser is an error of its own, and so is a script that does not fit the page",
    arguments: [
      (ScriptedPresenter.Action.closeBrowser, ErrorCode.userClosedBrowser),
      (.editProfile(displayName: "A"), .presentationFailed),
      (.signUp(email: "a@example.com", password: "", displayName: "A"), .presentationFailed),
    ])
  func unfit(_ action: ScriptedPresenter.Action, _ code: ErrorCode) async {
    await expectError(ConnectorError.self, code) { try await visitor.signIn(as: visitor.user(action)) }
  }

  @Test("A script that is over is an error unless the session is enough")
  func emptyScript() async throws {
    let user = ScriptedPresenter(transport: tenant.transport)
    await expectError(ConnectorError.self, .presentationFailed) { try await visitor.signIn(as: user) }
    user.follow(.signIn(.alice))
    _ = try await visitor.signIn(as: user)
    user.follow()
    #expect(try await visitor.signIn(as: user)["code"] != nil)
  }

  @Test(
    "An error page is an error of its own, with the page's text and code",
    arguments: [("client_id", "unknown", "AADB2C"), ("redirect_uri", "https://other.example/", "AADB2C90006")])
  func errorPage(_ name: String, _ value: String, _ code: String) async throws {
    let error = await #expect(throws: ConnectorError.self) { try await visitor.signIn([name: value]) }
    let message = try #require(error?.message)
    #expect(error?.code == .presentationFailed && message.contains(code), "\(message)")
    #expect(message.hasPrefix("The page 'Sorry, we cannot sign you in' (status 400) shows an error: "))
  }

  @Test("A page that refuses the last action of the script is quoted")
  func refusedAction() async throws {
    let user = visitor.user(Self.wrongPassword)
    await expectError(ConnectorError.self, .presentationFailed, saying: "The page 'Sign in' says: ") {
      try await visitor.signIn(as: user)
    }
    #expect(user.steps.filter { $0.hasPrefix("on ") }.count == 1)
    let corrected = [Self.wrongPassword, Self.wrongPassword, .signIn(.alice)]
    user.follow(corrected)
    #expect(try await visitor.signIn(as: user)["code"] != nil)
    let other = ScriptedPresenter(transport: LocalNetwork([tenant]), corrected)
    #expect(try await visitor.signIn(as: other)["code"] != nil)
    #expect(other.steps.filter { $0.hasSuffix("Your password is incorrect.") }.count == 2)
  }

  @Test("A browser session keeps its cookies, and an ephemeral one shares none")
  func cookies() async throws {
    let user = visitor.user()
    // How often the user has typed after each sign-in.
    for (isEphemeral, clears, count) in [(false, false, 1), (true, false, 2), (false, false, 2), (false, true, 3)] {
      if clears { user.clearCookies() }
      _ = try await visitor.callback(of: user, isEphemeral: isEphemeral)
      #expect(user.steps.filter { $0.hasPrefix("on ") }.count == count)
    }
  }

  @Test("Nobody needs to listen at a loopback redirect")
  func loopbackRedirect() async throws {
    tenant.redirectURIs = ["http://127.0.0.1:1/callback"]
    let callback = try await visitor.callback(of: visitor.user())
    #expect(callback.absoluteString.hasPrefix("http://127.0.0.1:1/callback?state=state-1&code="))
  }

  @Test("A page without form and without error is one that is closed; one that no tenant writes, or none, is an error")
  func foreignPages() async {
    func answer(_ text: String) {
      tenant.faults = [LocalFault(.respond(LocalResponse(status: 200, body: Data(text.utf8))))]
    }
    answer("<p>Signed out.</p>")
    await expectError(ConnectorError.self, .userClosedBrowser) { try await visitor.signIn() }
    for text in ["", "<form>", "{}", #"{"title":"x","target":"y"}"#] {
      answer(text)
      await #expect(throws: ConnectorError.self, "\(text)") { try await visitor.signIn(as: visitor.user(.cancel)) }
    }
    tenant.faults = [LocalFault(.reset)]
    await expectError(URLError.self, .networkConnectionLost) { try await visitor.signIn() }
  }
}
