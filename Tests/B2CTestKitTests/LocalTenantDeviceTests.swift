import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit)
struct LocalTenantDeviceTests {
  let clock = TestClock()

  private func visitor(_ shape: LocalTenant.Shape) -> TenantVisitor {
    let clock = clock
    return TenantVisitor(LocalTenant(shape: shape, now: { clock.date }))
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

  @Test("A device waits, is approved, and gets tokens once", arguments: [LocalTenant.Shape.entra, .openIDConnect])
  func approval(_ shape: LocalTenant.Shape) async throws {
    let visitor = visitor(shape)
    let device = try await begin(visitor)
    #expect(device.members["expires_in"] == .integer(900))
    #expect(device.members["interval"] == .integer(5))
    let userCode = try #require(device["user_code"])
    #expect(try await poll(visitor, device["device_code"]).error == "authorization_pending")
    #expect(visitor.tenant.approveDevice(userCode: userCode, email: "bob@example.com"))
    let answer = try await poll(visitor, device["device_code"])
    #expect(answer.status == 200)
    #expect(answer.idToken["sub"] == .string(LocalUser.bob.id))
    #expect(try await poll(visitor, device["device_code"]).error == "invalid_grant")
  }

  @Test(
    "A device whose code is declined, expired or unknown is told so",
    arguments: [(LocalTenant.Shape.entra, "authorization_declined"), (.openIDConnect, "access_denied")])
  func refusal(_ shape: LocalTenant.Shape, _ word: String) async throws {
    let visitor = visitor(shape)
    let declined = try await begin(visitor)
    #expect(visitor.tenant.denyDevice(userCode: try #require(declined["user_code"])))
    #expect(try await poll(visitor, declined["device_code"]).error == word)
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
    let page = try #require(URL(string: device["verification_uri"] ?? ""))
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
