import B2CIDToken
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit)
struct LocalTenantDeviceTests {
  let clock = TestClock()

  private func visitor(_ shape: LocalTenant.Shape) -> TenantVisitor {
    TenantVisitor(LocalTenant(shape: shape, now: { [clock] in clock.date }))
  }

  private func begin(_ visitor: TenantVisitor) async throws -> TokenAnswer {
    let path = visitor.tenant.shape == .openIDConnect ? "/device_authorization" : "/oauth2/v2.0/devicecode"
    let form = ["client_id": visitor.tenant.clientID, "scope": "openid offline_access"]
    return try TokenAnswer(await visitor.post(visitor.url(path), form))
  }

  private func poll(_ visitor: TenantVisitor, _ code: String?) async throws -> TokenAnswer {
    let form = [
      "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": visitor.tenant.clientID,
      "device_code": try #require(code),
    ]
    return try TokenAnswer(await visitor.post(visitor.url(visitor.tokenPath), form))
  }

  @Test(
    "A device waits and gets tokens once it is approved, or is told that its code is declined, expired or unknown",
    arguments: [(LocalTenant.Shape.entra, "authorization_declined"), (.openIDConnect, "access_denied")])
  func polling(_ shape: LocalTenant.Shape, _ refusal: String) async throws {
    let visitor = visitor(shape)
    let device = try await begin(visitor)
    #expect(device.members["expires_in"] == 900 && device.members["interval"] == 5)
    #expect(try await poll(visitor, device["device_code"]).error == "authorization_pending")
    #expect(visitor.tenant.approveDevice(userCode: try #require(device["user_code"]), email: "bob@example.com"))
    #expect(try await poll(visitor, device["device_code"]).idToken["sub"] == .string(LocalUser.bob.id))
    #expect(try await poll(visitor, device["device_code"]).error == "invalid_grant")
    let declined = try await begin(visitor)
    #expect(visitor.tenant.denyDevice(userCode: try #require(declined["user_code"])))
    #expect(try await poll(visitor, declined["device_code"]).error == refusal)
    let expired = try await begin(visitor)
    await clock.advance(by: .seconds(900))
    #expect(try await poll(visitor, expired["device_code"]).error == "expired_token")
    #expect(!visitor.tenant.approveDevice(userCode: try #require(expired["user_code"]), email: "bob@example.com"))
    #expect(try await poll(visitor, "unknown").error == "invalid_grant")
  }

  @Test("The page of a device asks for code, email and password")
  func page() async throws {
    let visitor = visitor(.entra)
    let device = try await begin(visitor)
    let page = try url(device["verification_uri"] ?? "")
    #expect(try await visitor.get(page).text.contains("<label for=\"user_code\">"))
    var form = ["user_code": device["user_code"] ?? "", "email": "alice@example.com", "password": "wrong"]
    #expect(try await visitor.post(page, form).text.contains("Your password is incorrect."))
    form["password"] = LocalUser.alice.password.value
    #expect(try await visitor.post(page, form).text.contains("<h1>Done</h1>"))
    #expect(try await poll(visitor, device["device_code"]).status == 200)
    form["user_code"] = "OTHER"
    #expect(try await visitor.post(page, form).text.contains("This code is unknown"))
  }

  @Test("Azure AD B2C offers no device code")
  func none() async throws {
    let visitor = visitor(.b2c)
    #expect(try await visitor.post(visitor.url("/oauth2/v2.0/devicecode"), ["client_id": "x"]).status == 404)
  }
}

struct TestSigningKeyTests {
  @Test(
    "A key verifies only what it has signed, and its published form names its kind and curve and nothing private",
    arguments: [
      (JWSAlgorithm.rs256, "RSA", String?.none), (.es256, "EC", "P-256"), (.es384, "EC", "P-384"),
      (.es512, "EC", "P-521"), (.edDSA, "OKP", "Ed25519"),
    ])
  func keys(_ algorithm: JWSAlgorithm, _ kind: String, _ curve: String?) throws {
    let key = try TestSigningKey.any(algorithm, id: "key-1")
    let token = try key.token(claims: ["sub": "1"])
    #expect(key.verifies(token))
    #expect(TokenAnswer.part(0, of: token)["alg"] == .string(algorithm.rawValue))
    #expect(TokenAnswer.part(0, of: token)["kid"] == "key-1" && TokenAnswer.part(1, of: token) == ["sub": "1"])
    var parts = token.split(separator: ".").map(String.init)
    parts[1] = Base64URL.encode(Data(#"{"sub":"2"}"#.utf8))
    #expect(!key.verifies(parts.joined(separator: ".")))
    #expect(!(try TestSigningKey.any(algorithm, id: key.id)).verifies(token))
    let jwk = key.jwk
    #expect(jwk["kty"] == .string(kind) && jwk["crv"]?.string == curve)
    #expect(jwk["kid"] == "key-1" && jwk["use"] == "sig")
    #expect(Set(jwk.keys).isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "k"]))
  }

  @Test("Members of the header can be replaced and left out")
  func header() throws {
    let key = try TestSigningKey.any(.es256)
    let token = try key.token(claims: [:], header: ["kid": .null, "alg": "HS256"])
    let header = TokenAnswer.part(0, of: token)
    #expect(header["kid"] == nil && header["alg"] == "HS256" && !key.verifies(token))
  }
}
