import B2CAuthority
import Testing

@Suite("Issuers that metadata may name")
struct AuthorityIssuerTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let authority: String
    let issuer: String
    let isAccepted: Bool
    let kind: Authority.Kind?
    let policy: String?

    init(
      _ authority: String, _ issuer: String, _ isAccepted: Bool, kind: Authority.Kind? = nil, policy: String? = nil
    ) {
      (self.authority, self.issuer, self.isAccepted) = (authority, issuer, isAccepted)
      (self.kind, self.policy) = (kind, policy)
    }

    var testDescription: String { "\(issuer) of \(authority)" }
  }

  private static let other = "00000000-0000-0000-0000-000000000001"

  // A host that is configured publishes its own issuer; only a GUID can be compared with the tenant.
  static let microsoft: [Row] = [
    Row(
      "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x", "https://contoso.b2clogin.com/\(guid)/v2.0/", true
    ),
    Row("https://contoso.b2clogin.com/\(guid)/B2C_1_x", "https://contoso.b2clogin.com/tfp/\(guid)/b2c_1_x/v2.0/", true),
    Row("https://contoso.b2clogin.com/\(guid)/B2C_1_x", "https://contoso.b2clogin.com/\(other)/v2.0/", false),
    Row("https://contoso.ciamlogin.com", "https://\(guid).ciamlogin.com/\(guid)/v2.0", true),
    Row("https://login.contoso.com/\(guid.uppercased())", "https://\(guid).ciamlogin.com/\(guid)/v2.0", true),
    Row("https://login.contoso.com/\(guid)", "https://\(other).ciamlogin.com/\(other)/v2.0", false),
    Row("https://login.contoso.com/\(guid)", "https://\(guid).ciamlogin.com/\(other)/v2.0", false),
    Row("https://login.contoso.com/\(guid)", "https://evil.example/\(other)?\(guid)", false),
    Row("https://login.contoso.com/\(guid)", "https://evil.example/\(other)#/\(guid)", false),
    Row("https://login.contoso.com/\(guid)", "https://evil.example/x\(guid)", false),
    Row("https://login.microsoftonline.com/common", "https://login.microsoftonline.com/{tenantid}/v2.0", true),
    Row("https://login.microsoftonline.com/\(guid)", "https://login.microsoftonline.com/{tenantid}/v2.0", false),
    Row("https://login.microsoftonline.com/\(guid)", "https://sts.windows.net/\(guid)/", true),
  ]

  // OpenID Connect Discovery 1.0 section 4.3: the URL that was asked.
  static let generic: [Row] = [
    Row("https://accounts.google.com", "https://accounts.google.com", true),
    Row("https://accounts.google.com", "https://accounts.google.com/", true),
    Row("https://accounts.google.com", "https://Accounts.Google.com", true),
    Row("https://accounts.google.com", "https://accounts.google.com//", false),
    Row("https://accounts.google.com", "https://accounts.google.com.evil.example", false),
    Row("https://accounts.google.com", "https://accounts.google.com@evil.example", false),
    Row("https://accounts.google.com", "https://accounts.google.com?x", false),
    Row("https://accounts.google.com", "http://accounts.google.com", false),
    Row("https://accounts.google.com", "https://accounts.goog\u{142}e.com", false),
    Row("https://auth.example.com/realms/K", "https://auth.example.com/realms/K", true),
    Row("https://auth.example.com/realms/K", "https://auth.example.com/realms/k", false),
    Row("https://auth.example.com/realms/K", "https://auth.example.com/realms/\u{212A}", false),
    Row("https://auth.example.com/realms/K", "https://auth.example.com", false),
    Row("https://auth.example.com/realms/K", "", false),
    Row("https://login.contoso.com/\(guid)/v2.0", "https://login.contoso.com/\(guid)/v2.0", true, kind: .openIDConnect),
    Row("http://127.0.0.1:8080/tenant", "http://127.0.0.1:8080/\(guid)/v2.0/", false),
    // A policy makes it Azure AD B2C.
    Row("http://127.0.0.1:8080/tenant", "http://127.0.0.1:8080/\(guid)/v2.0/", true, policy: "B2C_1_x"),
  ]

  @Test("Those of the configured host and tenant", arguments: microsoft + generic)
  func issuers(row: Row) throws {
    let authority = try Authority(row.authority, kind: row.kind)
    let policy = try row.policy.map { id in try Policy(id) }
    #expect(authority.accepts(issuer: row.issuer, policy: policy) == row.isAccepted)
  }
}
