import B2CAuthority
import Testing

@Suite("Issuers that metadata may name")
struct AuthorityIssuerTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let authority: String
    var kind: Authority.Kind?
    var policy: String?
    let issuer: String
    let isAccepted: Bool

    var testDescription: String { "\(issuer) of \(authority)" }
  }

  private static let other = "00000000-0000-0000-0000-000000000001"

  // A host that is configured publishes its own issuer; only a GUID can be compared with the tenant.
  static let microsoft: [Row] = [
    Row(
      authority: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x",
      issuer: "https://contoso.b2clogin.com/\(guid)/v2.0/", isAccepted: true),
    Row(
      authority: "https://contoso.b2clogin.com/\(guid)/B2C_1_x",
      issuer: "https://contoso.b2clogin.com/tfp/\(guid)/b2c_1_x/v2.0/", isAccepted: true),
    Row(
      authority: "https://contoso.b2clogin.com/\(guid)/B2C_1_x",
      issuer: "https://contoso.b2clogin.com/\(other)/v2.0/", isAccepted: false),
    Row(
      authority: "https://contoso.ciamlogin.com", issuer: "https://\(guid).ciamlogin.com/\(guid)/v2.0", isAccepted: true
    ),
    Row(
      authority: "https://login.contoso.com/\(guid.uppercased())",
      issuer: "https://\(guid).ciamlogin.com/\(guid)/v2.0", isAccepted: true),
    Row(
      authority: "https://login.contoso.com/\(guid)", issuer: "https://\(other).ciamlogin.com/\(other)/v2.0",
      isAccepted: false),
    Row(
      authority: "https://login.contoso.com/\(guid)", issuer: "https://\(guid).ciamlogin.com/\(other)/v2.0",
      isAccepted: false),
    Row(
      authority: "https://login.contoso.com/\(guid)", issuer: "https://evil.example/\(other)?\(guid)", isAccepted: false
    ),
    Row(
      authority: "https://login.contoso.com/\(guid)", issuer: "https://evil.example/\(other)#/\(guid)",
      isAccepted: false),
    Row(authority: "https://login.contoso.com/\(guid)", issuer: "https://evil.example/x\(guid)", isAccepted: false),
    Row(
      authority: "https://login.microsoftonline.com/common",
      issuer: "https://login.microsoftonline.com/{tenantid}/v2.0", isAccepted: true),
    Row(
      authority: "https://login.microsoftonline.com/\(guid)",
      issuer: "https://login.microsoftonline.com/{tenantid}/v2.0", isAccepted: false),
    Row(
      authority: "https://login.microsoftonline.com/\(guid)", issuer: "https://sts.windows.net/\(guid)/",
      isAccepted: true),
  ]

  // OpenID Connect Discovery 1.0 section 4.3: the URL that was asked.
  static let generic: [Row] = [
    Row(authority: "https://accounts.google.com", issuer: "https://accounts.google.com", isAccepted: true),
    Row(authority: "https://accounts.google.com", issuer: "https://accounts.google.com/", isAccepted: true),
    Row(authority: "https://accounts.google.com", issuer: "https://Accounts.Google.com", isAccepted: true),
    Row(authority: "https://accounts.google.com", issuer: "https://accounts.google.com//", isAccepted: false),
    Row(
      authority: "https://accounts.google.com", issuer: "https://accounts.google.com.evil.example", isAccepted: false),
    Row(
      authority: "https://accounts.google.com", issuer: "https://accounts.google.com@evil.example", isAccepted: false),
    Row(authority: "https://accounts.google.com", issuer: "https://accounts.google.com?x", isAccepted: false),
    Row(authority: "https://accounts.google.com", issuer: "http://accounts.google.com", isAccepted: false),
    Row(authority: "https://accounts.google.com", issuer: "https://accounts.goog\u{142}e.com", isAccepted: false),
    Row(authority: "https://auth.example.com/realms/K", issuer: "https://auth.example.com/realms/K", isAccepted: true),
    Row(authority: "https://auth.example.com/realms/K", issuer: "https://auth.example.com/realms/k", isAccepted: false),
    Row(
      authority: "https://auth.example.com/realms/K", issuer: "https://auth.example.com/realms/\u{212A}",
      isAccepted: false),
    Row(authority: "https://auth.example.com/realms/K", issuer: "https://auth.example.com", isAccepted: false),
    Row(authority: "https://auth.example.com/realms/K", issuer: "", isAccepted: false),
    Row(
      authority: "https://login.contoso.com/\(guid)/v2.0", kind: .openIDConnect,
      issuer: "https://login.contoso.com/\(guid)/v2.0", isAccepted: true),
    Row(
      authority: "http://127.0.0.1:8080/tenant", issuer: "http://127.0.0.1:8080/\(guid)/v2.0/", isAccepted: false),
    // A policy makes it Azure AD B2C.
    Row(
      authority: "http://127.0.0.1:8080/tenant", policy: "B2C_1_x", issuer: "http://127.0.0.1:8080/\(guid)/v2.0/",
      isAccepted: true),
  ]

  @Test("Those of the configured host and tenant", arguments: microsoft + generic)
  func issuers(row: Row) throws {
    let authority = try Authority(row.authority, kind: row.kind)
    let policy = try row.policy.map { id in try Policy(id) }
    #expect(authority.accepts(issuer: row.issuer, policy: policy) == row.isAccepted)
  }
}
