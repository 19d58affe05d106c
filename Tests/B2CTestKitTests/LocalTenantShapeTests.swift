import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.hangLimit)
struct LocalTenantShapeTests {
  let clock = TestClock()

  private func tenant(_ shape: LocalTenant.Shape) -> LocalTenant {
    let clock = clock
    return LocalTenant(shape: shape, now: { clock.date })
  }

  @Test(arguments: [LocalTenant.Shape.entra, .ciam, .openIDConnect])
  func signInAndRefreshWithoutAPolicy(shape: LocalTenant.Shape) async throws {
    let tenant = tenant(shape)
    let visitor = TenantVisitor(tenant)
    let answer = try await visitor.tokens()
    #expect(answer.status == 200)
    #expect(answer.idToken["iss"] == .string(tenant.issuer))
    #expect(answer.idToken["tfp"] == nil)
    #expect(answer.accessToken["aud"] == .string(LocalTenant.standardAPIClientID))
    #expect(answer.members["not_before"] == nil)
    let second = try await visitor.refresh(answer["refresh_token"])
    #expect(second.status == 200)
    #expect(second["refresh_token"] != answer["refresh_token"])
    #expect(try await visitor.refresh(answer["refresh_token"]).error == "invalid_grant")
  }

  @Test func entraTokensAndClientInfoHaveNoPolicy() async throws {
    let tenant = tenant(.entra)
    let visitor = TenantVisitor(tenant)
    let answer = try await visitor.redeem(visitor.signIn()["code"], changing: ["client_info": "1"])
    #expect(answer.idToken["tid"] == .string(tenant.tenantID))
    #expect(answer.idToken["ver"] == .string("2.0"))
    #expect(answer.idToken["preferred_username"] == .string("alice@example.com"))
    let info = try #require(answer["client_info"].flatMap { Base64URL.decode($0) })
    #expect(try JSONDecoder().decode([String: String].self, from: info)["uid"] == LocalUser.alice.id)
  }

  @Test func entraErrorsHaveTheirMembers() async throws {
    let visitor = TenantVisitor(tenant(.entra))
    let first = try await visitor.tokens()["refresh_token"]
    _ = try await visitor.refresh(first)
    let answer = try await visitor.refresh(first)
    #expect(answer.error == "invalid_grant")
    #expect(answer["suberror"] == "bad_token")
    #expect(answer.members["error_codes"] == .array([.integer(50173)]))
    #expect(answer.description.hasPrefix("AADSTS50173: "))
    #expect(answer["correlation_id"] == answer.header("client-request-id"))
  }

  @Test func entraUnknownScopeAndMissingSessionHaveTheirCodes() async throws {
    let visitor = TenantVisitor(tenant(.entra))
    let none = try await visitor.signIn(["prompt": "none"])
    #expect(none["error_description"]?.hasPrefix("AADSTS50058: ") == true)
    let scope = try await visitor.signIn(["scope": "openid api://unknown/read"])
    #expect(scope["error_description"]?.hasPrefix("AADSTS70011: ") == true)
  }

  @Test func ciamOffersSignUp() async throws {
    let tenant = tenant(.ciam)
    let signUp = ScriptedPresenter(
      transport: tenant.transport,
      .signUp(email: "new@example.com", password: "Not-A-Secret-3", displayName: "New"))
    #expect(try await TenantVisitor(tenant).signIn(presenter: signUp)["code"] != nil)
    #expect(tenant.user(email: "new@example.com") != nil)
  }

  @Test func promptCreateGoesToSignUp() async throws {
    let tenant = tenant(.entra)
    let answer = try await TenantVisitor(tenant).get(TenantVisitor(tenant).authorizeURL(["prompt": "create"]))
    #expect(String(decoding: answer.body, as: UTF8.self).contains("<title>Sign up</title>"))
  }

  @Test func openIDConnectSendsIssuerAndHashAndAnswersUserInfo() async throws {
    let tenant = tenant(.openIDConnect)
    let visitor = TenantVisitor(tenant)
    let values = try await visitor.signIn(["scope": "openid profile unknown"])
    #expect(values["iss"] == "https://contoso.example")
    let refusal = try await visitor.signIn(["prompt": "none"])
    #expect(refusal["iss"] == "https://contoso.example")
    let answer = try await visitor.redeem(values["code"])
    #expect(answer.idToken["at_hash"]?.string?.utf8.count == 22)
    #expect(answer.idToken["oid"] == nil)
    #expect(answer["scope"] == "openid profile")
    var request = URLRequest(url: try visitor.url("/userinfo"))
    #expect(try await tenant.transport.answer(to: request).status == 401)
    request.setValue("Bearer " + (answer["access_token"] ?? ""), forHTTPHeaderField: "Authorization")
    let info = try await tenant.transport.answer(to: request)
    let members = try JSONDecoder().decode(JSONValue.self, from: info.body).object
    #expect(members?["sub"] == answer.idToken["sub"])
  }

  @Test(arguments: [
    (LocalTenant.Shape.b2c, false), (.entra, true), (.openIDConnect, true),
  ])
  func loopbackPortMayDifferWhereRFC8252IsHeeded(shape: LocalTenant.Shape, isTaken: Bool) async throws {
    let tenant = LocalTenant(shape: shape, redirectURIs: ["http://127.0.0.1:8080/callback"])
    let visitor = TenantVisitor(tenant)
    let other = try visitor.authorizeURL(["redirect_uri": "http://127.0.0.1:9090/callback"])
    #expect(try await visitor.get(other).status == (isTaken ? 200 : 400))
    let path = try visitor.authorizeURL(["redirect_uri": "http://127.0.0.1:8080/other"])
    #expect(try await visitor.get(path).status == 400)
  }
}
