import B2CAuthority
import Foundation
import Testing

@Suite struct AuthorityFaultTests {
  /// The faults by which rows are told apart, with words of their messages.
  enum Fault: String {
    case notAURL = "is not a URL with a scheme"
    case noScheme = "does not begin with https://"
    case foreign = "a character that cannot be seen, or its host has letters or dots beyond ASCII"
    case insecureScheme = "not https"
    case userInfo = "a user name or a password"
    case invalidHost = "The authority's host"
    case invalidPath = "The authority's path"
    case missingTenant = "has no tenant after its host"
    case invalidTenant = "The authority's tenant"
    case tenantNotNamed = "does not name the tenant"
    case invalidPolicy = "two policies, or a policy id"
    case unexpectedPolicy = "contains a policy"
    case unexpectedQuery = "the query parameter p"
    case kindMismatch = "serves"
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let text: String
    let kind: Authority.Kind?
    let fault: Fault
    let suggestion: String?

    init(_ text: String, _ fault: Fault, _ suggestion: String? = nil, kind: Authority.Kind? = nil) {
      (self.text, self.kind, self.fault, self.suggestion) = (text, kind, fault, suggestion)
    }

    var testDescription: String { String(text.prefix(100).debugDescription) }
  }

  /// The suggestion of many rows.
  private static let contoso = "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"

