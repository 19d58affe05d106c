import B2CAuthority
import Foundation
import Testing

@Suite("External ID and Azure AD B2C on a custom domain")
struct AuthorityCustomDomainTests {
  static let other = "00000000-0000-0000-0000-000000000001"
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
    #expect(try Endpoints(authority: authority, policy: Policy("B2C_1_x")).kind == .b2c)
    // The kind that a developer gives says the same, and finds the same records.
    #expect(try Authority(text, kind: .ciam).cacheID == authority.cacheID)
    #expect(try Authority(authority.description) == authority)
  }

  @Test(
    "What has a policy, or is no tenant, is read as before",
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

  /// Issuers that an attacker might have a server name for a tenant whose GUID is `id`.
  private static func forgedIssuers(_ id: String) -> [String] {
    [
      "https://\(id).ciamlogin.com.evil.example/\(id)/v2.0", "https://\(id).ciamlogin.com.evil/\(id)/v2.0",
      "https://\(id)ciamlogin.com/\(id)/v2.0", "https://evil\(id).ciamlogin.com/\(id)/v2.0",
      "https://x.\(id).ciamlogin.com/\(id)/v2.0", "https://\(id).evilciamlogin.com/\(id)/v2.0",
      "https://\(id).ciamlogin.com@evil.example/\(id)/v2.0", "https://evil.example/\(id).ciamlogin.com/\(id)/v2.0",
      "https://user@\(id).ciamlogin.com/\(id)/v2.0", "https://user:pass@\(id).ciamlogin.com/\(id)/v2.0",
      "https://\(id).ciamlogin.com:444/\(id)/v2.0", "http://\(id).ciamlogin.com/\(id)/v2.0",
      "https://\(id).ciamlogin.com\\@evil.example/\(id)/v2.0", "https://\(id).ciamlogin.com./\(id)/v2.0",
      "https://\(id).ciamlogin.com/\(id)/v2.0?x=1", "https://\(id).ciamlogin.com/\(id)/v2.0#x",
      "https://\(id).ciamlogin.com/\(id)", "https://\(id).ciamlogin.com/\(id)/x/v2.0", "https://\(id).ciamlogin.com/",
      "https://\(id).ciamlogin.com/\(other)/v2.0", "https://\(other).ciamlogin.com/\(id)/v2.0",
      "https://\(id).ciamlogin.com/contoso.onmicrosoft.com/v2.0", "https://contoso.ciamlogin.com/\(id)/v2.0",
      "https://ciamlogin.com/\(id)/v2.0", "https://login.ciamlogin.com/\(id)/v2.0",
      "https://contoso.ciamlogin.com/contoso/v2.0", "https://{tenantid}.ciamlogin.com/{tenantid}/v2.0",
      "https://\(id.dropLast()).ciamlogin.com/\(id.dropLast())/v2.0", "https://evil.example/\(id)/v2.0",
      "https://login.microsoftonline.com/\(id)/v2.0", "https://contoso.b2clogin.com/\(id)/v2.0/",
    ]
  }

  @Test(
    "The issuer is bound to the tenant that was configured", arguments: [byID, byName], [nil, Authority.Kind.ciam])
  func issuer(text: String, kind: Authority.Kind?) throws {
    let authority = try Authority(text, kind: kind)
    #expect(authority.accepts(issuer: "https://\(guid).ciamlogin.com/\(guid)/v2.0"))
    #expect(authority.accepts(issuer: "https://\(guid.uppercased()).CIAMLOGIN.com/\(guid)/v2.0/"))
    #expect(authority.accepts(issuer: "https://login.contoso.com/\(guid)/v2.0"))
    for issuer in Self.forgedIssuers(guid) { #expect(!authority.accepts(issuer: issuer), "\(issuer)") }
    // Another tenant: refused where the authority has a GUID to compare with.
    let foreign = "https://\(Self.other).ciamlogin.com/\(Self.other)/v2.0"
    #expect(authority.accepts(issuer: foreign) == (text == Self.byName))
    if kind == nil { #expect(!authority.accepts(issuer: foreign, policy: try Policy("B2C_1_x"))) }
  }

  @Test("Endpoints may be where the issuer may be", arguments: [byID, byName, "https://contoso.ciamlogin.com"])
  func endpoints(text: String) throws {
    let authority = try Authority(text)
    let issuer = "https://\(guid).ciamlogin.com/\(guid)/v2.0"
    func accepts(_ endpoint: String, issuer: String = issuer) throws -> Bool {
      authority.accepts(endpoint: try #require(URL(string: endpoint)), issuer: issuer)
    }
    #expect(try accepts("https://\(guid).ciamlogin.com/\(guid)/discovery/v2.0/keys"))
    #expect(try accepts("https://\(authority.host)/\(guid)/discovery/v2.0/keys"))
    for endpoint in [
      "https://\(Self.other).ciamlogin.com/x", "https://fabrikam.ciamlogin.com/x",
      "https://\(guid).ciamlogin.com:444/x",
      "http://\(guid).ciamlogin.com/x", "https://\(guid).ciamlogin.com.evil.example/x", "https://evil.example/x",
      "https://\(guid).ciamlogin.com@evil.example/x", "https://user@\(guid).ciamlogin.com/x",
      "https://\(authority.host):444/x", "https://\(authority.host).evil.example/x",
    ] {
      #expect(try !accepts(endpoint), "\(endpoint)")
    }
    // An issuer on the authority's own host brings the host of its tenant, and no other.
    let own = "https://\(authority.host)/\(guid)/v2.0"
    #expect(try accepts("https://\(guid).ciamlogin.com/x", issuer: own))
    #expect(try !accepts("https://\(Self.other).ciamlogin.com/x", issuer: own))
    #expect(try !accepts("https://x.ciamlogin.com/x", issuer: "https://x.ciamlogin.com/x/v2.0"))
  }

  @Test("Where the authority has a GUID, endpoints of another tenant are refused whatever the issuer")
  func endpointsByID() throws {
    let endpoint = try #require(URL(string: "https://\(Self.other).ciamlogin.com/x"))
    let foreign = "https://\(Self.other).ciamlogin.com/\(Self.other)/v2.0"
    #expect(try !Authority(Self.byID).accepts(endpoint: endpoint, issuer: foreign))
    #expect(try !Authority(Self.byName).accepts(endpoint: endpoint, issuer: foreign, policy: Policy("B2C_1_x")))
  }

  @Test("A missing policy on a custom domain is told in the words of a settings file")
  func words() throws {
    let error = try #require(throws: AuthorityError.self) {
      try Endpoints(authority: Authority(Self.byID, kind: .b2c), policy: nil)
    }
    #expect(error.fault == .policyMissing)
    #expect(error.recoverySuggestion?.contains("set `authorityKind` to `ciam`") == true)
    let known = try #require(throws: AuthorityError.self) {
      try Endpoints(authority: Authority("https://contoso.b2clogin.com/\(guid)"), policy: nil)
    }
    #expect(known.recoverySuggestion?.contains("authorityKind") == false)
  }
}
