import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.hangLimit)
struct ScriptedPresenterTests {
  let tenant = LocalTenant()
  var visitor: TenantVisitor { TenantVisitor(tenant) }

  private func present(
    _ presenter: ScriptedPresenter, _ changes: [String: String?] = [:], isEphemeral: Bool = false
  ) async throws -> URL {
    let page = try visitor.authorizeURL(changes)
    let redirect = try #require(URL(string: tenant.redirectURIs.first ?? ""))
    return try await presenter.present(
      PresentationRequest(
        purpose: .signIn, redirectURI: redirect, state: Secret("state-1"), prefersEphemeralSession: isEphemeral,
        makeURL: { _ in page }))
  }

  @Test func stepsTellTheWayWithoutSecrets() async throws {
    let seen = Collected()
    let presenter = ScriptedPresenter(transport: tenant.transport, .signIn(.alice), onStep: { seen.append($0) })
    let code = try #require(TenantVisitor.values(try await present(presenter))["code"])
    #expect(presenter.steps == seen.lines)
    #expect(presenter.steps.count == 4)
    #expect(
      presenter.steps[0].hasPrefix("GET https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize "))
    #expect(presenter.steps[0].hasSuffix("→ 200"))
    #expect(presenter.steps[1] == "on 'Sign in': sign in, typing email, password")
    #expect(presenter.steps[3].hasPrefix("redirect to com.example.tasks:/callback"))
    let all = presenter.steps.joined()
    for secret in [code, "state-1", "nonce-1", LocalUser.alice.password.value] { #expect(!all.contains(secret)) }
    #expect(presenter.requests.count == 1)
  }

  @Test("An action describes itself without what is typed, as test runners print arguments")
  func actionDescription() {
    #expect("\(ScriptedPresenter.Action.signIn(.alice))" == "sign in")
    #expect("\([ScriptedPresenter.Action.cancel])" == "[cancel]")
  }

  @Test func closedBrowserIsAnErrorOfItsOwn() async {
    let presenter = ScriptedPresenter(transport: tenant.transport, .closeBrowser)
    await expectError(ConnectorError.self, .userClosedBrowser) { try await present(presenter) }
  }

  @Test(arguments: [
    ScriptedPresenter.Action.editProfile(displayName: "A"),
    .signUp(email: "a@example.com", password: "", displayName: "A"),
    .signIn(email: "alice@example.com", password: "wrong"),
  ])
  func scriptThatDoesNotFitIsAnError(action: ScriptedPresenter.Action) async {
    let presenter = ScriptedPresenter(transport: tenant.transport, action)
    await expectError(ConnectorError.self, .presentationFailed) { try await present(presenter) }
  }

  @Test func emptyScriptIsAnErrorUnlessTheSessionIsEnough() async throws {
    let presenter = ScriptedPresenter(transport: tenant.transport)
    await expectError(ConnectorError.self, .presentationFailed) { try await present(presenter) }
    presenter.follow(.signIn(.alice))
    _ = try await present(presenter)
    presenter.follow()
    #expect(TenantVisitor.values(try await present(presenter))["code"] != nil)
  }

  @Test(
    "An error page is an error of its own, with the page's text and code",
    arguments: [("client_id", "unknown", "AADB2C"), ("redirect_uri", "https://other.example/", "AADB2C90006")])
  func errorPage(_ name: String, _ value: String, _ code: String) async throws {
    let presenter = ScriptedPresenter(transport: tenant.transport, .signIn(.alice))
    let error = await #expect(throws: ConnectorError.self) { try await present(presenter, [name: value]) }
    #expect(error?.code == .presentationFailed)
    #expect(error?.message.hasPrefix("The page 'Sorry, we cannot sign you in' (status 400) shows an error: ") == true)
    #expect(error?.message.contains(code) == true, "\(error?.message ?? "")")
  }

  @Test("A page without form and without error is one that is closed")
  func pageThatEnds() async {
    tenant.faults = [LocalFault(.respond(LocalResponse(status: 200, body: Data("<p>Signed out.</p>".utf8))))]
    let presenter = ScriptedPresenter(transport: tenant.transport, .signIn(.alice))
    await expectError(ConnectorError.self, .userClosedBrowser) { try await present(presenter) }
  }

  @Test("A page that refuses the last action of the script is quoted")
  func refusedAction() async throws {
    let wrong = ScriptedPresenter.Action.signIn(email: "alice@example.com", password: "wrong")
    let presenter = ScriptedPresenter(transport: tenant.transport, wrong)
    let error = await #expect(throws: ConnectorError.self) { try await present(presenter) }
    #expect(error?.code == .presentationFailed && error?.message.hasPrefix("The page 'Sign in' says: ") == true)
    #expect(presenter.steps.filter { $0.hasPrefix("on ") }.count == 1)
    let corrected = ScriptedPresenter(transport: tenant.transport, wrong, .signIn(.alice))
    #expect(TenantVisitor.values(try await present(corrected))["code"] != nil)
    corrected.clearCookies()
    corrected.follow(wrong, wrong, .signIn(.alice))
    #expect(TenantVisitor.values(try await present(corrected))["code"] != nil)
  }

  @Test func ephemeralSessionSharesNoCookies() async throws {
    let presenter = ScriptedPresenter(transport: tenant.transport, .signIn(.alice))
    _ = try await present(presenter)
    _ = try await present(presenter, isEphemeral: true)
    #expect(presenter.steps.filter { $0.hasPrefix("on ") }.count == 2)
    _ = try await present(presenter)
    #expect(presenter.steps.filter { $0.hasPrefix("on ") }.count == 2)
    presenter.clearCookies()
    _ = try await present(presenter)
    #expect(presenter.steps.filter { $0.hasPrefix("on ") }.count == 3)
  }

  @Test func loopbackRedirectNeedsNobodyBehindIt() async throws {
    tenant.redirectURIs = ["http://127.0.0.1:1/callback"]
    let presenter = ScriptedPresenter(transport: tenant.transport, .signIn(.alice))
    let callback = try await present(presenter)
    #expect(callback.absoluteString.hasPrefix("http://127.0.0.1:1/callback?state=state-1&code="))
  }

  @Test func transportErrorsPassThrough() async throws {
    tenant.faults = [LocalFault(.reset)]
    let presenter = ScriptedPresenter(transport: tenant.transport, .signIn(.alice))
    await expectError(URLError.self, .networkConnectionLost) { try await present(presenter) }
  }

  @Test(
    "A page that no tenant writes ends in an error", arguments: ["", "<form>", "{}", #"{"title":"x","target":"y"}"#])
  func foreignPages(text: String) async {
    let body = Data(text.utf8)
    tenant.faults = [LocalFault(.respond(LocalResponse(status: 200, body: body)))]
    let presenter = ScriptedPresenter(transport: tenant.transport, .cancel)
    await #expect(throws: ConnectorError.self) { try await present(presenter) }
  }
}

/// Lines gathered from a callback.
final class Collected: Sendable {
  private let state = Locked<[String]>([])

  var lines: [String] { state.withLock { $0 } }

  func append(_ line: String) { state.withLock { $0.append(line) } }
}
