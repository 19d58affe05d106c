import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit)
struct LocalTenantAuthorizeTests {
  let tenant = LocalTenant()
  var visitor: TenantVisitor { TenantVisitor(tenant) }

  @Test("Every form of the authority shows the page", arguments: LocalTenant.AuthorityForm.allCases)
  func forms(_ form: LocalTenant.AuthorityForm) async throws {
    var visitor = visitor
    visitor.form = form
    let answer = try await visitor.get(visitor.authorizeURL())
    #expect(answer.status == 200)
    #expect(answer.header("content-type") == "text/html; charset=utf-8")
    #expect(answer.header("cache-control") == "no-store")
    #expect(try await visitor.tokens().status == 200)
  }

  @Test("The page needs no script, has labels, and escapes the login hint")
  func page() async throws {
    let page = try await visitor.get(visitor.authorizeURL(["login_hint": "\"><script>alert(1)</script>"])).text
    let parts = [
      "<html lang=\"en\">", "name=\"viewport\"", "<label for=\"email\">", "<label for=\"password\">",
      "value=\"&#34;&#62;&#60;script&#62;",
    ]
    for part in parts { #expect(page.contains(part), "\(part)") }
    #expect(!page.contains("<script"))
  }

  static let unknownRequests: [([String: String?], String)] = [
    (["client_id": nil], "AADB2C90083"), (["client_id": "unknown"], "AADB2C90018"),
    (["redirect_uri": nil], "AADB2C90006"), (["redirect_uri": "com.example.other:/callback"], "AADB2C90006"),
    (["redirect_uri": "com.example.tasks:/callback/"], "AADB2C90006"),
  ]

  // It is never redirected, because there is no one who may be told.
  @Test("An unknown client or redirect is shown in the page", arguments: unknownRequests)
  func unknownRequest(_ changes: [String: String?], _ code: String) async throws {
    let answer = try await visitor.get(visitor.authorizeURL(changes))
    #expect(answer.status == 400)
    #expect(answer.header("location") == nil)
    #expect(answer.text.contains(code))
  }

  // Microsoft's "Add a native client application": without a port in the registration any, with one that one only.
  @Test(
    "Only plain localhost takes any port",
    arguments: [
      ("http://localhost", "http://localhost:49152", true),
      ("http://localhost", "http://localhost:49152/callback", false),
      ("http://localhost", "https://localhost:49152", false), ("http://localhost", "http://127.0.0.1:49152", false),
      ("http://localhost:8400", "http://localhost:8401", false), ("http://localhost:8400", "http://localhost", false),
      ("http://127.0.0.1", "http://127.0.0.1:49152", false),
      ("http://localhost/callback", "http://localhost:49152/callback", false),
    ])
  func localhost(_ registered: String, _ redirectURI: String, _ isTaken: Bool) async throws {
    let visitor = TenantVisitor(LocalTenant(redirectURIs: [registered]))
    let answer = try await visitor.get(visitor.authorizeURL(["redirect_uri": redirectURI]))
    #expect(answer.status == (isTaken ? 200 : 400))
    #expect(answer.text.contains("AADB2C90006") != isTaken)
  }

  static let badRequests: [([String: String?], String, String)] = [
    (["response_type": "token"], "unsupported_response_type", "AADB2C90083"),
    (["response_mode": "form_post"], "invalid_request", "AADB2C90083"),
    (["scope": nil], "invalid_request", "AADB2C90083"),
    (["scope": "openid https://contoso.onmicrosoft.com/other/read"], "invalid_scope", "AADB2C90117"),
    (
      ["scope": "https://contoso.onmicrosoft.com/tasks/read \(LocalTenant.standardClientID)"], "invalid_scope",
      "AADB2C90117"
    ),
    (["prompt": "smile"], "invalid_request", "AADB2C90083"),
    (["prompt": "none login"], "invalid_request", "AADB2C90083"),
    (["prompt": "none"], "interaction_required", "AADB2C90077"),
    (["code_challenge": nil], "invalid_request", "AADB2C90083"),
    (["code_challenge_method": nil], "invalid_request", "AADB2C90083"),
    (["code_challenge_method": "plain"], "invalid_request", "AADB2C90083"),
    (["code_challenge": "short"], "invalid_request", "AADB2C90083"),
  ]

  @Test("A bad request is told by redirect", arguments: badRequests)
  func badRequest(_ changes: [String: String?], _ error: String, _ code: String) async throws {
    let answer = try await visitor.get(visitor.authorizeURL(changes))
    #expect(answer.status == 302)
    let location = try #require(answer.header("location"))
    #expect(location.hasPrefix("com.example.tasks:/callback?"))
    let values = query(of: try url(location))
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
    #expect(query(of: try url(answer.header("location") ?? ""))["error"] == error)
  }

  @Test("An error has the form, ids and time of the service")
  func errorDescription() async throws {
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

  @Test("A tenant and a policy are found in any case and by GUID, and others are not found")
  func places() async throws {
    let metadata = "/b2c_1_SIGNIN/v2.0/.well-known/openid-configuration"
    #expect(try await visitor.get(url("https://CONTOSO.b2clogin.com/\(tenant.tenantID)" + metadata)).status == 200)
    #expect(try await visitor.get(url("https://contoso.b2clogin.com/other.onmicrosoft.com" + metadata)).status == 404)
    let other = visitor.at(LocalPolicy("B2C_1_Other", .signIn))
    #expect(try await other.get(other.authorizeURL()).status == 404)
  }

  @Test("The callback of Facebook has its mark in the fragment")
  func fragment() async throws {
    let visitor = visitor.at(.facebookSignIn)
    let callback = try await visitor.callback(of: visitor.user())
    #expect(callback.fragment == "_=_")
    #expect(query(of: callback)["code"] != nil)
  }
}
