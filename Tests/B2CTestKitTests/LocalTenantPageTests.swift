import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The sign-in page: which requests show it, what a user does at it, and what comes back.
@Suite(.hangLimit)
struct LocalTenantPageTests {
  let tenant = LocalTenant()
  var visitor: TenantVisitor { TenantVisitor(tenant) }

  // MARK: Requests

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
    #expect(answer.status == 400 && answer.header("location") == nil && answer.text.contains(code))
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
    #expect(answer.status == (isTaken ? 200 : 400) && answer.text.contains("AADB2C90006") != isTaken)
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
    let location = try #require(answer.header("location"))
    #expect(answer.status == 302 && location.hasPrefix("com.example.tasks:/callback?"))
    let values = query(of: try url(location))
    #expect(values["error"] == error && values["state"] == "state-1")
    #expect(values["error_description"]?.hasPrefix(code + ": ") == true)
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
    #expect(callback.fragment == "_=_" && query(of: callback)["code"] != nil)
  }

  // MARK: Users

  @Test(
    "A sign-up, also from the page of a combined policy, makes a user who can sign in",
    arguments: [LocalPolicy.signUp, .signUpOrSignIn])
  func signUp(_ policy: LocalPolicy) async throws {
    let user = visitor.user(.signUp(email: "new@example.com", password: "Not-A-Secret-3", displayName: "New"))
    let answer = try await visitor.at(policy).tokens(as: user)
    #expect(user.steps.contains { $0.hasPrefix("on 'Sign up'") })
    #expect(answer.idToken["newUser"] == true && answer.idToken["emails"] == ["new@example.com"])
    #expect(tenant.users.count == 3 && tenant.user(email: "new@example.com")?.displayName == "New")
    let known = visitor.user(.signIn(email: "NEW@example.com", password: "Not-A-Secret-3"))
    let second = try await visitor.tokens(as: known)
    #expect(second.idToken["oid"] == answer.idToken["oid"] && second.idToken["newUser"] == nil)
  }

  @Test(
    "A bad sign-up is told in the page",
    arguments: [("alice@example.com", "Not-A-Secret-3"), ("nobody", "Not-A-Secret-3"), ("new@example.com", "short")])
  func badSignUp(_ email: String, _ password: String) async throws {
    let user = visitor.user(.signUp(email: email, password: password, displayName: "A"), .cancel)
    #expect(try await visitor.at(.signUp).signIn(as: user)["error"] == "access_denied")
    #expect(user.steps.contains { $0.hasPrefix("'Sign up' says:") })
    #expect(tenant.users.count == 2)
  }

  @Test(
    "Wrong credentials show the page again",
    arguments: [
      ("alice@example.com", "Your password is incorrect."),
      ("nobody@example.com", "There is no account with this email address."),
    ])
  func wrongCredentials(_ email: String, _ alert: String) async throws {
    let user = visitor.user(.signIn(email: email, password: "wrong"), .signIn(.alice))
    #expect(try await visitor.signIn(as: user)["code"] != nil)
    #expect(user.steps.contains("'Sign in' says: \(alert)"))
  }

  @Test(
    "A button ends the page with its code",
    arguments: [
      (ScriptedPresenter.Action.cancel, LocalPolicy.signIn, "AADB2C90091"), (.cancel, .signUp, "AADB2C90091"),
      (.cancel, .resetPassword, "AADB2C90091"), (.forgotPassword, .signIn, "AADB2C90118"),
      (.forgotPassword, .signUpOrSignIn, "AADB2C90118"), (.cancel, .facebookSignIn, "AADB2C90273"),
    ])
  func buttons(_ action: ScriptedPresenter.Action, _ policy: LocalPolicy, _ code: String) async throws {
    let values = try await visitor.at(policy).signIn(as: visitor.user(action))
    #expect(values["error"] == "access_denied" && values["error_description"]?.hasPrefix(code) == true)
    #expect(values["state"] == "state-1" && values["code"] == nil)
  }

  @Test("A profile edit changes the name; it asks for a sign-in only without a session", arguments: [true, false])
  func profileEdit(_ hasSession: Bool) async throws {
    let user = visitor.user(.signIn(.alice), .editProfile(displayName: "Alice Changed"))
    if hasSession { _ = try await visitor.signIn(as: user) }
    let claims = try await visitor.at(.editProfile).tokens(as: user).idToken
    #expect(claims["name"] == "Alice Changed" && claims["tfp"] == "B2C_1_EditProfile")
    #expect(claims["oid"] == .string(LocalUser.alice.id))
    #expect(tenant.user(email: "alice@example.com")?.displayName == "Alice Changed")
    #expect(user.steps.filter { $0.hasPrefix("on 'Sign in'") }.count == 1)
  }

  @Test("A reset sets the password and ends old tokens")
  func reset() async throws {
    let old = try await visitor.tokens()
    let reset = visitor.user(.resetPassword(email: "alice@example.com", newPassword: "Not-A-Secret-9"))
    #expect(try await visitor.at(.resetPassword).signIn(as: reset)["code"] != nil)
    let retry = visitor.user(.signIn(.alice), .signIn(email: "alice@example.com", password: "Not-A-Secret-9"))
    #expect(try await visitor.signIn(as: retry)["code"] != nil)
    #expect(retry.steps.contains("'Sign in' says: Your password is incorrect."))
    #expect(try await visitor.refresh(old["refresh_token"]).description.hasPrefix("AADB2C90129"))
  }

  @Test("A session signs in without a page, and keeps the time of its sign-in")
  func session() async throws {
    let clock = TestClock()
    let visitor = TenantVisitor(LocalTenant(now: { clock.date }))
    let user = visitor.user()
    let first = try await visitor.tokens(as: user)
    await clock.advance(by: .seconds(60))
    for changes in [[:], ["prompt": "none"]] as [[String: String?]] {
      let again = try await visitor.tokens(changes, as: user)
      #expect(again.idToken["auth_time"] == first.idToken["auth_time"])
      #expect(again.idToken["iat"] != first.idToken["iat"])
    }
    #expect(user.steps.filter { $0.hasPrefix("on ") }.count == 1)
    visitor.tenant.users.removeAll { $0.id == LocalUser.alice.id }
    // A deleted user has no session.
    #expect(try await visitor.signIn(["prompt": "none"], as: user)["error"] == "interaction_required")
  }

  @Test("Some prompts ask in spite of a session", arguments: ["login", "select_account"])
  func prompt(_ prompt: String) async throws {
    let user = visitor.user()
    _ = try await visitor.signIn(as: user)
    user.follow(.signIn(.bob))
    #expect(try await visitor.tokens(["prompt": prompt], as: user).idToken["oid"] == .string(LocalUser.bob.id))
  }

  @Test("A page belongs to its URL: an earlier one, to which a browser goes back, can still be posted")
  func pagesKeepNothing() async throws {
    let visitor = visitor.at(.signUpOrSignIn)
    let url = try visitor.authorizeURL()
    let signUp = try await visitor.post(url, ["stage": "signIn", "action": "signup"])
    #expect(signUp.text.contains("<h1>Sign up</h1>"))
    let known = ["email": "alice@example.com", "password": LocalUser.alice.password.value]
    let signIn = try await visitor.post(url, known.merging(["stage": "signIn", "action": "continue"]) { $1 })
    #expect(signIn.status == 302)
    #expect(signIn.header("set-cookie")?.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure") == true)
  }

  @Test("At another identity provider anyone may log in, known to the tenant or not", arguments: [true, false])
  func identityProvider(_ isHinted: Bool) async throws {
    let face = LocalUser(email: "fb@example.com", password: "", displayName: "Face", identityProvider: "facebook.com")
    let visitor = visitor.at(isHinted ? .signIn : .facebookSignIn)
    let hint: [String: String?] = isHinted ? ["domain_hint": "facebook.com"] : [:]
    for _ in 0..<2 {
      let claims = try await visitor.tokens(hint, as: visitor.user(.signIn(face))).idToken
      #expect(claims["idp"] == "facebook.com" && claims["name"] == "Face")
    }
    #expect(tenant.users.count == 3)
    tenant.users.append(
      LocalUser(email: "two@example.com", password: "", displayName: "Two", identityProvider: "facebook.com"))
    let known = visitor.user(.signIn(email: "two@example.com", password: ""))
    #expect(try await visitor.tokens(hint, as: known).idToken["oid"] == tenant.users.last.map { .string($0.id) })
  }
}
