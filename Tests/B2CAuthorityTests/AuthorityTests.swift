import B2CAuthority
import Foundation
import Testing

@Suite struct AuthorityTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let text: String
    let kind: Authority.Kind
    let tenant: String?
    let policy: String?
    let form: PolicyForm
    let base: String
    let given: Authority.Kind?

    /// A row whose base is the text, unless it names another.
    init(
      _ text: String, _ kind: Authority.Kind, tenant: String? = nil, policy: String? = nil, form: PolicyForm = .query,
      base: String? = nil, given: Authority.Kind? = nil
    ) {
      (self.text, self.kind, self.tenant, self.policy) = (text, kind, tenant, policy)
      (self.form, self.base, self.given) = (form, base ?? text, given)
    }

    var testDescription: String { text }
  }

  @Test(
    "Every form of authority is read",
    arguments: [
      Row(
        "https://login.microsoftonline.com/contoso.onmicrosoft.com/?p=B2C_1_x", .b2c, tenant: "contoso.onmicrosoft.com",
        policy: "B2C_1_x", base: "https://login.microsoftonline.com/contoso.onmicrosoft.com"),
      Row(
        "https://login.microsoftonline.com/contoso.onmicrosoft.com/B2C_1_x", .b2c, tenant: "contoso.onmicrosoft.com",
        policy: "B2C_1_x", form: .path, base: "https://login.microsoftonline.com/contoso.onmicrosoft.com"),
      Row(
        "https://login.microsoftonline.com/contoso.onmicrosoft.com/", .entra, tenant: "contoso.onmicrosoft.com",
        base: "https://login.microsoftonline.com/contoso.onmicrosoft.com"),
      Row(
        "https://login.microsoftonline.com/TFP/contoso.onmicrosoft.com/", .b2c, tenant: "contoso.onmicrosoft.com",
        form: .tfp, base: "https://login.microsoftonline.com/contoso.onmicrosoft.com"),
      Row(
        "HTTPS://Contoso.B2CLogin.com:443//Contoso.onmicrosoft.com//b2c_1_X//", .b2c, tenant: "Contoso.onmicrosoft.com",
        policy: "b2c_1_X", form: .path, base: "https://Contoso.B2CLogin.com/Contoso.onmicrosoft.com"),
      Row(
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/NoPrefix", .b2c, tenant: "contoso.onmicrosoft.com",
        policy: "NoPrefix", form: .path, base: "https://contoso.b2clogin.com/contoso.onmicrosoft.com"),
      Row(
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x?p=b2c_1_X", .b2c,
        tenant: "contoso.onmicrosoft.com", policy: "B2C_1_x", form: .path,
        base: "https://contoso.b2clogin.com/contoso.onmicrosoft.com"),
      Row("https://contoso.b2clogin.cn/contoso.partner.onmschina.cn", .b2c, tenant: "contoso.partner.onmschina.cn"),
      Row("https://contoso.b2clogin.us/contoso.onmicrosoft.us", .b2c, tenant: "contoso.onmicrosoft.us"),
      Row("https://login.contoso.com/contoso.onmicrosoft.com", .ciam, tenant: "contoso.onmicrosoft.com"),
      Row("https://login.contoso.com/\(guid)", .b2c, tenant: guid, given: .b2c),
      Row("https://login.contoso.com/\(guid)/v2.0", .ciam, tenant: guid, base: "https://login.contoso.com/\(guid)"),
      Row(
        "https://login.contoso.com/tenant/oauth2/v2.0/authorize", .openIDConnect, tenant: "tenant",
        base: "https://login.contoso.com/tenant"),
      Row(
        "https://contoso.ciamlogin.com", .ciam, tenant: "contoso.onmicrosoft.com",
        base: "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
      Row(
        "https://contoso.ciamlogin.com/v2.0", .ciam, tenant: "contoso.onmicrosoft.com",
        base: "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
      Row("https://login.microsoftonline.com/\(guid)", .ciam, tenant: guid, given: .ciam),
      Row(
        "https://login.microsoftonline.com/organizations/v2.0", .entra, tenant: "organizations",
        base: "https://login.microsoftonline.com/organizations"),
      Row("https://login.windows.net/common", .entra, tenant: "common"),
      Row("https://login.sovcloud-identity.fr/contoso.fr", .entra, tenant: "contoso.fr"),
      Row("https://login.microsoftonline.us/common", .entra, tenant: "common"),
      Row("https://login.partner.microsoftonline.cn/common", .entra, tenant: "common"),
      Row("https://login.microsoftonline.com/common", .openIDConnect, tenant: "common", given: .openIDConnect),
      Row("https://dev.example.com/oauth2/default", .openIDConnect),
      Row("https://accounts.google.com", .openIDConnect),
      Row(
        "https://10.0.0.5:8443/adfs/.well-known/openid-configuration", .openIDConnect, tenant: "adfs",
        base: "https://10.0.0.5:8443/adfs"),
      Row("http://localhost:80/tenant", .openIDConnect, tenant: "tenant", base: "http://localhost/tenant"),
      Row(
        "http://127.0.0.1:3000/tenant?p=B2C_1_x", .b2c, tenant: "tenant", policy: "B2C_1_x",
        base: "http://127.0.0.1:3000/tenant"),
    ])
  func forms(row: Row) throws {
    let authority = try Authority(row.text, kind: row.given)
    #expect(authority.kind == row.kind)
    #expect(authority.tenant == row.tenant)
    #expect(authority.policy?.id == row.policy)
    #expect(authority.form == row.form)
    #expect(authority.baseURL.absoluteString == row.base)
    #expect(authority.host == authority.baseURL.host)
  }

  @Test("At Microsoft's services case is kept on the wire and ignored for comparing and keys")
  func caseAtMicrosoft() throws {
    let portal = try Authority("https://Contoso.b2clogin.com/Contoso.OnMicrosoft.com/B2C_1_SignIn")
    let lower = try Authority("https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_signin/")
    #expect(portal == lower)
    #expect(portal.cacheID == "https://contoso.b2clogin.com/contoso.onmicrosoft.com")
    #expect(lower.cacheID == portal.cacheID)
    #expect(
      try Endpoints(authority: portal, policy: nil).token?.absoluteString
        == "https://Contoso.b2clogin.com/Contoso.OnMicrosoft.com/B2C_1_SignIn/oauth2/v2.0/token")
  }

  @Test(
    "A cache key contains no policy and no form",
    arguments: [
      (
        "https://contoso.b2clogin.com/tfp/Contoso.onmicrosoft.com/B2C_1_x",
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com"
      ),
      (
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/?p=B2C_1_x",
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com"
      ),
      (
        "https://Login.contoso.com:8443/contoso.onmicrosoft.com",
        "https://login.contoso.com:8443/contoso.onmicrosoft.com"
      ),
      ("https://Login.contoso.com:8443/Tenant/v2.0/", "https://Login.contoso.com:8443/Tenant/v2.0"),
      ("http://[::1]:8080/tenant/", "http://[::1]:8080/tenant"),
      ("https://Auth.example.com/realms/Demo", "https://Auth.example.com/realms/Demo"),
      ("https://LOGIN.microsoftonline.com/\(guid.uppercased())", "https://login.microsoftonline.com/\(guid)"),
      ("https://auth.example.com", "https://auth.example.com"),
    ])
  func cacheID(text: String, id: String) throws {
    #expect(try Authority(text).cacheID == id)
  }

  @Test("A generic issuer is keyed and compared exactly: another case may be another realm")
  func genericIssuers() throws {
    for (left, right) in [
      ("https://auth.example.com/realms/A", "https://auth.example.com/realms/a"),
      ("https://auth.example.com/Adfs", "https://auth.example.com/adfs"),
      ("https://auth.example.com/adfs", "https://auth.example.com/adfs/v2.0"),
    ] {
      let (one, other) = (try Authority(left), try Authority(right))
      #expect(one.cacheID != other.cacheID)
      #expect(one != other)
      #expect(one.cacheID == left)
    }
  }

  @Test("Another policy, form or host makes another authority")
  func inequality() throws {
    let authority = try Authority("https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x")
    #expect(try authority != Authority("https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_y"))
    #expect(try authority != Authority("https://contoso.b2clogin.com/contoso.onmicrosoft.com/?p=B2C_1_x"))
    #expect(try authority != Authority("https://fabrikam.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x"))
  }

  @Test("A policy makes Azure AD B2C of a host that serves both")
  func kindWithPolicy() throws {
    let policy = try Policy("B2C_1_x")
    let entra = try Authority("https://login.microsoftonline.com/contoso.onmicrosoft.com")
    #expect(entra.kind(for: nil) == .entra)
    #expect(entra.kind(for: policy) == .b2c)
    let generic = try Authority("http://127.0.0.1:8080/tenant")
    #expect(generic.kind(for: nil) == .openIDConnect)
    #expect(generic.kind(for: policy) == .b2c)
    let given = try Authority("http://127.0.0.1:8080/tenant", kind: .entra)
    #expect(given.kind(for: policy) == .entra)
  }
}
