import B2CAuthority
import Testing

@Suite("Issuers that metadata may name")
struct AuthorityIssuerTests {
  private static let other = "00000000-0000-0000-0000-000000000001"

  // A host that is configured publishes its own issuer; only a GUID can be compared with the tenant.
  static let microsoft: [(authority: String, accepts: [String], refuses: [String])] = [
    ("\(contoso)/B2C_1_x", ["https://contoso.b2clogin.com/\(guid)/v2.0/"], []),
    (
      "https://contoso.b2clogin.com/\(guid)/B2C_1_x", ["https://contoso.b2clogin.com/tfp/\(guid)/b2c_1_x/v2.0/"],
      ["https://contoso.b2clogin.com/\(other)/v2.0/"]
    ),
    ("https://contoso.ciamlogin.com", ["https://\(guid).ciamlogin.com/\(guid)/v2.0"], []),
    ("\(custom)/\(guid.uppercased())", ["https://\(guid).ciamlogin.com/\(guid)/v2.0"], []),
    (
      "\(custom)/\(guid)", [],
      [
        "https://\(other).ciamlogin.com/\(other)/v2.0", "https://\(guid).ciamlogin.com/\(other)/v2.0",
        "https://evil.example/\(other)?\(guid)", "https://evil.example/\(other)#/\(guid)",
        "https://evil.example/x\(guid)",
      ]
    ),
    ("\(entra)/common", ["\(entra)/{tenantid}/v2.0"], []),
    ("\(entra)/\(guid)", ["https://sts.windows.net/\(guid)/"], ["\(entra)/{tenantid}/v2.0"]),
  ]

  // OpenID Connect Discovery 1.0 section 4.3: the URL that was asked.
  static let generic: [(authority: String, accepts: [String], refuses: [String])] = [
    (
      "https://accounts.google.com",
      ["https://accounts.google.com", "https://accounts.google.com/", "https://Accounts.Google.com"],
      [
        "https://accounts.google.com//", "https://accounts.google.com.evil.example",
        "https://accounts.google.com@evil.example", "https://accounts.google.com?x", "http://accounts.google.com",
        "https://accounts.goog\u{142}e.com",
      ]
    ),
    (
      "https://auth.example.com/realms/K", ["https://auth.example.com/realms/K"],
      ["https://auth.example.com/realms/k", "https://auth.example.com/realms/\u{212A}", "https://auth.example.com", ""]
    ),
    ("http://127.0.0.1:8080/tenant", [], ["http://127.0.0.1:8080/\(guid)/v2.0/"]),
  ]

  @Test("Those of the configured host and tenant", arguments: microsoft + generic)
  func issuers(authority: String, accepted: [String], refused: [String]) throws {
    let authority = try Authority(authority)
    for issuer in accepted { #expect(authority.accepts(issuer: issuer), "\(issuer)") }
    for issuer in refused { #expect(!authority.accepts(issuer: issuer), "\(issuer)") }
  }

  @Test("A kind that was given and a policy decide whose rule applies")
  func kinds() throws {
    let generic = try Authority("\(custom)/\(guid)/v2.0", kind: .openIDConnect)
    #expect(generic.accepts(issuer: "\(custom)/\(guid)/v2.0") && !generic.accepts(issuer: "\(custom)/\(guid)"))
    let tenant = try Authority("http://127.0.0.1:8080/tenant")
    #expect(try tenant.accepts(issuer: "http://127.0.0.1:8080/\(guid)/v2.0/", policy: Policy("B2C_1_x")))
  }
}
