import B2CAuthority
import Foundation
import Testing

@Suite("External ID and Azure AD B2C on a custom domain")
struct AuthorityCustomDomainTests {
  static let byID = "https://login.contoso.com/\(guid)"
  static let byName = "https://login.contoso.com/contoso.onmicrosoft.com"

  @Test(
    "A tenant alone is External ID, and a policy makes it Azure AD B2C",
    arguments: [
      byID, byName, byID + "/", byID.uppercased().replacing("HTTPS", with: "https"), byID + "/v2.0",
      byName + "/oauth2/v2.0/authorize", byID + "/v2.0/.well-known/openid-configuration",
      "http://localhost:8080/\(guid)", "https://login.contoso.cn/contoso.partner.onmschina.cn",
    ])
  func tenantAlone(text: String) throws {
    let authority = try Authority(text)
    #expect(authority.kind == .ciam && authority.kind(for: nil) == .ciam)
    #expect(try authority.kind(for: Policy("B2C_1_x")) == .b2c)
    #expect(try Endpoints(authority: authority, policy: nil).token?.path.hasSuffix("/oauth2/v2.0/token") == true)
    // The kind that a developer gives says the same, and finds the same records.
    #expect(try Authority(text, kind: .ciam).cacheID == authority.cacheID)
    #expect(try Authority(authority.description) == authority)
  }

  @Test(
    "A path with a policy, or without a tenant, is not External ID",
    arguments: [
      (byName + "/B2C_1_x", Authority.Kind.b2c), (byName + "/NoPrefix", .b2c), (byName + "?p=x", .b2c),
      ("https://login.contoso.com/tfp/contoso.onmicrosoft.com", .b2c), (byID + "/B2C_1_x", .b2c),
      (byID + "/as", .openIDConnect), ("https://login.contoso.com/realms/\(guid)", .openIDConnect),
      ("https://login.contoso.com/contoso.com", .openIDConnect), ("https://login.contoso.com/tenant", .openIDConnect),
      ("https://login.contoso.com", .openIDConnect), ("https://contoso.b2clogin.com/\(guid)", .b2c),
      ("https://login.microsoftonline.com/\(guid)", .entra),
    ])
  func others(text: String, kind: Authority.Kind) throws {
    #expect(try Authority(text).kind == kind)
  }

  @Test("A kind that was given stays", arguments: [Authority.Kind.b2c, .ciam, .entra, .openIDConnect])
  func given(kind: Authority.Kind) throws {
    let authority = try Authority(Self.byID, kind: kind)
    #expect(authority.kind == kind)
    #expect(try authority.kind(for: Policy("B2C_1_x")) == kind)
  }

  @Test("A missing policy on a custom domain is told in the words of a settings file")
  func words() throws {
    let error = try #require(throws: ConnectorError.self) {
      try Endpoints(authority: Authority(Self.byID, kind: .b2c), policy: nil)
    }
    #expect(error.message.contains("without a policy"))
    #expect(error.recoverySuggestion?.contains("set `authorityKind` to `ciam`") == true)
    let known = try #require(throws: ConnectorError.self) {
      try Endpoints(authority: Authority("https://contoso.b2clogin.com/\(guid)"), policy: nil)
    }
    #expect(known.recoverySuggestion?.contains("authorityKind") == false)
  }
}
