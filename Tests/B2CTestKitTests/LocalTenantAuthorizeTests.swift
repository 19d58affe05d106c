import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit)
struct LocalTenantAuthorizeTests {
  let tenant = LocalTenant()
  var visitor: TenantVisitor { TenantVisitor(tenant) }

  @Test(arguments: LocalTenant.AuthorityForm.allCases)
  func everyFormOfTheAuthorityShowsThePage(form: LocalTenant.AuthorityForm) async throws {
    var visitor = visitor
    visitor.form = form
    let answer = try await visitor.get(visitor.authorizeURL())
    #expect(answer.status == 200)
    #expect(answer.header("content-type") == "text/html; charset=utf-8")
    #expect(answer.header("cache-control") == "no-store")
    #expect(try await visitor.tokens().status == 200)
  }

  @Test func pageIsReadableWithoutScriptAndHasLabels() async throws {
    let page = String(decoding: try await visitor.get(visitor.authorizeURL()).body, as: UTF8.self)
    #expect(page.contains("<html lang=\"en\">"))
    #expect(page.contains("name=\"viewport\""))
    #expect(page.contains("<label for=\"email\">"))
    #expect(page.contains("<label for=\"password\">"))
    #expect(!page.contains("<script"))
  }

  @Test func loginHintIsFilledInAndEscaped() async throws {
    let url = try visitor.authorizeURL(["login_hint": "\"><script>alert(1)</script>"])
    let page = String(decoding: try await visitor.get(url).body, as: UTF8.self)
    #expect(!page.contains("<script"))
    #expect(page.contains("value=\"&quot;&gt;&lt;script&gt;"))
  }

  // Shown in the page and never redirected: there is no one who may be told.
  @Test(
    arguments: [
      (["client_id": nil], "AADB2C90083"), (["client_id": "unknown"], "AADB2C90018"),
      (["redirect_uri": nil], "AADB2C90006"), (["redirect_uri": "com.example.other:/callback"], "AADB2C90006"),
      (["redirect_uri": "com.example.tasks:/callback/"], "AADB2C90006"),
    ] as [([String: String?], String)])
  func unknownClientOrRedirectIsShownInThePage(changes: [String: String?], code: String) async throws {
    let answer = try await visitor.get(visitor.authorizeURL(changes))
    #expect(answer.status == 400)
    #expect(answer.header("location") == nil)
    #expect(String(decoding: answer.body, as: UTF8.self).contains(code))
  }

  // Microsoft's "Add a native client application": without a port in the registration any, with one that one only.
  @Test(
    arguments: [
      ("http://localhost", "http://localhost:49152", true),
      ("http://localhost", "http://localhost:49152/callback", false),
      ("http://localhost", "https://localhost:49152", false), ("http://localhost", "http://127.0.0.1:49152", false),
      ("http://localhost:8400", "http://localhost:8401", false), ("http://localhost:8400", "http://localhost", false),
      ("http://127.0.0.1", "http://127.0.0.1:49152", false),
      ("http://localhost/callback", "http://localhost:49152/callback", false),
    ])
  func onlyPlainLocalhostTakesAnyPort(registered: String, redirectURI: String, isTaken: Bool) async throws {
    let visitor = TenantVisitor(LocalTenant(redirectURIs: [registered]))
    let answer = try await visitor.get(visitor.authorizeURL(["redirect_uri": redirectURI]))
    #expect(answer.status == (isTaken ? 200 : 400))
    #expect(String(decoding: answer.body, as: UTF8.self).contains("AADB2C90006") != isTaken)
  }