  @Test(
    "Each fault has its name, and a correction where it is known",
    arguments: [
      // No URL.
      Row("", .noScheme),
      Row("  \n", .noScheme),
      Row("   ", .noScheme),
      Row("contoso", .noScheme),
      Row("Contoso.onmicrosoft.com", .noScheme, "https://contoso.b2clogin.com/Contoso.onmicrosoft.com/"),
      Row("7bf688ce-8139-4ca8-9391-02fdb6f86d67", .noScheme),
      Row("contoso.b2clogin.com/contoso.onmicrosoft.com", .noScheme, contoso),
      Row("://contoso.b2clogin.com/", .notAURL),
      Row("https:contoso.b2clogin.com/contoso.onmicrosoft.com", .noScheme, contoso),
      Row("HTTP:/contoso.b2clogin.com/contoso.onmicrosoft.com", .noScheme, contoso),
      Row("//contoso.b2clogin.com/contoso.onmicrosoft.com", .noScheme, contoso),
      Row("1&://h/t", .notAURL),
      Row("https://h/" + String(repeating: "a", count: 2_048), .notAURL),
      // Scheme.
      Row(
        "http://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x", .insecureScheme,
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x"),
      // Two faults: the corrected text would have the other.
      Row("http://contoso.b2clogin.com", .insecureScheme),
      Row("contoso.b2clogin.com", .noScheme),
      Row("http://192.168.0.1/tenant", .insecureScheme, "https://192.168.0.1/tenant"),
      Row("http://127.0.0.1.example.com/t", .insecureScheme, "https://127.0.0.1.example.com/t"),
      Row("ftp://login.contoso.com/t", .insecureScheme, "https://login.contoso.com/t"),
      // User-info: never a suggestion, since the host behind it may not be the one that was meant.
      Row("https://user:hunter2@contoso.b2clogin.com/contoso.onmicrosoft.com", .userInfo),
      Row("https://login.microsoftonline.com@evil.example/common", .userInfo),
      Row("https://@contoso.b2clogin.com/contoso.onmicrosoft.com", .userInfo),
      // Fragment, backslash, characters.
      Row("https://contoso.b2clogin.com/contoso.onmicrosoft.com/#id_token=hunter2", .notAURL, contoso),
      Row("https:\\\\contoso.b2clogin.com\\contoso.onmicrosoft.com", .notAURL, contoso),
      Row("https://login.microsoftonline.com\\@evil.example/common", .notAURL),
      Row("https://contoso.b2clogin.com/contoso.onmicrosoft.com\n", .notAURL, contoso),
      Row("https://contoso.b2clogin.com/\u{200B}contoso.onmicrosoft.com", .foreign, contoso),
      Row("https://contoso.b2clogin.com/a\u{0}b", .foreign, "https://contoso.b2clogin.com/ab/"),
      Row("\u{FEFF}https://contoso.b2clogin.com/contoso.onmicrosoft.com", .foreign, contoso),
      Row(" https://contoso.b2clogin.com/ contoso.onmicrosoft.com ", .notAURL, contoso),
      Row("https://login.microsoftonline.com/<your tenant>.onmicrosoft.com", .notAURL),
      Row("https://login.microsoftonline.com/<tenant>.onmicrosoft.com", .notAURL),
      Row("https://{tenant}.b2clogin.com/{tenant}.onmicrosoft.com/{policy}", .notAURL),
      // Port.
      Row("https://login.contoso.com:99999/t", .notAURL),
      Row("https://login.contoso.com:0/t", .notAURL),
      Row("https://login.contoso.com:/t", .notAURL),
      Row("https://login.contoso.com:443x/t", .notAURL),
      Row("https://login.contoso.com:+443/t", .notAURL),
      Row("https://login.contoso.com:0443/t", .notAURL),
      Row("https://a:b:443/t", .notAURL),
      Row("http://127.0.0.1:port/tenant", .notAURL),
      // Host.
      Row("https:///contoso.onmicrosoft.com", .invalidHost),
      Row("https://.contoso.com/t", .invalidHost),
      Row("https://login..contoso.com/t", .invalidHost),
      Row("https://-login.contoso.com/t", .invalidHost),
      Row("https://login_x.contoso.com/t", .invalidHost),
      Row("https://login%2Econtoso.com/t", .invalidHost),
      Row("https://" + String(repeating: "a", count: 64) + ".com/t", .invalidHost),
      Row("https://bücher.example/t", .foreign, "https://xn--bcher-kva.example/t"),
      Row("http://login.bu\u{308}cher.example:8443/t", .foreign),
      Row("login.m\u{FC}ller.example/realms/a", .foreign, "https://login.xn--mller-kva.example/realms/a"),
      Row(
        "https://\u{43F}\u{440}\u{438}\u{43C}\u{435}\u{440}.\u{440}\u{444}/a", .foreign,
        "https://xn--e1afmkfd.xn--p1ai/a"),
      // One alphabet in a label, or look-alikes of another host.
      Row("https://login.micros\u{43E}ftonline.com/common", .foreign),
      Row("https://l\u{3BF}gin.example/t", .foreign),
      Row("https://contoso.b2clogin\u{FF0E}com/contoso.onmicrosoft.com", .foreign, contoso),
      Row("https://contoso.b2clogin\u{3002}com/contoso.onmicrosoft.com", .foreign, contoso),
      Row("https://\u{FF43}ontoso.b2clogin.com/contoso.onmicrosoft.com", .foreign, contoso),
      Row("https://contoso.b2c\u{AD}login.com/contoso.onmicrosoft.com", .foreign, contoso),
      Row("m\u{FC}ller.ex\u{200D}ample/t", .foreign, "https://xn--mller-kva.example/t"),
      Row("https://user@b\u{FC}cher.example/t", .foreign),
      // Signs that look like a slash.
      Row("https://contoso.example\u{2044}evil.example/t", .foreign),
      Row("https://contoso.example\u{FF0F}evil.example/t", .foreign),
      Row("https://login.contoso.com./t", .invalidHost),
      Row("https://127.1/t", .invalidHost),
      Row("https://2130706433/t", .invalidHost),
      Row("https://0x7f.0.0.0x1/t", .invalidHost),
      Row("https://127.0.0.01/t", .invalidHost),
      Row("https://256.0.0.1/t", .invalidHost),
      Row("https://[2001:db8::1]/t", .invalidHost),
      Row("https://[::1/t", .notAURL),
      Row("https://[::1]x/t", .notAURL),
      Row(
        "https://b2clogin.com/contoso.onmicrosoft.com/B2C_1_x", .invalidHost,
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x"),
      Row("https://contoso.onmicrosoft.com/B2C_1_x", .invalidHost, contoso),
      Row(
        "https://contoso.partner.onmschina.cn", .invalidHost,
        "https://contoso.b2clogin.cn/contoso.partner.onmschina.cn/"),
      // Path.
      Row("https://contoso.b2clogin.com/%zz", .notAURL),
      Row("https://contoso.b2clogin.com/contoso%", .notAURL),
      Row("https://contoso.b2clogin.com/contoso%2Fx", .invalidPath),
      Row("https://contoso.b2clogin.com/contoso%00x", .invalidPath),
      Row("https://contoso.b2clogin.com/../x", .invalidPath),
      Row("https://contoso.b2clogin.com/%2e%2E/x", .invalidPath),
      Row("https://contoso.b2clogin.com/conto|so", .notAURL),
      Row(
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x/SelfAsserted", .invalidPath,
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x"),
      Row(
        "https://login.microsoftonline.com/common/oauth2/nativeclient", .invalidPath,
        "https://login.microsoftonline.com/common/"),
      Row(
        "https://login.microsoftonline.com/contoso.onmicrosoft.com/SignIn", .invalidPath,
        "https://login.microsoftonline.com/contoso.onmicrosoft.com/"),
      // Tenant.
      Row("https://contoso.b2clogin.com", .tenantNotNamed, contoso),
      Row(
        "https://contoso.b2clogin.com/tfp/B2C_1_x", .tenantNotNamed,
        "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_x"),
      Row(
        "https://contoso.b2clogin.com/B2C_1_x", .tenantNotNamed,
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x"),
      Row(
        "https://contoso.b2clogin.cn/?p=B2C_1_x", .tenantNotNamed,
        "https://contoso.b2clogin.cn/contoso.partner.onmschina.cn/?p=B2C_1_x"),
      Row("https://login.microsoftonline.com/", .missingTenant, "https://login.microsoftonline.com/common/"),
      Row("https://login.ciamlogin.com/", .missingTenant),
      Row("https://login.contoso.com/", .missingTenant, kind: .ciam),
      Row("https://login.contoso.com/?p=B2C_1_x", .tenantNotNamed),
      Row(
        "https://contoso.b2clogin.com/common/B2C_1_x", .tenantNotNamed,
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x"),
      Row("https://login.microsoftonline.com/common?p=B2C_1_x", .tenantNotNamed),
      Row("https://contoso.b2clogin.com/con@toso/B2C_1_x", .invalidTenant),
      Row("https://contoso.b2clogin.com/contoso..com/B2C_1_x", .invalidTenant),
      // Policy and kind.
      Row("https://contoso.b2clogin.com/contoso.onmicrosoft.com/?p=", .invalidPolicy),
      Row("https://contoso.b2clogin.com/contoso.onmicrosoft.com/?p=a%2Fb", .invalidPolicy),
      Row("https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x?p=B2C_1_y", .invalidPolicy),
      Row("https://contoso.b2clogin.com/contoso.onmicrosoft.com/?p=B2C_1_x&p=B2C_1_y", .invalidPolicy),
      Row(
        "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=signup-signin",
        .unexpectedPolicy, "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/"),
      Row(
        "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/B2C_1_x", .unexpectedPolicy,
        "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/"),
      Row(
        "https://login.microsoftonline.com/contoso.onmicrosoft.com/B2C_1_x", .unexpectedPolicy,
        "https://login.microsoftonline.com/contoso.onmicrosoft.com/", kind: .entra),
      Row("https://login.contoso.com/t?p=x", .unexpectedQuery, "https://login.contoso.com/t", kind: .openIDConnect),
      Row("https://contoso.b2clogin.com/contoso.onmicrosoft.com", .kindMismatch, kind: .ciam),
      Row("https://contoso.ciamlogin.com/", .kindMismatch, kind: .b2c),
    ])
  func refusals(row: Row) throws {
    let error = try #require(throws: AuthorityFault.self) { try Authority(parsing: row.text, kind: row.kind) }
    #expect(error.message.contains(row.fault.rawValue), "\(error.message)")
    #expect(error.suggestion == row.suggestion)
    if let suggestion = error.suggestion {
      #expect(throws: Never.self) { try Authority(suggestion, kind: row.kind) }
    }
  }

  @Test(
    "An error shows nothing that may be secret",
    arguments: [
      "https://user:hunter2@h.example/t", "user:hunter2@h.example/t", "https://user:hunt\\er2@h.example/t",
      "https://user:hunt/er2@h.example/t\u{1}", "https://h.example/t#access_token=hunter2",
      "https://h.example/t?code=hunter2#x", "http://h.example/t?login_hint=hunter2&p=B2C_1_x&state=hunter2",
      "https://h.example/" + String(repeating: "hunter2", count: 5_000),
    ])
  func secrets(text: String) throws {
    let error = try #require(throws: AuthorityFault.self) { try Authority(parsing: text, kind: nil) }
    #expect(!"\(error) \(error.error)".contains("hunt"))
  }

  @Test(
    "The error says what is wrong, and how to write it",
    arguments: ["https://contoso.b2clogin.com", "http://h.example/t"])
  func words(_ text: String) throws {
    let fault = try #require(throws: AuthorityFault.self) { try Authority(parsing: text, kind: nil) }
    let error = try #require(throws: ConnectorError.self) { try Authority(text) }
    #expect(error.code == .configuration && error.message == fault.message)
    let advice = try #require(error.recoverySuggestion)
    #expect(fault.suggestion.map { advice.hasPrefix("Write \"\($0)\".") } ?? true)
    #expect(fault.recoverySuggestion.map { advice.hasSuffix($0) } ?? true)
  }
}
