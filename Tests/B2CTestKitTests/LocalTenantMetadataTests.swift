import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit)
struct LocalTenantMetadataTests {
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
    #expect(document["id_token_signing_alg_values_supported"] == .array([.string("RS256")]))
    let path = keys.components(separatedBy: "discovery/")[0] + "oauth2/v2.0/"
    for name in ["authorization_endpoint", "token_endpoint", "end_session_endpoint"] {
      #expect(document[name]?.string?.hasPrefix("https://contoso.b2clogin.com" + path) == true)
    }
    let keySet = try await visitor.get(#require(URL(string: document["jwks_uri"]?.string ?? "")))
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
    #expect(!old.verifies(token))
    #expect(tenant.signingKeys[0].verifies(token))
    try tenant.rotateKeys(to: TestSigningKey.any(.es256, id: "ec"), keepingOld: false)
    #expect(tenant.signingKeys.map(\.id) == ["ec"])
    let keys = try await document(visitor, "/discovery/v2.0/keys")["keys"]?.array
    #expect(keys?.compactMap(\.object?["kty"]) == [.string("EC")])
  }

  @Test("Metadata and keys can be changed")
  func changes() async throws {
    let tenant = LocalTenant()
    let visitor = TenantVisitor(tenant)
    tenant.behavior.changeMetadata = { $0["issuer"] = .string("https://attacker.example") }
    tenant.behavior.changeKeys = { $0 = [] }
    let document = try await document(visitor, "/v2.0/.well-known/openid-configuration")
    #expect(document["issuer"] == .string("https://attacker.example"))
    #expect(try await self.document(visitor, "/discovery/v2.0/keys") == ["keys": .array([])])
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
    #expect(iss == (shape == .openIDConnect ? .bool(true) : nil))
  }

  @Test("The issuer of common has a placeholder")
  func common() async throws {
    let url = "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration"
    let answer = try await TenantVisitor(LocalTenant(shape: .entra)).get(#require(URL(string: url)))
    #expect(answer.json?["issuer"] == .string("https://login.microsoftonline.com/{tenantid}/v2.0"))
  }
}
