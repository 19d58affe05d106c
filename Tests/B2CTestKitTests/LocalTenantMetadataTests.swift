import B2CCore
import B2CIDToken
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.hangLimit)
struct LocalTenantMetadataTests {
  private func document(_ visitor: TenantVisitor, _ path: String) async throws -> [String: JSONValue] {
    let answer = try await visitor.get(visitor.url(path))
    #expect(answer.status == 200)
    return try #require(try JSONDecoder().decode(JSONValue.self, from: answer.body).object)
  }

  @Test(arguments: [
    (LocalTenant.AuthorityForm.query, "/contoso.onmicrosoft.com/discovery/v2.0/keys?p=b2c_1_signin"),
    (.path, "/contoso.onmicrosoft.com/b2c_1_signin/discovery/v2.0/keys"),
    (.tfp, "/tfp/contoso.onmicrosoft.com/b2c_1_signin/discovery/v2.0/keys"),
  ])
  func metadataKeepsTheFormOfTheAuthority(form: LocalTenant.AuthorityForm, keys: String) async throws {
    let tenant = LocalTenant()
    var visitor = TenantVisitor(tenant)
    visitor.form = form
    let document = try await document(visitor, "/v2.0/.well-known/openid-configuration")
    #expect(document["jwks_uri"] == .string("https://contoso.b2clogin.com" + keys))
    #expect(document["issuer"] == .string(tenant.issuer))
    #expect(document["id_token_signing_alg_values_supported"] == .array([.string("RS256")]))
    for name in ["authorization_endpoint", "token_endpoint", "end_session_endpoint"] {
      let path = keys.replacingOccurrences(of: "discovery/v2.0/keys", with: "")
      let end = path.components(separatedBy: "?")[0]
      #expect(document[name]?.string?.hasPrefix("https://contoso.b2clogin.com" + end + "oauth2/v2.0/") == true)
    }
    let keySet = try await visitor.get(#require(URL(string: document["jwks_uri"]?.string ?? "")))
    #expect(keySet.body == (try TestSigningKey.keySet(tenant.signingKeys)))
    #expect(tenant.counters.metadataRequests == 1)
    #expect(tenant.counters.keysRequests == 1)
  }

  @Test func rotatedKeySignsAndTheOldOneStaysOrGoes() async throws {
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
    #expect(keys?.count == 1)
    #expect(keys?.first?.object?["kty"] == .string("EC"))
  }

  @Test func metadataAndKeysCanBeChanged() async throws {
    let tenant = LocalTenant()
    let visitor = TenantVisitor(tenant)
    tenant.behavior.changeMetadata = { $0["issuer"] = .string("https://attacker.example") }
    tenant.behavior.changeKeys = { $0 = [] }
    let document = try await document(visitor, "/v2.0/.well-known/openid-configuration")
    #expect(document["issuer"] == .string("https://attacker.example"))
    #expect(try await self.document(visitor, "/discovery/v2.0/keys") == ["keys": .array([])])
  }

  @Test(arguments: [
    (LocalTenant.Shape.entra, "https://login.microsoftonline.com/22222222-2222-4222-8222-222222222222/v2.0"),
    (.ciam, "https://22222222-2222-4222-8222-222222222222.ciamlogin.com/22222222-2222-4222-8222-222222222222/v2.0"),
    (.openIDConnect, "https://contoso.example"),
  ])
  func everyShapeHasItsIssuer(shape: LocalTenant.Shape, issuer: String) async throws {
    let tenant = LocalTenant(shape: shape)
    let path = shape == .openIDConnect ? "" : "/v2.0"
    let document = try await document(TenantVisitor(tenant), path + "/.well-known/openid-configuration")
    #expect(document["issuer"] == .string(issuer))
    #expect(tenant.issuer == issuer)
    let iss = document["authorization_response_iss_parameter_supported"]
    #expect(iss == (shape == .openIDConnect ? .bool(true) : nil))
  }

  @Test func commonHasAPlaceholderInItsIssuer() async throws {
    let tenant = LocalTenant(shape: .entra)
    let url = "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration"
    let answer = try await tenant.transport.answer(to: URLRequest(url: #require(URL(string: url))))
    let document = try JSONDecoder().decode(JSONValue.self, from: answer.body).object
    #expect(document?["issuer"] == .string("https://login.microsoftonline.com/{tenantid}/v2.0"))
  }
}
