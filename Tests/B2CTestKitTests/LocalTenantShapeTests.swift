import B2CIDToken
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// What differs between the services: metadata, issuers, tokens, errors, and the pages that each of them has.
@Suite(.hangLimit)
struct LocalTenantShapeTests {
  private static let others = [LocalTenant.Shape.entra, .ciam, .openIDConnect]

  @Test("Other shapes sign in and refresh without a policy", arguments: others)
  func withoutAPolicy(_ shape: LocalTenant.Shape) async throws {
    let tenant = LocalTenant(shape: shape)
    let visitor = TenantVisitor(tenant)
    let answer = try await visitor.tokens()
    #expect(answer.idToken["iss"] == .string(tenant.issuer) && answer.idToken["tfp"] == nil)
    #expect(answer.accessToken["aud"] == .string(LocalTenant.standardAPIClientID))
    #expect(answer.members["not_before"] == nil)
    let second = try await visitor.refresh(answer["refresh_token"])
    #expect(second.status == 200 && second["refresh_token"] != answer["refresh_token"])
    #expect(try await visitor.refresh(answer["refresh_token"]).error == "invalid_grant")
    let silent = try await visitor.signIn(["prompt": "none"])
    #expect(silent["error"] == "login_required")
  }

  @Test("Entra's tokens and client_info name the tenant and no policy")
  func entraTokens() async throws {
    let tenant = LocalTenant(shape: .entra)
    let visitor = TenantVisitor(tenant)
    let answer = try await visitor.redeem(visitor.signIn()["code"], changing: ["client_info": "1"])
    #expect(answer.idToken["tid"] == .string(tenant.tenantID) && answer.idToken["ver"] == "2.0")
    #expect(answer.idToken["preferred_username"] == "alice@example.com")
    #expect(answer.clientInfo["uid"] == .string(LocalUser.alice.id))
  }

  @Test("Entra's errors have their codes and members")
  func entraErrors() async throws {
    let visitor = TenantVisitor(LocalTenant(shape: .entra))
    let first = try await visitor.tokens()["refresh_token"]
    _ = try await visitor.refresh(first)
    let answer = try await visitor.refresh(first)
    #expect(answer.error == "invalid_grant" && answer["suberror"] == "bad_token")
    #expect(answer.members["error_codes"] == [50173] && answer.description.hasPrefix("AADSTS50173: "))
    #expect(answer["correlation_id"] == answer.response.header("client-request-id"))
    for (changes, code) in [
      (["prompt": "none"], "AADSTS50058"), (["scope": "openid api://unknown/read"], "AADSTS70011"),
    ] {
      #expect(try await visitor.signIn(changes)["error_description"]?.hasPrefix(code + ": ") == true)
    }
  }

  @Test("External ID offers to sign up on its page, Entra ID with prompt=create")
  func signUp() async throws {
    let ciam = TenantVisitor(LocalTenant(shape: .ciam))
    let newUser = ciam.user(.signUp(email: "new@example.com", password: "Not-A-Secret-3", displayName: "New"))
    #expect(try await ciam.signIn(as: newUser)["code"] != nil)
    #expect(ciam.tenant.user(email: "new@example.com") != nil)
    let entra = TenantVisitor(LocalTenant(shape: .entra))
    let page = try await entra.get(entra.authorizeURL(["prompt": "create"]))
    #expect(page.text.contains("<title>Sign up</title>"))
  }

  @Test("A generic issuer sends iss and at_hash, and answers at userinfo")
  func openIDConnect() async throws {
    let visitor = TenantVisitor(LocalTenant(shape: .openIDConnect))
    let values = try await visitor.signIn(["scope": "openid profile unknown"])
    #expect(values["iss"] == "https://contoso.example")
    #expect(try await visitor.signIn(["prompt": "none"])["iss"] == "https://contoso.example")
    let answer = try await visitor.redeem(values["code"])
    #expect(answer.idToken["at_hash"]?.string?.utf8.count == 22)
    #expect(answer.idToken["oid"] == nil && answer["scope"] == "openid profile")
    var request = URLRequest(url: try visitor.url("/userinfo"))
    #expect(try await visitor.transport.answer(to: request).status == 401)
    request.setValue("Bearer " + (answer["access_token"] ?? ""), forHTTPHeaderField: "Authorization")
    #expect(try await visitor.transport.answer(to: request).json?["sub"] == answer.idToken["sub"])
  }

