import B2CAuthority
import Foundation
import Testing

@Suite struct AuthorityMetadataTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let authority: String
    var kind: Authority.Kind?
    let issuer: String
    var policy: String?
    let isAccepted: Bool

    var testDescription: String { "\(issuer) of \(authority)" }
  }

  static let other = "00000000-0000-0000-0000-000000000001"
  static let b2c = "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x"
  static let entra = "https://login.microsoftonline.com/contoso.onmicrosoft.com"
  static let ciam = "https://contoso.ciamlogin.com"

  @Test(
    "Issuers that metadata may name",
    arguments: [
      // Azure AD B2C.
      Row(authority: b2c, issuer: "https://contoso.b2clogin.com/\(guid)/v2.0/", isAccepted: true),
      Row(authority: b2c, issuer: "https://CONTOSO.b2clogin.com/\(guid)/v2.0", isAccepted: true),
      Row(authority: b2c, issuer: "https://contoso.b2clogin.com/tfp/\(guid)/b2c_1_X/v2.0/", isAccepted: true),
      Row(authority: b2c, issuer: "https://contoso.b2clogin.com/tfp/\(guid)/B2C_1_y/v2.0/", isAccepted: false),
      Row(
        authority: b2c, issuer: "https://contoso.b2clogin.com/tfp/\(guid)/b2c_1_%C3%A9/v2.0/", policy: "B2C_1_é",
        isAccepted: true),
      Row(
        authority: b2c, issuer: "https://contoso.b2clogin.com/tfp/\(guid)/b2c_1_a+b/v2.0/", policy: "B2C_1_a+b",
        isAccepted: true),
      Row(
        authority: b2c, issuer: "https://contoso.b2clogin.com/tfp/\(guid)/b2c_1_a%20b/v2.0/", policy: "B2C_1_a+b",
        isAccepted: false),
      Row(authority: b2c, issuer: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/v2.0/", isAccepted: true),
      Row(authority: b2c, issuer: "https://contoso.b2clogin.com/fabrikam.onmicrosoft.com/v2.0/", isAccepted: false),
      Row(authority: b2c, issuer: "https://fabrikam.b2clogin.com/\(guid)/v2.0/", isAccepted: false),
      Row(authority: b2c, issuer: "https://login.microsoftonline.com/\(guid)/v2.0/", isAccepted: false),
      Row(authority: b2c, issuer: "http://contoso.b2clogin.com/\(guid)/v2.0/", isAccepted: false),
      Row(authority: b2c, issuer: "https://contoso.b2clogin.com:444/\(guid)/v2.0/", isAccepted: false),
      Row(authority: b2c, issuer: "https://u@contoso.b2clogin.com/\(guid)/v2.0/", isAccepted: false),
      Row(authority: b2c, issuer: "https://contoso.b2clogin.com/\(guid)/v2.0/?x=1", isAccepted: false),
      Row(authority: b2c, issuer: "https://contoso.b2clogin.com/\(guid)/v2.0/#x", isAccepted: false),
      Row(authority: b2c, issuer: "https://contoso.b2clogin.com/{tenantid}/v2.0/", isAccepted: false),
      Row(authority: b2c, issuer: "https://contoso.b2clogin.com/", isAccepted: false),
      Row(authority: b2c, issuer: "", isAccepted: false),
      Row(
        authority: "https://contoso.b2clogin.com/\(guid)/B2C_1_x", issuer: "https://contoso.b2clogin.com/\(guid)/v2.0/",
        isAccepted: true),
      Row(
        authority: "https://contoso.b2clogin.com/\(guid)/B2C_1_x",
        issuer: "https://contoso.b2clogin.com/\(other)/v2.0/",
        isAccepted: false),
      Row(
        authority: entra, issuer: "https://login.microsoftonline.com/\(guid)/v2.0/", policy: "B2C_1_x", isAccepted: true
      ),
      Row(
        authority: "https://login.contoso.com/contoso.onmicrosoft.com",
        issuer: "https://login.contoso.com/\(guid)/v2.0/",
        policy: "B2C_1_x", isAccepted: true),
      Row(
        authority: "http://127.0.0.1:8080/tenant", issuer: "http://127.0.0.1:8080/\(guid)/v2.0/", isAccepted: true),
      Row(
        authority: "http://127.0.0.1:8080/tenant", issuer: "http://127.0.0.1:8080/tfp/\(guid)/b2c_1_x/v2.0/",
        policy: "B2C_1_x", isAccepted: true),
      Row(authority: "http://127.0.0.1:8080/tenant", issuer: "http://127.0.0.1:8081/\(guid)/v2.0/", isAccepted: false),
      // External ID.
      Row(authority: ciam, issuer: "https://\(guid).ciamlogin.com/\(guid)/v2.0", isAccepted: true),
      Row(authority: ciam, issuer: "https://\(guid).ciamlogin.com/\(other)/v2.0", isAccepted: false),
      Row(authority: ciam, issuer: "https://\(guid).ciamlogin.com:444/\(guid)/v2.0", isAccepted: false),
      Row(authority: ciam, issuer: "https://contoso.ciamlogin.com/\(guid)/v2.0", isAccepted: true),
      Row(authority: ciam, issuer: "https://fabrikam.ciamlogin.com/\(guid)/v2.0", isAccepted: false),
      Row(authority: ciam, issuer: "https://login.microsoftonline.com/\(guid)/v2.0", isAccepted: false),
      Row(
        authority: "https://contoso.ciamlogin.com/\(guid)", issuer: "https://\(other).ciamlogin.com/\(other)/v2.0",
        isAccepted: false),
      Row(
        authority: "https://login.contoso.com/\(guid)", kind: .ciam,
        issuer: "https://\(guid).ciamlogin.com/\(guid)/v2.0",
        isAccepted: true),
      Row(
        authority: "https://login.microsoftonline.com/\(guid)", kind: .ciam,
        issuer: "https://login.microsoftonline.com/\(guid)/v2.0", isAccepted: true),
      // Entra ID.
      Row(authority: entra, issuer: "https://login.microsoftonline.com/\(guid)/v2.0", isAccepted: true),
      Row(authority: entra, issuer: "https://login.windows.net/\(guid)/v2.0", isAccepted: true),
      Row(authority: entra, issuer: "https://sts.windows.net/\(guid)/", isAccepted: true),
      Row(authority: entra, issuer: "https://login.microsoftonline.us/\(guid)/v2.0", isAccepted: false),
      Row(authority: entra, issuer: "https://login.microsoftonline.com/{tenantid}/v2.0", isAccepted: false),
      Row(authority: entra, issuer: "https://login.microsoftonline.com/common/v2.0", isAccepted: false),
      Row(
        authority: "https://login.microsoftonline.com/common",
        issuer: "https://login.microsoftonline.com/{tenantid}/v2.0",
        isAccepted: true),
      Row(
        authority: "https://login.microsoftonline.com/organizations",
        issuer: "https://login.microsoftonline.com/{tenantid}/v2.0", isAccepted: true),
      Row(
        authority: "https://login.microsoftonline.com/consumers",
        issuer: "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0", isAccepted: true),
      Row(
        authority: "https://login.microsoftonline.com/consumers",
        issuer: "https://login.microsoftonline.com/\(guid)/v2.0",
        isAccepted: false),
      Row(
        authority: "https://login.microsoftonline.com/common", issuer: "https://{tenantid}.example.com/{tenantid}/v2.0",
        isAccepted: false),
      // A generic issuer.
      Row(authority: "https://accounts.google.com", issuer: "https://accounts.google.com", isAccepted: true),
      Row(authority: "https://accounts.google.com", issuer: "https://accounts.google.com/", isAccepted: true),
      Row(authority: "https://accounts.google.com", issuer: "https://accounts.example.com", isAccepted: false),
      Row(
        authority: "https://auth.example.com/realms/A", issuer: "https://auth.example.com/realms/A", isAccepted: true),
      Row(
        authority: "https://auth.example.com/realms/A", issuer: "https://auth.example.com/realms/a", isAccepted: false),
      Row(
        authority: "https://login.contoso.com/\(guid)/v2.0", issuer: "https://login.contoso.com/\(guid)/v2.0",
        isAccepted: true),
      Row(
        authority: "https://login.contoso.com/x", kind: .openIDConnect,
        issuer: "https://login.contoso.com/\(guid)/v2.0",
        isAccepted: false),
    ])
  func issuers(row: Row) throws {
    let authority = try Authority(row.authority, kind: row.kind)
    let policy = try row.policy.map { id in try Policy(id) }
    #expect(authority.accepts(issuer: row.issuer, policy: policy) == row.isAccepted)
  }

  @Test("A trusted host may replace the authority's")
  func trustedHost() throws {
    var authority = try Authority("https://login.contoso.com/contoso.onmicrosoft.com/B2C_1_x")
    let issuer = "https://contoso.b2clogin.com/\(guid)/v2.0/"
    let keys = try #require(URL(string: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/discovery/v2.0/keys"))
    #expect(!authority.accepts(issuer: issuer))
    #expect(!authority.accepts(endpoint: keys, issuer: issuer))
    authority.trustedHosts = ["Contoso.b2clogin.com"]
    #expect(authority.accepts(issuer: issuer))
    #expect(authority.accepts(endpoint: keys, issuer: issuer))
  }

  @Test(
    "A host that only starts or ends like a trusted one is not trusted",
    arguments: [
      "evil-contoso.b2clogin.com", "x.contoso.b2clogin.com", "contoso.b2clogin.com.evil.example",
      "contoso.b2clogin.co", "ontoso.b2clogin.com", "b2clogin.com",
    ])
  func trustedHostsAreWhole(host: String) throws {
    var authority = try Authority("https://login.contoso.com/contoso.onmicrosoft.com/B2C_1_x")
    authority.trustedHosts = ["contoso.b2clogin.com"]
    let keys = try #require(URL(string: "https://\(host)/contoso.onmicrosoft.com/discovery/v2.0/keys"))
    let issuer = "https://\(host)/\(guid)/v2.0/"
    #expect(!authority.accepts(endpoint: keys, issuer: issuer))
    #expect(!authority.accepts(issuer: issuer))
  }

  @Test(
    "An entry of the trusted hosts is a plain host name",
    arguments: [
      ("login.contoso.com", nil, true), ("LOGIN.contoso.com", nil, true), ("localhost", nil, true),
      ("https://login.contoso.com/", "login.contoso.com", false),
      ("login.contoso.com:8443", "login.contoso.com", false),
      ("login.contoso.com/path", "login.contoso.com", false),
      ("https://user:secret@login.contoso.com", "login.contoso.com", false),
      ("[::1]", nil, false), ("[::1]:8443", nil, false), ("http://[::1]/", nil, false),
      ("*.contoso.com", nil, false), ("", nil, false), ("l\u{43E}gin.contoso.com", nil, false),
    ])
  func trustedHostEntries(text: String, suggestion: String?, isRight: Bool) {
    do throws(AuthorityError) {
      try Authority.checkTrustedHost(text)
      #expect(isRight)
    } catch {
      #expect(!isRight)
      #expect(error.fault == .invalidHost)
      #expect(error.suggestion == suggestion)
      #expect(!"\(error)".contains("secret"))
    }
  }

  @Test(
    "Endpoints that metadata may name",
    arguments: [
      (b2c, "https://contoso.b2clogin.com/x/oauth2/v2.0/token?p=B2C_1_x", true),
      (b2c, "https://Contoso.B2Clogin.com:443/x", true),
      (b2c, "https://contoso.b2clogin.com:444/x", false),
      (b2c, "http://contoso.b2clogin.com/x", false),
      (b2c, "https://evil.example/x", false),
      (b2c, "https://contoso.b2clogin.com@evil.example/x", false),
      (b2c, "https://contoso.b2clogin.com/x#y", false),
      (entra, "https://login.windows.net/x", true),
      (entra, "https://login.microsoftonline.us/x", false),
      (entra, "https://evil.example/x", false),
      (ciam, "https://\(guid).ciamlogin.com/\(guid)/oauth2/v2.0/token", true),
      (ciam, "https://evil.example/x", false),
      ("https://accounts.google.com", "https://oauth2.googleapis.com/token", true),
      ("https://accounts.google.com", "http://oauth2.googleapis.com/token", false),
      ("https://accounts.google.com", "http://127.0.0.1:80/token", false),
      ("http://127.0.0.1:8080/tenant", "http://127.0.0.1:8081/token", true),
      ("http://127.0.0.1:8080/tenant/B2C_1_x", "http://127.0.0.1:8080/token", true),
      ("http://127.0.0.1:8080/tenant/B2C_1_x", "http://127.0.0.1:8081/token", false),
    ])
  func endpoints(authority: String, endpoint: String, isAccepted: Bool) throws {
    let endpoint = try #require(URL(string: endpoint))
    let issuer = "https://\(guid).ciamlogin.com/\(guid)/v2.0"
    #expect(try Authority(authority).accepts(endpoint: endpoint, issuer: issuer) == isAccepted)
  }

  @Test("A policy makes the rule for endpoints strict")
  func strictWithPolicy() throws {
    let authority = try Authority("https://auth.example.com/tenant")
    let issuer = "https://auth.example.com/\(guid)/v2.0/"
    let endpoint = try #require(URL(string: "https://evil.example/token"))
    #expect(authority.accepts(endpoint: endpoint, issuer: issuer))
    #expect(!authority.accepts(endpoint: endpoint, issuer: issuer, policy: try Policy("B2C_1_x")))
  }
}
