import B2CCore
import B2COAuth
import B2CTestKit
import Foundation
import Testing

/// RFC 9126 section 5: a provider that takes authorization requests at an endpoint of their own only.
@Suite("A provider that requires pushed authorization requests")
struct ProviderPushedRequestsTests {
  private func fixture(_ value: JSONValue) -> Fixture {
    Fixture(shape: .openIDConnect) {
      $0.changeMetadata = { $0["require_pushed_authorization_requests"] = value }
    }
  }

  @Test("is found before the page opens")
  func required() async throws {
    let fixture = fixture(true)
    let presenter = fixture.script(.signIn(.alice))
    let error = try await #require(throws: OAuthError.self) {
      try await fixture.client(presenter: presenter).signIn()
    }
    #expect(error.code == .unsupported)
    #expect(error.message.contains("RFC 9126") && error.recoverySuggestion != nil)
    #expect(presenter.requests.isEmpty)
  }

  @Test("does not keep a device code from working")
  func deviceCode() async throws {
    let fixture = fixture(true)
    try await fixture.client().signInWithDeviceCode {
      #expect(fixture.tenant.approveDevice(userCode: $0.userCode, email: LocalUser.alice.email))
    }
  }

  @Test("is not one that merely offers them", arguments: [false, "true", 1, .null] as [JSONValue])
  func offered(_ value: JSONValue) async throws {
    try await fixture(value).client().signIn()
  }
}