  @Test(
    "A loopback port may differ if the service follows RFC 8252, a path may not",
    arguments: [(LocalTenant.Shape.b2c, false), (.entra, true), (.openIDConnect, true)])
  func loopbackPort(_ shape: LocalTenant.Shape, _ isTaken: Bool) async throws {
    let visitor = TenantVisitor(LocalTenant(shape: shape, redirectURIs: ["http://127.0.0.1:8080/callback"]))
    for (uri, status) in [("9090/callback", isTaken ? 200 : 400), ("8080/other", 400)] {
      let page = try visitor.authorizeURL(["redirect_uri": "http://127.0.0.1:" + uri])
      #expect(try await visitor.get(page).status == status)
    }
  }

  // MARK: Metadata and keys

  private func document(_ visitor: TenantVisitor, _ path: String) async throws -> [String: JSONValue] {
    let answer = try await visitor.get(visitor.url(path))
    #expect(answer.status == 200)
    return try #require(answer.json)
  }

  @Test(
    "Metadata keeps the form of the authority",
    arguments: [
      (LocalTenant.AuthorityForm.query, "/contoso.onmicrosoft.com/discovery/v2.0/keys?p=b2c_1_signin"),
      (.path, "/contoso.onmicrosoft.com/b2c_1_signin/discovery/v2.0/keys"),
      (.tfp, "/tfp/contoso.onmicrosoft.com/b2c_1_signin/discovery/v2.0/keys"),
    ])
  func forms(_ form: LocalTenant.AuthorityForm, _ keys: String) async throws {
    let tenant = LocalTenant()
    var visitor = TenantVisitor(tenant)
    visitor.form = form
    let document = try await document(visitor, "/v2.0/.well-known/openid-configuration")
    #expect(document["jwks_uri"] == .string("https://contoso.b2clogin.com" + keys))
    #expect(document["issuer"] == .string(tenant.issuer))
    #expect(document["id_token_signing_alg_values_supported"] == ["RS256"])
    let path = keys.components(separatedBy: "discovery/")[0] + "oauth2/v2.0/"
    for name in ["authorization_endpoint", "token_endpoint", "end_session_endpoint"] {
      #expect(document[name]?.string?.hasPrefix("https://contoso.b2clogin.com" + path) == true)
    }
    let keySet = try await visitor.get(url(document["jwks_uri"]?.string ?? ""))
    #expect(keySet.body == (try TestSigningKey.keySet(tenant.signingKeys)))
    #expect(tenant.counters.metadataRequests == 1 && tenant.counters.keysRequests == 1)
  }

  @Test("A rotated key signs, and the old one is kept or removed")
  func rotation() async throws {
    let tenant = LocalTenant()
    let visitor = TenantVisitor(tenant)
    let old = tenant.signingKeys[0]
    try tenant.rotateKeys()
    #expect(tenant.signingKeys.count == 2)
    let token = try #require(try await visitor.tokens()["id_token"])
    #expect(!old.verifies(token) && tenant.signingKeys[0].verifies(token))
    try tenant.rotateKeys(to: TestSigningKey.any(.es256, id: "ec"), keepingOld: false)
    #expect(tenant.signingKeys.map(\.id) == ["ec"])
    let keys = try await document(visitor, "/discovery/v2.0/keys")["keys"]?.array
    #expect(keys?.compactMap(\.object?["kty"]) == ["EC"])
  }

  @Test("Metadata and keys can be changed")
  func changes() async throws {
    let tenant = LocalTenant()
    let visitor = TenantVisitor(tenant)
    tenant.behavior.changeMetadata = { $0["issuer"] = "https://attacker.example" }
    tenant.behavior.changeKeys = { $0 = [] }
    let document = try await document(visitor, "/v2.0/.well-known/openid-configuration")
    #expect(document["issuer"] == "https://attacker.example")
    #expect(try await self.document(visitor, "/discovery/v2.0/keys") == ["keys": []])
  }

