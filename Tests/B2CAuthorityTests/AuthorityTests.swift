import B2CAuthority
import Foundation
import Testing

let guid = "775527ff-9a37-4307-8b3d-cc311f58d925"
let contoso = "https://contoso.b2clogin.com/contoso.onmicrosoft.com"
let entra = "https://login.microsoftonline.com"
let custom = "https://login.contoso.com"

@Suite struct AuthorityTests {
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
    let replacement = try #require(authority.retirement(for: policy)?.suggestion)
    #expect(replacement == "https://hypercubeb2c.b2clogin.com/hypercubeb2c.onmicrosoft.com/")
    #expect(try Authority(replacement).retirement(for: policy) == nil)
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

@Suite struct PolicyTests {
  @Test("The developer's case is kept except in the key, and the name is the id unless another is given")
  func names() throws {
    let policy = try Policy("b2C_1a_Sign_In")
    #expect(policy.key == "b2c_1a_sign_in" && policy.id == "b2C_1a_Sign_In")
    #expect(policy.name == "b2C_1a_Sign_In" && policy.domainHint == nil)
    #expect(try Policy(id: "B2C_1_x", name: "").name == "B2C_1_x")
    #expect(try Policy(id: "B2C_1_x", name: "Mail").name == "Mail")
  }

  // A guess by words would take this sign-in policy of Microsoft's guides for a password reset.
  @Test("A policy's name says nothing about its kind, which is the caller's or none, so that the settings complete it")
  func kinds() throws {
    let id = "B2C_1_susi_reset_v2"
    #expect(try Policy(id).kind == nil && Policy(id: id, name: "Sign in").kind == nil)
    #expect(try Policy(id: id, kind: .signIn).kindOrDefault == .signIn && Policy(id).kindOrDefault == .signUpOrSignIn)
  }

  @Test(
    "Invalid ids are refused",
    arguments: [
      "", "   ", " B2C_1_x ", "B2C_1_x\n", "B2C_1_\u{200B}x", "B2C_1_\u{200D}x", "B2C_1_x\u{FE0F}", "B2C_1_\u{202E}x",
      "?p=B2C_1_x", "p=B2C_1_x&nonce=1", "?p=B2C_1_%3ex", "\(contoso)/B2C_1_x/v2.0",
      "\(contoso)/oauth2/v2.0/authorize?p=B2C_1_x", "a/b", "a%20b", "a#b", "a&b", "..", "<Enter the sign in policy>",
      "{policy}", String(repeating: "x", count: 129),
    ])
  func refusals(id: String) throws {
    let error = try #require(throws: ConnectorError.self) { try Policy(id) }
    #expect(error.code == .configuration && error.recoverySuggestion != nil)
  }

  @Test("128 characters are allowed, also those that need escaping")
  func escapedCharacters() throws {
    let id = "B2C_1_a+b;c'é" + String(repeating: "x", count: 115)
    #expect(try Policy(id).id == id)
  }
}
