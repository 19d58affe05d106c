import B2COAuth
import B2CTestKit
import Testing

/// Which scopes a refresh names (RFC 6749 section 6: none beyond those granted).
@Suite("The scopes of a refresh")
struct RefreshScopeTests {
  private func refreshedScopes(
    _ shape: LocalTenant.Shape, withholding withheld: [String] = []
  ) async throws -> [String] {
    let fixture = Fixture(shape: shape) { behavior in
      guard !withheld.isEmpty else { return }
      behavior.changeTokenAnswer = { answer in
        let granted = (answer["scope"]?.string ?? "").split(separator: " ").filter { !withheld.contains(String($0)) }
        answer["scope"] = .string(granted.joined(separator: " "))
      }
    }
    let client = try fixture.client()
    try await client.signIn()
    _ = try await client.accessToken(options: TokenOptions(forceRefresh: true))
    let refresh = try #require(fixture.tenant.requests.last { $0.form["grant_type"] == "refresh_token" })
    return refresh.form["scope"]?.split(separator: " ").map(String.init) ?? []
  }

  @Test("What a generic provider did not grant is not named")
  func ungranted() async throws {
    let all = LocalTenant(shape: .openIDConnect).apiScopes
    let scopes = try await refreshedScopes(.openIDConnect, withholding: ["offline_access", all[1]])
    #expect(scopes == ["openid", all[0]])
  }

  @Test("What was granted is named again")
  func granted() async throws {
    let scopes = try await refreshedScopes(.openIDConnect)
    #expect(scopes == ["openid", "offline_access"] + LocalTenant(shape: .openIDConnect).apiScopes)
  }

  @Test("Microsoft's services are told the whole list", arguments: [LocalTenant.Shape.b2c, .entra, .ciam])
  func microsoft(shape: LocalTenant.Shape) async throws {
    let scopes = try await refreshedScopes(shape, withholding: ["offline_access"])
    #expect(scopes == ["openid", "offline_access"] + LocalTenant(shape: shape).apiScopes)
  }
}
