import B2CAuthority
import Foundation
import Testing

let guid = "775527ff-9a37-4307-8b3d-cc311f58d925"
let contoso = "https://contoso.b2clogin.com/contoso.onmicrosoft.com"
let entra = "https://login.microsoftonline.com"
let custom = "https://login.contoso.com"

@Suite struct AuthorityTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let base: String
    let text: String
    let kind: Authority.Kind
    let policy: String?
    let form: PolicyForm
    let given: Authority.Kind?

    /// A row whose text is the base with an end, unless it is another.
    init(
      _ base: String, _ end: String = "", is kind: Authority.Kind, _ policy: String? = nil, _ form: PolicyForm = .query,
      text: String? = nil, given: Authority.Kind? = nil
    ) {
      (self.base, self.text, self.kind) = (base, text ?? base + end, kind)
      (self.policy, self.form, self.given) = (policy, form, given)
    }

    var testDescription: String { text }

    /// The only segment of the base's path.
    var tenant: String? {
      let segments = base.split(separator: "/").dropFirst(2)
      return segments.count == 1 ? segments.first.map(String.init) : nil
    }
  }

  @Test(
    "Every form of authority is read",
    arguments: [
      // Microsoft's hosts.
      Row("\(entra)/contoso.onmicrosoft.com", "/?p=B2C_1_x", is: .b2c, "B2C_1_x"),
      Row("\(entra)/contoso.onmicrosoft.com", "/B2C_1_x", is: .b2c, "B2C_1_x", .path),
      Row("\(entra)/contoso.onmicrosoft.com", "/", is: .entra),
      Row("\(entra)/contoso.onmicrosoft.com", is: .b2c, nil, .tfp, text: "\(entra)/TFP/contoso.onmicrosoft.com/"),
      Row(
        "https://Contoso.B2CLogin.com/Contoso.onmicrosoft.com", is: .b2c, "b2c_1_X", .path,
        text: "HTTPS://Contoso.B2CLogin.com:443//Contoso.onmicrosoft.com//b2c_1_X//"),
      Row(contoso, "/NoPrefix", is: .b2c, "NoPrefix", .path),
      Row(contoso, "/B2C_1_x?p=b2c_1_X", is: .b2c, "B2C_1_x", .path),
      Row("https://contoso.b2clogin.com/\(guid)", is: .b2c),
      Row("https://contoso.b2clogin.cn/contoso.partner.onmschina.cn", is: .b2c),
      Row("https://contoso.b2clogin.us/contoso.onmicrosoft.us", is: .b2c),
      Row("https://contoso.ciamlogin.com/contoso.onmicrosoft.com", is: .ciam, text: "https://contoso.ciamlogin.com"),
      Row(
        "https://contoso.ciamlogin.com/contoso.onmicrosoft.com", is: .ciam, text: "https://contoso.ciamlogin.com/v2.0"),
      Row("https://\(guid).ciamlogin.com/\(guid)", is: .ciam, text: "https://\(guid).ciamlogin.com/"),
      Row("https://login.ciamlogin.com/contoso.onmicrosoft.com", is: .ciam),
      Row("\(entra)/organizations", "/v2.0", is: .entra), Row("\(entra)/\(guid)", is: .entra),
      Row("https://login.windows.net/common", is: .entra), Row("https://login.microsoftonline.us/common", is: .entra),
      Row("https://login.sovcloud-identity.fr/contoso.fr", is: .entra),
      Row("https://login.partner.microsoftonline.cn/common", is: .entra),
      // A custom domain: a tenant alone is External ID, and a policy makes it Azure AD B2C.
      Row("\(custom)/\(guid)", is: .ciam), Row("\(custom)/\(guid)", "/v2.0", is: .ciam),
      Row("\(custom)/\(guid)", "/v2.0/.well-known/openid-configuration", is: .ciam),
      Row("https://LOGIN.CONTOSO.COM/\(guid.uppercased())", is: .ciam), Row("http://localhost:8080/\(guid)", is: .ciam),
      Row("\(custom)/contoso.onmicrosoft.com", "/oauth2/v2.0/authorize", is: .ciam),
      Row("https://login.contoso.cn/contoso.partner.onmschina.cn", is: .ciam),
      Row("\(custom)/contoso.onmicrosoft.com", "/NoPrefix", is: .b2c, "NoPrefix", .path),
      Row("\(custom)/contoso.onmicrosoft.com", "/B2C_1_x", is: .b2c, "B2C_1_x", .path),
      Row("\(custom)/contoso.onmicrosoft.com", "?p=x", is: .b2c, "x"),
      Row("\(custom)/contoso.onmicrosoft.com", is: .b2c, nil, .tfp, text: "\(custom)/tfp/contoso.onmicrosoft.com"),
      Row("\(custom)/\(guid)", "/B2C_1_x", is: .b2c, "B2C_1_x", .path),
      Row("http://127.0.0.1:3000/tenant", "?p=B2C_1_x", is: .b2c, "B2C_1_x"),
      // Everything else is a generic issuer.
      Row(custom, is: .openIDConnect), Row("\(custom)/tenant", is: .openIDConnect),
      Row("\(custom)/tenant", "/oauth2/v2.0/authorize", is: .openIDConnect),
      Row("\(custom)/contoso.com", is: .openIDConnect), Row("\(custom)/\(guid)/as", is: .openIDConnect),
      Row("\(custom)/realms/\(guid)", is: .openIDConnect),
      Row("https://dev.example.com/oauth2/default", is: .openIDConnect),
      Row("https://10.0.0.5:8443/adfs", "/.well-known/openid-configuration", is: .openIDConnect),
      Row("http://localhost/tenant", is: .openIDConnect, text: "http://localhost:80/tenant"),
      // A kind that was given.
      Row("\(custom)/\(guid)", is: .b2c, given: .b2c), Row("\(entra)/\(guid)", is: .ciam, given: .ciam),
      Row("\(entra)/common", is: .openIDConnect, given: .openIDConnect),
    ])
  func forms(row: Row) throws {
    let authority = try Authority(row.text, kind: row.given)
    #expect(authority.kind == row.kind)
    #expect(authority.tenant == row.tenant)
    #expect(authority.policy?.id == row.policy)
    #expect(authority.form == row.form)
    #expect(authority.baseURL.absoluteString == row.base)
  }

  @Test(
    "A policy makes Azure AD B2C of an authority, unless its host or its kind says otherwise",
    arguments: [
      ("\(entra)/contoso.onmicrosoft.com", nil, .entra, .b2c), ("\(custom)/\(guid)", nil, .ciam, .b2c),
      ("http://127.0.0.1:8080/tenant", nil, .openIDConnect, .b2c), (contoso, nil, .b2c, .b2c),
      ("https://contoso.ciamlogin.com", nil, .ciam, .ciam), ("http://127.0.0.1:8080/tenant", .entra, .entra, .entra),
      ("\(custom)/\(guid)", .b2c, .b2c, .b2c), ("\(custom)/\(guid)", .ciam, .ciam, .ciam),
      ("\(custom)/\(guid)", .entra, .entra, .entra),
      ("\(custom)/\(guid)", .openIDConnect, .openIDConnect, .openIDConnect),
    ] as [(String, Authority.Kind?, Authority.Kind, Authority.Kind)])
  func kindWithPolicy(text: String, given: Authority.Kind?, without: Authority.Kind, with: Authority.Kind) throws {
    let authority = try Authority(text, kind: given)
    #expect(authority.kind(for: nil) == without)
    #expect(try authority.kind(for: Policy("B2C_1_x")) == with)
  }

  @Test("At Microsoft's services case is kept on the wire and ignored for comparing and keys")
  func caseAtMicrosoft() throws {
    let portal = try Authority("https://Contoso.b2clogin.com/Contoso.OnMicrosoft.com/B2C_1_SignIn")
    let lower = try Authority("https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_signin/")
    #expect(portal == lower && portal.cacheID == contoso && lower.cacheID == contoso)
    #expect(
      try Endpoints(authority: portal, policy: nil).token?.absoluteString
        == "https://Contoso.b2clogin.com/Contoso.OnMicrosoft.com/B2C_1_SignIn/oauth2/v2.0/token")
  }

  @Test(
    "A cache key contains no policy, no form and no kind",
    arguments: [
      ("https://contoso.b2clogin.com/tfp/Contoso.onmicrosoft.com/B2C_1_x", nil, contoso),
      ("\(contoso)/?p=B2C_1_x", nil, contoso), ("\(custom)/\(guid.uppercased())", nil, "\(custom)/\(guid)"),
      ("\(custom)/\(guid)", .ciam, "\(custom)/\(guid)"),
      ("https://Login.contoso.com:8443/Contoso.onmicrosoft.com", nil, "\(custom):8443/contoso.onmicrosoft.com"),
      ("https://LOGIN.microsoftonline.com/\(guid.uppercased())", nil, "\(entra)/\(guid)"),
      // A generic issuer is keyed exactly, because another case may be another realm.
      ("https://Login.contoso.com:8443/Tenant/v2.0/", nil, "https://Login.contoso.com:8443/Tenant/v2.0"),
      ("http://[::1]:8080/tenant/", nil, "http://[::1]:8080/tenant"),
      ("https://Auth.example.com/realms/Demo", nil, "https://Auth.example.com/realms/Demo"),
      ("https://auth.example.com/Adfs", nil, "https://auth.example.com/Adfs"),
      ("https://auth.example.com", nil, "https://auth.example.com"),
    ] as [(String, Authority.Kind?, String)])
  func cacheID(_ text: String, _ kind: Authority.Kind?, _ id: String) throws {
    #expect(try Authority(text, kind: kind).cacheID == id)
  }

  @Test(
    "Another policy, form, host or kind, or another case of a generic issuer, makes another authority",
    arguments: [
      ("\(contoso)/B2C_1_x", nil, "\(contoso)/B2C_1_y", nil), ("\(contoso)/B2C_1_x", nil, "\(contoso)/?p=B2C_1_x", nil),
      ("\(contoso)/B2C_1_x", nil, "https://fabrikam.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x", nil),
      ("\(custom)/\(guid)", .b2c, "\(custom)/\(guid)", .ciam), ("\(custom)/\(guid)", nil, "\(custom)/\(guid)", .ciam),
      ("\(custom)/realms/A", nil, "\(custom)/realms/a", nil), ("\(custom)/adfs", nil, "\(custom)/adfs/v2.0", nil),
    ] as [(String, Authority.Kind?, String, Authority.Kind?)])
  func inequality(_ left: String, _ kind: Authority.Kind?, _ right: String, _ otherKind: Authority.Kind?) throws {
    #expect(try Authority(left, kind: kind) != Authority(right, kind: otherKind))
  }
}