  @Test(
    arguments: [
      (["response_type": "token"], "unsupported_response_type", "AADB2C90083"),
      (["response_mode": "form_post"], "invalid_request", "AADB2C90083"),
      (["scope": nil], "invalid_request", "AADB2C90083"),
      (["scope": "openid https://contoso.onmicrosoft.com/other/read"], "invalid_scope", "AADB2C90117"),
      (
        ["scope": "https://contoso.onmicrosoft.com/tasks/read " + LocalTenant.standardClientID], "invalid_scope",
        "AADB2C90117"
      ),
      (["prompt": "smile"], "invalid_request", "AADB2C90083"),
      (["prompt": "none login"], "invalid_request", "AADB2C90083"),
      (["prompt": "none"], "interaction_required", "AADB2C90077"),
      (["code_challenge": nil], "invalid_request", "AADB2C90083"),
      (["code_challenge_method": nil], "invalid_request", "AADB2C90083"),
      (["code_challenge_method": "plain"], "invalid_request", "AADB2C90083"),
      (["code_challenge": "short"], "invalid_request", "AADB2C90083"),
    ] as [([String: String?], String, String)])
  func badRequestIsToldByRedirect(changes: [String: String?], error: String, code: String) async throws {
    let answer = try await visitor.get(visitor.authorizeURL(changes))
    #expect(answer.status == 302)
    let location = try #require(answer.header("location"))
    #expect(location.hasPrefix("com.example.tasks:/callback?"))
    let values = TenantVisitor.values(try #require(URL(string: location)))
    #expect(values["error"] == error)
    #expect(values["error_description"]?.hasPrefix(code + ": ") == true)
    #expect(values["state"] == "state-1")
  }

  @Test(
    "Without a session prompt=none is refused as the service refuses it",
    arguments: [
      (LocalTenant.Shape.b2c, "interaction_required"), (.entra, "login_required"), (.ciam, "login_required"),
      (.openIDConnect, "login_required"),
    ])
  func silent(_ shape: LocalTenant.Shape, _ error: String) async throws {
    let visitor = TenantVisitor(LocalTenant(shape: shape))
    let answer = try await visitor.get(visitor.authorizeURL(["prompt": "none"]))
    let location = try #require(answer.header("location").flatMap { URL(string: $0) })
    #expect(TenantVisitor.values(location)["error"] == error)
  }

  @Test func errorDescriptionHasTheServicesForm() async throws {
    let clock = TestClock()
    let visitor = TenantVisitor(LocalTenant(now: { clock.date }))
    let id = "01234567-89ab-4cde-8f01-23456789abcd"
    let answer = try await visitor.get(visitor.authorizeURL(["prompt": "none", "client-request-id": id]))
    let location = try #require(answer.header("location"))
    #expect(location.contains("AADB2C90077%3A+User+does+not+have"))
    #expect(location.contains("%0D%0ACorrelation+ID%3A+\(id)%0D%0A"))
    #expect(location.contains("Timestamp%3A+2026-01-01+00%3A00%3A00Z%0D%0A"))
    #expect(answer.header("client-request-id") == id)
    #expect(answer.header("date") == "Thu, 01 Jan 2026 00:00:00 GMT")
  }

  @Test func unknownPolicyAndUnknownTenantAreNotFound() async throws {
    var visitor = visitor
    visitor.policy = LocalPolicy("B2C_1_Other", .signIn)
    #expect(try await visitor.get(visitor.authorizeURL()).status == 404)
    let url = try #require(URL(string: "https://contoso.b2clogin.com/other.onmicrosoft.com/oauth2/v2.0/authorize"))
    #expect(try await visitor.get(url).status == 404)
  }

  @Test func tenantAndPolicyAreFoundInAnyCaseAndByGUID() async throws {
    let base = "https://CONTOSO.b2clogin.com/" + tenant.tenantID + "/b2c_1_SIGNIN/v2.0/.well-known/openid-configuration"
    #expect(try await visitor.get(#require(URL(string: base))).status == 200)
  }

  @Test func facebooksMarkIsInTheFragment() async throws {
    let presenter = ScriptedPresenter(transport: tenant.transport, .signIn(.alice))
    var visitor = visitor
    visitor.policy = .facebookSignIn
    let page = try visitor.authorizeURL()
    let redirect = try #require(URL(string: LocalTenant.standardRedirectURI))
    let callback = try await presenter.present(
      PresentationRequest(purpose: .signIn, redirectURI: redirect, state: Secret("s")) { _ in page })
    #expect(callback.fragment == "_=_")
    #expect(TenantVisitor.values(callback)["code"] != nil)
  }
}
