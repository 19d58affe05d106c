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
  @Test(
    "Other shapes sign in and refresh without a policy", arguments: [LocalTenant.Shape.entra, .ciam, .openIDConnect])
  func withoutAPolicy(_ shape: LocalTenant.Shape) async throws {
    let tenant = LocalTenant(shape: shape)
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

  @Test("Entra's tokens and client_info name the tenant and no policy")
  func entraTokens() async throws {
    let tenant = LocalTenant(shape: .entra)
    let visitor = TenantVisitor(tenant)
    let answer = try await visitor.redeem(visitor.signIn()["code"], changing: ["client_info": "1"])
    #expect(answer.idToken["tid"] == .string(tenant.tenantID))
    #expect(answer.idToken["ver"] == .string("2.0"))
    #expect(answer.idToken["preferred_username"] == .string("alice@example.com"))
    let info = try #require(answer["client_info"].flatMap { Base64URL.decode($0) })
    #expect(try JSONDecoder().decode([String: String].self, from: info)["uid"] == LocalUser.alice.id)
  }

  @Test("Entra's errors have their codes and members")
  func entraErrors() async throws {
    let visitor = TenantVisitor(LocalTenant(shape: .entra))
    let first = try await visitor.tokens()["refresh_token"]
    _ = try await visitor.refresh(first)
    let answer = try await visitor.refresh(first)
    #expect(answer.error == "invalid_grant" && answer["suberror"] == "bad_token")
    #expect(answer.members["error_codes"] == .array([.integer(50173)]))
    #expect(answer.description.hasPrefix("AADSTS50173: "))
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
    #expect(answer.idToken["oid"] == nil)
    #expect(answer["scope"] == "openid profile")
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
    let other = try visitor.authorizeURL(["redirect_uri": "http://127.0.0.1:9090/callback"])
    #expect(try await visitor.get(other).status == (isTaken ? 200 : 400))
    let path = try visitor.authorizeURL(["redirect_uri": "http://127.0.0.1:8080/other"])
    #expect(try await visitor.get(path).status == 400)
  }
}
