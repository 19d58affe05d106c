import B2CAuthority
import Testing

@Suite("Issuers that metadata may name")
struct AuthorityIssuerTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let authority: String
    let accepted: [String]
    let refused: [String]
    let kind: Authority.Kind?
    let policy: String?

    init(
      _ authority: String, accepts accepted: [String] = [], refuses refused: [String] = [],
      kind: Authority.Kind? = nil, policy: String? = nil
    ) {
      (self.authority, self.accepted, self.refused) = (authority, accepted, refused)
      (self.kind, self.policy) = (kind, policy)
    }

    var testDescription: String { authority + (policy.map { " with \($0)" } ?? "") }
  }

  private static let other = "00000000-0000-0000-0000-000000000001"

  // A host that is configured publishes its own issuer; only a GUID can be compared with the tenant.
  static let microsoft: [Row] = [
    Row("\(contoso)/B2C_1_x", accepts: ["https://contoso.b2clogin.com/\(guid)/v2.0/"]),
    Row(
      "https://contoso.b2clogin.com/\(guid)/B2C_1_x",
      accepts: ["https://contoso.b2clogin.com/tfp/\(guid)/b2c_1_x/v2.0/"],
      refuses: ["https://contoso.b2clogin.com/\(other)/v2.0/"]),
    Row("https://contoso.ciamlogin.com", accepts: ["https://\(guid).ciamlogin.com/\(guid)/v2.0"]),
    Row("\(custom)/\(guid.uppercased())", accepts: ["https://\(guid).ciamlogin.com/\(guid)/v2.0"]),
    Row(
      "\(custom)/\(guid)",
      refuses: [
        "https://\(other).ciamlogin.com/\(other)/v2.0", "https://\(guid).ciamlogin.com/\(other)/v2.0",
        "https://evil.example/\(other)?\(guid)", "https://evil.example/\(other)#/\(guid)",
        "https://evil.example/x\(guid)",
      ]),
    Row("\(entra)/common", accepts: ["\(entra)/{tenantid}/v2.0"]),
    Row("\(entra)/\(guid)", accepts: ["https://sts.windows.net/\(guid)/"], refuses: ["\(entra)/{tenantid}/v2.0"]),
  ]

  // OpenID Connect Discovery 1.0 section 4.3: the URL that was asked.
  static let generic: [Row] = [
    Row(
      "https://accounts.google.com",
      accepts: ["https://accounts.google.com", "https://accounts.google.com/", "https://Accounts.Google.com"],
      refuses: [
        "https://accounts.google.com//", "https://accounts.google.com.evil.example",
        "https://accounts.google.com@evil.example", "https://accounts.google.com?x", "http://accounts.google.com",
        "https://accounts.goog\u{142}e.com",
      ]),
    Row(
      "https://auth.example.com/realms/K", accepts: ["https://auth.example.com/realms/K"],
      refuses: [
        "https://auth.example.com/realms/k", "https://auth.example.com/realms/\u{212A}", "https://auth.example.com", "",
      ]),
    Row("\(custom)/\(guid)/v2.0", accepts: ["\(custom)/\(guid)/v2.0"], kind: .openIDConnect),
    Row("http://127.0.0.1:8080/tenant", refuses: ["http://127.0.0.1:8080/\(guid)/v2.0/"]),
    // A policy makes it Azure AD B2C.
    Row("http://127.0.0.1:8080/tenant", accepts: ["http://127.0.0.1:8080/\(guid)/v2.0/"], policy: "B2C_1_x"),
  ]

  @Test("Those of the configured host and tenant", arguments: microsoft + generic)
  func issuers(row: Row) throws {
    let authority = try Authority(row.authority, kind: row.kind)
    let policy = try row.policy.map { id in try Policy(id) }
    for issuer in row.accepted { #expect(authority.accepts(issuer: issuer, policy: policy), "\(issuer)") }
    for issuer in row.refused { #expect(!authority.accepts(issuer: issuer, policy: policy), "\(issuer)") }
  }
}
