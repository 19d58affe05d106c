import B2COAuth
import B2CTestKit
import Testing

/// Which scopes a refresh names (RFC 6749 section 6: none beyond those granted).
@Suite("The scopes of a refresh")
struct RefreshScopeTests {
  private func refreshedScopes(
    _ shape: LocalTenant.Shape, asking scopes: [String]? = nil, granting: (@Sendable ([String]) -> [String])? = nil
  ) async throws -> [String] {
    let fixture = Fixture(shape: shape) { $0.grantedScopes = granting }
    let client = try fixture.client()
    try await client.signIn()
    _ = try await client.accessToken(for: scopes, options: TokenOptions(clearingCache: true))
    let refresh = try #require(fixture.tenant.requests.last { $0.form["grant_type"] == "refresh_token" })
    return refresh.form["scope"]?.split(separator: " ").map(String.init) ?? []
  }

  @Test("What a generic provider did not grant is not named")
  func ungranted() async throws {
    let scopes = try await refreshedScopes(.openIDConnect) { granted in
      granted.filter { $0 != "offline_access" && !$0.hasSuffix("write") }
    }
    let tenant = LocalTenant(shape: .openIDConnect)
    #expect(scopes == ["openid", try #require(tenant.apiScopes.first)])
  }

  @Test("What was granted is named again")
  func granted() async throws {
    let scopes = try await refreshedScopes(.openIDConnect)
    #expect(scopes == ["openid", "offline_access"] + LocalTenant(shape: .openIDConnect).apiScopes)
  }

  @Test("Microsoft's services are told the whole list", arguments: [LocalTenant.Shape.b2c, .entra, .ciam])
  func microsoft(shape: LocalTenant.Shape) async throws {
    let scopes = try await refreshedScopes(shape) { granted in granted.filter { $0 != "offline_access" } }
    #expect(scopes == ["openid", "offline_access"] + LocalTenant(shape: shape).apiScopes)
  }
}
