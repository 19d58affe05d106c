import B2CAuthority
import Foundation
import Testing

@Suite struct AuthorityTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let text: String
    var given: Authority.Kind?
    let kind: Authority.Kind
    var tenant: String?
    var policy: String?
    var form = PolicyForm.query
    let base: String

    var testDescription: String { text }
  }

  @Test(
    "Every form of authority is read",
    arguments: [
      Row(
        text: "https://login.microsoftonline.com/contoso.onmicrosoft.com/?p=B2C_1_x", kind: .b2c,
        tenant: "contoso.onmicrosoft.com", policy: "B2C_1_x",
        base: "https://login.microsoftonline.com/contoso.onmicrosoft.com"),
      Row(
        text: "https://login.microsoftonline.com/contoso.onmicrosoft.com/B2C_1_x", kind: .b2c,
        tenant: "contoso.onmicrosoft.com", policy: "B2C_1_x", form: .path,
        base: "https://login.microsoftonline.com/contoso.onmicrosoft.com"),
      Row(
        text: "https://login.microsoftonline.com/contoso.onmicrosoft.com/", kind: .entra,
        tenant: "contoso.onmicrosoft.com", base: "https://login.microsoftonline.com/contoso.onmicrosoft.com"),
      Row(
        text: "https://login.microsoftonline.com/TFP/contoso.onmicrosoft.com/", kind: .b2c,
        tenant: "contoso.onmicrosoft.com", form: .tfp, base: "https://login.microsoftonline.com/contoso.onmicrosoft.com"
      ),
      Row(
        text: "HTTPS://Contoso.B2CLogin.com:443//Contoso.onmicrosoft.com//b2c_1_X//", kind: .b2c,
        tenant: "Contoso.onmicrosoft.com", policy: "b2c_1_X", form: .path,
        base: "https://Contoso.B2CLogin.com/Contoso.onmicrosoft.com"),
      Row(
        text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/NoPrefix", kind: .b2c,
        tenant: "contoso.onmicrosoft.com", policy: "NoPrefix", form: .path,
        base: "https://contoso.b2clogin.com/contoso.onmicrosoft.com"),
      Row(
        text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x?p=b2c_1_X", kind: .b2c,
        tenant: "contoso.onmicrosoft.com", policy: "B2C_1_x", form: .path,
        base: "https://contoso.b2clogin.com/contoso.onmicrosoft.com"),
      Row(
        text: "https://contoso.b2clogin.cn/contoso.partner.onmschina.cn", kind: .b2c,
        tenant: "contoso.partner.onmschina.cn", base: "https://contoso.b2clogin.cn/contoso.partner.onmschina.cn"),
      Row(
        text: "https://contoso.b2clogin.us/contoso.onmicrosoft.us", kind: .b2c,
        tenant: "contoso.onmicrosoft.us", base: "https://contoso.b2clogin.us/contoso.onmicrosoft.us"),
      Row(
        text: "https://login.contoso.com/contoso.onmicrosoft.com", kind: .ciam, tenant: "contoso.onmicrosoft.com",
        base: "https://login.contoso.com/contoso.onmicrosoft.com"),
      Row(
        text: "https://login.contoso.com/\(guid)", given: .b2c, kind: .b2c, tenant: guid,
        base: "https://login.contoso.com/\(guid)"),
      Row(
        text: "https://login.contoso.com/\(guid)/v2.0", kind: .ciam, tenant: guid,
        base: "https://login.contoso.com/\(guid)"),
      Row(
        text: "https://login.contoso.com/tenant/oauth2/v2.0/authorize", kind: .openIDConnect, tenant: "tenant",
        base: "https://login.contoso.com/tenant"),
      Row(
        text: "https://contoso.ciamlogin.com", kind: .ciam, tenant: "contoso.onmicrosoft.com",
        base: "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
      Row(
        text: "https://contoso.ciamlogin.com/v2.0", kind: .ciam, tenant: "contoso.onmicrosoft.com",
        base: "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
      Row(
        text: "https://login.microsoftonline.com/\(guid)", given: .ciam, kind: .ciam, tenant: guid,
        base: "https://login.microsoftonline.com/\(guid)"),
      Row(
        text: "https://login.microsoftonline.com/organizations/v2.0", kind: .entra,
        tenant: "organizations", base: "https://login.microsoftonline.com/organizations"),
      Row(
        text: "https://login.windows.net/common", kind: .entra, tenant: "common",
        base: "https://login.windows.net/common"),
      Row(
        text: "https://login.sovcloud-identity.fr/contoso.fr", kind: .entra, tenant: "contoso.fr",
        base: "https://login.sovcloud-identity.fr/contoso.fr"),
      Row(
        text: "https://login.microsoftonline.us/common", kind: .entra, tenant: "common",
        base: "https://login.microsoftonline.us/common"),
      Row(
        text: "https://login.partner.microsoftonline.cn/common", kind: .entra, tenant: "common",
        base: "https://login.partner.microsoftonline.cn/common"),
      Row(
        text: "https://login.microsoftonline.com/common", given: .openIDConnect, kind: .openIDConnect,
        tenant: "common", base: "https://login.microsoftonline.com/common"),
      Row(
        text: "https://dev.example.com/oauth2/default", kind: .openIDConnect,
        base: "https://dev.example.com/oauth2/default"),
      Row(text: "https://accounts.google.com", kind: .openIDConnect, base: "https://accounts.google.com"),
      Row(
        text: "https://10.0.0.5:8443/adfs/.well-known/openid-configuration", kind: .openIDConnect, tenant: "adfs",
        base: "https://10.0.0.5:8443/adfs"),
      Row(
        text: "http://localhost:80/tenant", kind: .openIDConnect, tenant: "tenant", base: "http://localhost/tenant"),
      Row(
        text: "http://127.0.0.1:3000/tenant?p=B2C_1_x", kind: .b2c, tenant: "tenant", policy: "B2C_1_x",
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
