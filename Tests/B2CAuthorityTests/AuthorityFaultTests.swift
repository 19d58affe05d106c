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
    var kind: Authority.Kind?
    let fault: Fault
    var suggestion: String?

    var testDescription: String { String(text.prefix(100).debugDescription) }
  }

  @Test(
    "Each fault has its name, and a correction where it is known",
    arguments: [
      // No URL.
      Row(text: "", fault: .noScheme),
      Row(text: "  \n", fault: .noScheme),
      Row(text: "   ", fault: .noScheme),
      Row(text: "contoso", fault: .noScheme),
      Row(
        text: "Contoso.onmicrosoft.com", fault: .noScheme,
        suggestion: "https://contoso.b2clogin.com/Contoso.onmicrosoft.com/"),
      Row(text: "7bf688ce-8139-4ca8-9391-02fdb6f86d67", fault: .noScheme),
      Row(
        text: "contoso.b2clogin.com/contoso.onmicrosoft.com", fault: .noScheme,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      Row(text: "://contoso.b2clogin.com/", fault: .notAURL),
      Row(
        text: "https:contoso.b2clogin.com/contoso.onmicrosoft.com", fault: .noScheme,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      Row(
        text: "HTTP:/contoso.b2clogin.com/contoso.onmicrosoft.com", fault: .noScheme,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      Row(
        text: "//contoso.b2clogin.com/contoso.onmicrosoft.com", fault: .noScheme,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      Row(text: "1&://h/t", fault: .notAURL),
      Row(text: "https://h/" + String(repeating: "a", count: 2_048), fault: .notAURL),
      // Scheme.
      Row(
        text: "http://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x", fault: .insecureScheme,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x"),
      // Two faults: the corrected text would have the other.
      Row(text: "http://contoso.b2clogin.com", fault: .insecureScheme),
      Row(text: "contoso.b2clogin.com", fault: .noScheme),
      Row(text: "http://192.168.0.1/tenant", fault: .insecureScheme, suggestion: "https://192.168.0.1/tenant"),
      Row(
        text: "http://127.0.0.1.example.com/t", fault: .insecureScheme, suggestion: "https://127.0.0.1.example.com/t"),
      Row(text: "ftp://login.contoso.com/t", fault: .insecureScheme, suggestion: "https://login.contoso.com/t"),
      // User-info: never a suggestion, since the host behind it may not be the one that was meant.
      Row(text: "https://user:hunter2@contoso.b2clogin.com/contoso.onmicrosoft.com", fault: .userInfo),
      Row(text: "https://login.microsoftonline.com@evil.example/common", fault: .userInfo),
      Row(text: "https://@contoso.b2clogin.com/contoso.onmicrosoft.com", fault: .userInfo),
      // Fragment, backslash, characters.
      Row(
        text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/#id_token=hunter2", fault: .notAURL,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      Row(
        text: "https:\\\\contoso.b2clogin.com\\contoso.onmicrosoft.com", fault: .notAURL,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      Row(text: "https://login.microsoftonline.com\\@evil.example/common", fault: .notAURL),
      Row(
        text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com\n", fault: .notAURL,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      Row(
        text: "https://contoso.b2clogin.com/\u{200B}contoso.onmicrosoft.com", fault: .foreign,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      Row(
        text: "https://contoso.b2clogin.com/a\u{0}b", fault: .foreign,
        suggestion: "https://contoso.b2clogin.com/ab/"),
      Row(
        text: "\u{FEFF}https://contoso.b2clogin.com/contoso.onmicrosoft.com", fault: .foreign,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      Row(
        text: " https://contoso.b2clogin.com/ contoso.onmicrosoft.com ", fault: .notAURL,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      Row(text: "https://login.microsoftonline.com/<your tenant>.onmicrosoft.com", fault: .notAURL),
      Row(text: "https://login.microsoftonline.com/<tenant>.onmicrosoft.com", fault: .notAURL),
      Row(text: "https://{tenant}.b2clogin.com/{tenant}.onmicrosoft.com/{policy}", fault: .notAURL),
      // Port.
      Row(text: "https://login.contoso.com:99999/t", fault: .notAURL),
      Row(text: "https://login.contoso.com:0/t", fault: .notAURL),
      Row(text: "https://login.contoso.com:/t", fault: .notAURL),
      Row(text: "https://login.contoso.com:443x/t", fault: .notAURL),
      Row(text: "https://login.contoso.com:+443/t", fault: .notAURL),
      Row(text: "https://login.contoso.com:0443/t", fault: .notAURL),
      Row(text: "https://a:b:443/t", fault: .notAURL),
      Row(text: "http://127.0.0.1:port/tenant", fault: .notAURL),
      // Host.
      Row(text: "https:///contoso.onmicrosoft.com", fault: .invalidHost),
      Row(text: "https://.contoso.com/t", fault: .invalidHost),
      Row(text: "https://login..contoso.com/t", fault: .invalidHost),
      Row(text: "https://-login.contoso.com/t", fault: .invalidHost),
      Row(text: "https://login_x.contoso.com/t", fault: .invalidHost),
      Row(text: "https://login%2Econtoso.com/t", fault: .invalidHost),
      Row(text: "https://" + String(repeating: "a", count: 64) + ".com/t", fault: .invalidHost),
      Row(text: "https://bücher.example/t", fault: .foreign, suggestion: "https://xn--bcher-kva.example/t"),
      Row(
        text: "http://login.bu\u{308}cher.example:8443/t", fault: .foreign,
        suggestion: nil),
      Row(
        text: "login.m\u{FC}ller.example/realms/a", fault: .foreign,
        suggestion: "https://login.xn--mller-kva.example/realms/a"),
      Row(
        text: "https://\u{43F}\u{440}\u{438}\u{43C}\u{435}\u{440}.\u{440}\u{444}/a", fault: .foreign,
        suggestion: "https://xn--e1afmkfd.xn--p1ai/a"),
      // One alphabet in a label, or look-alikes of another host.
      Row(text: "https://login.micros\u{43E}ftonline.com/common", fault: .foreign),
      Row(text: "https://l\u{3BF}gin.example/t", fault: .foreign),
      Row(
        text: "https://contoso.b2clogin\u{FF0E}com/contoso.onmicrosoft.com", fault: .foreign,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      Row(
        text: "https://contoso.b2clogin\u{3002}com/contoso.onmicrosoft.com", fault: .foreign,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      Row(
        text: "https://\u{FF43}ontoso.b2clogin.com/contoso.onmicrosoft.com", fault: .foreign,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      Row(
        text: "https://contoso.b2c\u{AD}login.com/contoso.onmicrosoft.com", fault: .foreign,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      Row(
        text: "m\u{FC}ller.ex\u{200D}ample/t", fault: .foreign, suggestion: "https://xn--mller-kva.example/t"),
      Row(text: "https://user@b\u{FC}cher.example/t", fault: .foreign),
      // Signs that look like a slash.
      Row(text: "https://contoso.example\u{2044}evil.example/t", fault: .foreign),
      Row(text: "https://contoso.example\u{FF0F}evil.example/t", fault: .foreign),
      Row(text: "https://login.contoso.com./t", fault: .invalidHost),
      Row(text: "https://127.1/t", fault: .invalidHost),
      Row(text: "https://2130706433/t", fault: .invalidHost),
      Row(text: "https://0x7f.0.0.0x1/t", fault: .invalidHost),
      Row(text: "https://127.0.0.01/t", fault: .invalidHost),
      Row(text: "https://256.0.0.1/t", fault: .invalidHost),
      Row(text: "https://[2001:db8::1]/t", fault: .invalidHost),
      Row(text: "https://[::1/t", fault: .notAURL),
      Row(text: "https://[::1]x/t", fault: .notAURL),
      Row(
        text: "https://b2clogin.com/contoso.onmicrosoft.com/B2C_1_x", fault: .invalidHost,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x"),
      Row(
        text: "https://contoso.onmicrosoft.com/B2C_1_x", fault: .invalidHost,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      Row(
        text: "https://contoso.partner.onmschina.cn", fault: .invalidHost,
        suggestion: "https://contoso.b2clogin.cn/contoso.partner.onmschina.cn/"),
      // Path.
      Row(text: "https://contoso.b2clogin.com/%zz", fault: .notAURL),
      Row(text: "https://contoso.b2clogin.com/contoso%", fault: .notAURL),
      Row(text: "https://contoso.b2clogin.com/contoso%2Fx", fault: .invalidPath),
      Row(text: "https://contoso.b2clogin.com/contoso%00x", fault: .invalidPath),
      Row(text: "https://contoso.b2clogin.com/../x", fault: .invalidPath),
      Row(text: "https://contoso.b2clogin.com/%2e%2E/x", fault: .invalidPath),
      Row(text: "https://contoso.b2clogin.com/conto|so", fault: .notAURL),
      Row(
        text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x/SelfAsserted", fault: .invalidPath,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x"),
      Row(
        text: "https://login.microsoftonline.com/common/oauth2/nativeclient", fault: .invalidPath,
        suggestion: "https://login.microsoftonline.com/common/"),
      Row(
        text: "https://login.microsoftonline.com/contoso.onmicrosoft.com/SignIn", fault: .invalidPath,
        suggestion: "https://login.microsoftonline.com/contoso.onmicrosoft.com/"),
      // Tenant.
      Row(
        text: "https://contoso.b2clogin.com", fault: .tenantNotNamed,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      Row(
        text: "https://contoso.b2clogin.com/tfp/B2C_1_x", fault: .tenantNotNamed,
        suggestion: "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_x"),
      Row(
        text: "https://contoso.b2clogin.com/B2C_1_x", fault: .tenantNotNamed,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x"),
      Row(
        text: "https://contoso.b2clogin.cn/?p=B2C_1_x", fault: .tenantNotNamed,
        suggestion: "https://contoso.b2clogin.cn/contoso.partner.onmschina.cn/?p=B2C_1_x"),
      Row(
        text: "https://login.microsoftonline.com/", fault: .missingTenant,
        suggestion: "https://login.microsoftonline.com/common/"),
      Row(text: "https://login.ciamlogin.com/", fault: .missingTenant),
      Row(text: "https://login.contoso.com/", kind: .ciam, fault: .missingTenant),
      Row(text: "https://login.contoso.com/?p=B2C_1_x", fault: .tenantNotNamed),
      Row(
        text: "https://contoso.b2clogin.com/common/B2C_1_x", fault: .tenantNotNamed,
        suggestion: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x"),
      Row(text: "https://login.microsoftonline.com/common?p=B2C_1_x", fault: .tenantNotNamed),
      Row(text: "https://contoso.b2clogin.com/con@toso/B2C_1_x", fault: .invalidTenant),
      Row(text: "https://contoso.b2clogin.com/contoso..com/B2C_1_x", fault: .invalidTenant),
      // Policy and kind.
      Row(text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/?p=", fault: .invalidPolicy),
      Row(text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/?p=a%2Fb", fault: .invalidPolicy),
      Row(text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x?p=B2C_1_y", fault: .invalidPolicy),
      Row(text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com/?p=B2C_1_x&p=B2C_1_y", fault: .invalidPolicy),
      Row(
        text: "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=signup-signin",
        fault: .unexpectedPolicy, suggestion: "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/"),
      Row(
        text: "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/B2C_1_x", fault: .unexpectedPolicy,
        suggestion: "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/"),
      Row(
        text: "https://login.microsoftonline.com/contoso.onmicrosoft.com/B2C_1_x", kind: .entra,
        fault: .unexpectedPolicy,
        suggestion: "https://login.microsoftonline.com/contoso.onmicrosoft.com/"),
      Row(
        text: "https://login.contoso.com/t?p=x", kind: .openIDConnect, fault: .unexpectedQuery,
        suggestion: "https://login.contoso.com/t"),
      Row(text: "https://contoso.b2clogin.com/contoso.onmicrosoft.com", kind: .ciam, fault: .kindMismatch),
      Row(text: "https://contoso.ciamlogin.com/", kind: .b2c, fault: .kindMismatch),
    ])
  func refusals(row: Row) throws {
    let error = try #require(throws: AuthorityFault.self) { try Authority(parsing: row.text, kind: row.kind) }
    #expect(error.message.contains(row.fault.rawValue), "\(error.message)")
    #expect(error.suggestion == row.suggestion)
    #expect(!error.message.isEmpty)
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