@Suite struct AuthorityRetirementTests {
  @Test("The tutorial's own authority is retired if a policy is used, and its replacement is not")
  func tutorial() throws {
    let authority = try Authority("https://login.microsoftonline.com/hypercubeb2c.onmicrosoft.com/")
    let policy = try Policy("B2C_1_todo_email_signin")
    #expect(authority.retirement(for: nil) == nil)
    let error = try #require(authority.retirement(for: policy))
    #expect(error.error.code == .configuration)
    #expect(error.suggestion == "https://hypercubeb2c.b2clogin.com/hypercubeb2c.onmicrosoft.com/")
    #expect(error.recoverySuggestion?.contains("Change the authority") == true)
    let migrated = try Authority(#require(error.suggestion))
    #expect(migrated.kind == .b2c && migrated.retirement(for: policy) == nil)
  }

  @Test(
    "Form and policy are kept on the new host, which is not known without the tenant's name",
    arguments: [
      (
        "\(entra)/tfp/Contoso.onmicrosoft.com/B2C_1_x",
        "https://contoso.b2clogin.com/tfp/Contoso.onmicrosoft.com/B2C_1_x"
      ),
      ("https://login.windows.net/contoso.onmicrosoft.com/B2C_1_x", "\(contoso)/B2C_1_x"),
      ("https://login.microsoft.com/contoso.onmicrosoft.com?p=B2C_1_x", "\(contoso)/?p=B2C_1_x"),
      (
        "https://login.partner.microsoftonline.cn/contoso.partner.onmschina.cn/B2C_1_x",
        "https://contoso.b2clogin.cn/contoso.partner.onmschina.cn/B2C_1_x"
      ),
      (
        "https://login.microsoftonline.us/contoso.onmicrosoft.us?p=B2C_1_x",
        "https://contoso.b2clogin.us/contoso.onmicrosoft.us/?p=B2C_1_x"
      ),
      ("\(entra)/\(guid)?p=B2C_1_x", nil), ("\(entra)/contoso.com/B2C_1_x", nil),
    ] as [(String, String?)])
  func formAndPolicy(old: String, new: String?) throws {
    let error = try #require(try Authority(old).retirement(for: nil))
    #expect(error.suggestion == new)
    #expect(error.error.code == .configuration && error.recoverySuggestion != nil)
  }

  @Test(
    "Other hosts are in use, and so is Entra ID without a policy",
    arguments: [
      ("\(contoso)/B2C_1_x", nil), ("\(custom)/\(guid)/B2C_1_x", nil), ("http://127.0.0.1:8080/tenant/B2C_1_x", nil),
      ("https://contoso.ciamlogin.com", nil),
      // Told to be Entra ID it has no policies at all, which `Endpoints` says.
      ("\(entra)/contoso.onmicrosoft.com", .entra),
    ] as [(String, Authority.Kind?)])
  func otherHosts(text: String, kind: Authority.Kind?) throws {
    let authority = try Authority(text, kind: kind)
    #expect(authority.retirement(for: nil) == nil)
    #expect(authority.retirement(for: try Policy("B2C_1_x")) == nil)
  }
}