  @Test(
    "Every shape has its issuer",
    arguments: [
      (LocalTenant.Shape.entra, "https://login.microsoftonline.com/22222222-2222-4222-8222-222222222222/v2.0"),
      (.ciam, "https://22222222-2222-4222-8222-222222222222.ciamlogin.com/22222222-2222-4222-8222-222222222222/v2.0"),
      (.openIDConnect, "https://contoso.example"),
    ])
  func issuers(_ shape: LocalTenant.Shape, _ issuer: String) async throws {
    let tenant = LocalTenant(shape: shape)
    let path = shape == .openIDConnect ? "" : "/v2.0"
    let document = try await document(TenantVisitor(tenant), path + "/.well-known/openid-configuration")
    #expect(document["issuer"] == .string(issuer) && tenant.issuer == issuer)
    let iss = document["authorization_response_iss_parameter_supported"]
    #expect(iss == (shape == .openIDConnect ? true : nil))
  }

  @Test("The issuer of common has a placeholder")
  func common() async throws {
    let page = try url("https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration")
    let answer = try await TenantVisitor(LocalTenant(shape: .entra)).get(page)
    #expect(answer.json?["issuer"] == "https://login.microsoftonline.com/{tenantid}/v2.0")
  }

  // MARK: Sign-out

  private func signOut(_ visitor: TenantVisitor, _ user: ScriptedPresenter, _ query: [(String, String)]) async throws
    -> URL
  {
    let page = try visitor.url("/oauth2/v2.0/logout", query)
    let redirect = try url(LocalTenant.standardRedirectURI)
    return try await user.present(
      PresentationRequest(purpose: .signOut, redirectURI: redirect, state: Secret("s")) { _ in page })
  }

  @Test("A sign-out ends the session and redirects with the state; without a redirect its page is the end")
  func signOut() async throws {
    let visitor = TenantVisitor(LocalTenant())
    let user = visitor.user()
    let token = try #require(try await visitor.tokens(as: user)["id_token"])
    #expect(visitor.tenant.sessionCount == 1)
    let redirect = ("post_logout_redirect_uri", LocalTenant.standardRedirectURI)
    let callback = try await signOut(visitor, user, [redirect, ("state", "out-1"), ("id_token_hint", token)])
    #expect(callback.absoluteString == LocalTenant.standardRedirectURI + "?state=out-1")
    #expect(visitor.tenant.sessionCount == 0)
    #expect(try await visitor.signIn(["prompt": "none"], as: user)["error"] == "interaction_required")
    user.follow(.signIn(.alice))
    _ = try await visitor.signIn(as: user)
    await expectError(ConnectorError.self, .userClosedBrowser) { try await signOut(visitor, user, []) }
    #expect(visitor.tenant.sessionCount == 0)
  }

  @Test("With an id_token_hint the redirect of a sign-out must be registered, with any port on this machine")
  func logoutRedirect() async throws {
    for (visitor, path, uri, status) in [
      (TenantVisitor(LocalTenant()), "/oauth2/v2.0/logout", "https://other.example/out", 400),
      (Self.loopback, "/logout", "http://127.0.0.1:8123/done", 302),
      (Self.loopback, "/logout", "http://127.0.0.1:8123/other", 400),
    ] {
      let token = try #require(try await visitor.tokens()["id_token"])
      let query = [("post_logout_redirect_uri", uri), ("id_token_hint", token)]
      let answer = try await visitor.get(visitor.url(path, query))
      #expect(answer.status == status && answer.header("location") == (status == 302 ? uri : nil))
    }
    let visitor = TenantVisitor(LocalTenant())
    let free = try visitor.url("/oauth2/v2.0/logout", [("post_logout_redirect_uri", "https://other.example/out")])
    #expect(try await visitor.get(free).header("location") == "https://other.example/out")
  }

  private static var loopback: TenantVisitor {
    TenantVisitor(LocalTenant(shape: .openIDConnect, redirectURIs: ["http://127.0.0.1/done"]))
  }
}
