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

  /// Texts with the same fault and the same correction, if there is one.
  struct Row: Sendable, CustomTestStringConvertible {
    let fault: Fault
    let texts: [String]
    let kind: Authority.Kind?
    let correction: String?

    init(_ fault: Fault, _ texts: String..., kind: Authority.Kind? = nil, to correction: String? = nil) {
      (self.fault, self.texts, self.kind, self.correction) = (fault, texts, kind, correction)
    }

    var testDescription: String { "\(fault): \(texts.joined(separator: " or ").prefix(200).debugDescription)" }
  }

  static let addresses: [Row] = [
    // The scheme.
    Row(.noScheme, "", "  \n", "contoso", guid, "contoso.b2clogin.com"),
    Row(.noScheme, "Contoso.onmicrosoft.com", to: "https://contoso.b2clogin.com/Contoso.onmicrosoft.com/"),
    Row(
      .noScheme, "contoso.b2clogin.com/contoso.onmicrosoft.com", "https:contoso.b2clogin.com/contoso.onmicrosoft.com",
      "HTTP:/contoso.b2clogin.com/contoso.onmicrosoft.com", "//contoso.b2clogin.com/contoso.onmicrosoft.com",
      to: "\(contoso)/"),
    Row(.insecureScheme, "http://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x", to: "\(contoso)/B2C_1_x"),
    Row(.insecureScheme, "http://192.168.0.1/tenant", to: "https://192.168.0.1/tenant"),
    Row(.insecureScheme, "http://127.0.0.1.example.com/t", to: "https://127.0.0.1.example.com/t"),
    Row(.insecureScheme, "ftp://login.contoso.com/t", to: "https://login.contoso.com/t"),
    // The corrected text would have another fault.
    Row(.insecureScheme, "http://contoso.b2clogin.com"),
    // User-info: never a suggestion, since the host behind it may not be the one that was meant.
    Row(
      .userInfo, "https://user:hunter2@contoso.b2clogin.com/contoso.onmicrosoft.com",
      "https://login.microsoftonline.com@evil.example/common", "https://@contoso.b2clogin.com/contoso.onmicrosoft.com"),
    // Fragments, backslashes, spaces, ports and escapes.
    Row(
      .notAURL, "\(contoso)/#id_token=hunter2", "https:\\\\contoso.b2clogin.com\\contoso.onmicrosoft.com",
      "\(contoso)\n", " https://contoso.b2clogin.com/ contoso.onmicrosoft.com ", to: "\(contoso)/"),
    Row(
      .notAURL, "https://login.microsoftonline.com\\@evil.example/common", "://contoso.b2clogin.com/", "1&://h/t",
      "https://login.microsoftonline.com/<your tenant>.onmicrosoft.com",
      "https://{tenant}.b2clogin.com/{tenant}.onmicrosoft.com/{policy}", "http://127.0.0.1:port/tenant",
      "https://a:b:443/t", "https://[::1/t", "\(contoso)%", "https://h/\(String(repeating: "a", count: 2_039))"),
    // Characters that cannot be seen or are not ASCII.
    Row(
      .foreign, "https://contoso.b2clogin.com/\u{200B}contoso.onmicrosoft.com", "\u{FEFF}\(contoso)",
      "https://contoso.b2clogin\u{FF0E}com/contoso.onmicrosoft.com",
      "https://contoso.b2clogin\u{3002}com/contoso.onmicrosoft.com",
      "https://\u{FF43}ontoso.b2clogin.com/contoso.onmicrosoft.com",
      "https://contoso.b2c\u{AD}login.com/contoso.onmicrosoft.com", to: "\(contoso)/"),
    Row(.foreign, "https://contoso.b2clogin.com/a\u{0}b", to: "https://contoso.b2clogin.com/ab/"),
    Row(.foreign, "https://bücher.example/t", to: "https://xn--bcher-kva.example/t"),
    Row(.foreign, "login.m\u{FC}ller.example/realms/a", to: "https://login.xn--mller-kva.example/realms/a"),
    Row(.foreign, "m\u{FC}ller.ex\u{200D}ample/t", to: "https://xn--mller-kva.example/t"),
    Row(
      .foreign, "https://\u{43F}\u{440}\u{438}\u{43C}\u{435}\u{440}.\u{440}\u{444}/a",
      to: "https://xn--e1afmkfd.xn--p1ai/a"),
    // Two alphabets in a label, or look-alikes of another host or of a slash.
    Row(
      .foreign, "https://login.micros\u{43E}ftonline.com/common", "https://l\u{3BF}gin.example/t",
      "https://contoso.example\u{2044}evil.example/t", "https://contoso.example\u{FF0F}evil.example/t",
      "https://user@b\u{FC}cher.example/t", "http://login.bu\u{308}cher.example:8443/t"),
    // The host.
    Row(
      .invalidHost, "https:///contoso.onmicrosoft.com", "https://login_x.contoso.com/t",
      "https://\(String(repeating: "a", count: 64)).com/t", "https://127.1/t", "https://0x7f.0.0.0x1/t",
      "https://[2001:db8::1]/t"),
    Row(.invalidHost, "https://b2clogin.com/contoso.onmicrosoft.com/B2C_1_x", to: "\(contoso)/B2C_1_x"),
    Row(.invalidHost, "https://contoso.onmicrosoft.com/B2C_1_x", to: "\(contoso)/"),
    Row(
      .invalidHost, "https://contoso.partner.onmschina.cn",
      to: "https://contoso.b2clogin.cn/contoso.partner.onmschina.cn/"),
  ]

  static let paths: [Row] = [
    Row(.invalidPath, "https://contoso.b2clogin.com/contoso%2Fx", "https://contoso.b2clogin.com/%2e%2E/x"),
    Row(.invalidPath, "\(contoso)/B2C_1_x/SelfAsserted", to: "\(contoso)/B2C_1_x"),
    Row(.invalidPath, "\(entra)/common/oauth2/nativeclient", to: "\(entra)/common/"),
    Row(.invalidPath, "\(entra)/contoso.onmicrosoft.com/SignIn", to: "\(entra)/contoso.onmicrosoft.com/"),
    Row(.tenantNotNamed, "https://contoso.b2clogin.com", to: "\(contoso)/"),
    Row(
      .tenantNotNamed, "https://contoso.b2clogin.com/tfp/B2C_1_x",
      to: "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_x"),
    Row(
      .tenantNotNamed, "https://contoso.b2clogin.com/B2C_1_x", "https://contoso.b2clogin.com/common/B2C_1_x",
      to: "\(contoso)/B2C_1_x"),
    Row(
      .tenantNotNamed, "https://contoso.b2clogin.cn/?p=B2C_1_x",
      to: "https://contoso.b2clogin.cn/contoso.partner.onmschina.cn/?p=B2C_1_x"),
    Row(.tenantNotNamed, "\(custom)/?p=B2C_1_x", "\(entra)/common?p=B2C_1_x"),
    Row(.missingTenant, "\(entra)/", to: "\(entra)/common/"),
    Row(.missingTenant, "https://login.ciamlogin.com/"),
    Row(.missingTenant, "\(custom)/", kind: .ciam),
    Row(.invalidTenant, "https://contoso.b2clogin.com/con@toso/B2C_1_x", "https://contoso.b2clogin.com/a..com/B2C_1_x"),
    // Policy and kind.
    Row(
      .invalidPolicy, "\(contoso)/?p=", "\(contoso)/?p=a%2Fb", "\(contoso)/B2C_1_x?p=B2C_1_y",
      "\(contoso)/?p=B2C_1_x&p=B2C_1_y"),
    Row(
      .unexpectedPolicy, "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=signup-signin",
      "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/B2C_1_x",
      to: "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/"),
    Row(
      .unexpectedPolicy, "\(entra)/contoso.onmicrosoft.com/B2C_1_x", kind: .entra,
      to: "\(entra)/contoso.onmicrosoft.com/"),
    Row(.unexpectedQuery, "\(custom)/t?p=x", kind: .openIDConnect, to: "\(custom)/t"),
    Row(.kindMismatch, contoso, kind: .ciam), Row(.kindMismatch, "https://contoso.ciamlogin.com/", kind: .b2c),
  ]

  @Test("Each fault has its name, and a correction where it is known", arguments: addresses + paths)
  func refusals(row: Row) throws {
    for text in row.texts {
      let error = try #require(throws: AuthorityFault.self, "\(text)") { try Authority(parsing: text, kind: row.kind) }
      #expect(error.message.contains(row.fault.rawValue), "\(text): \(error.message)")
      #expect(error.suggestion == row.correction, "\(text)")
    }
    if let correction = row.correction { _ = try Authority(correction, kind: row.kind) }
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
}

/// URLs by the cases of RFC 3986 and of the WHATWG URL Standard (url.spec.whatwg.org).
@Suite("Authorities by the cases of RFC 3986 and the WHATWG URL Standard")
struct AuthorityURLCasesTests {
  @Test(
    "A URL that parsers read in different ways is refused",
    arguments: [
      // WHATWG scheme start and special authority slashes states: missing and superfluous slashes.
      "https:a.example/t", "https:/a.example/t", "https:///a.example/t", "//a.example/t", "https:\\\\a.example\\t",
      "https://a.example\\@evil.example/t",
      // Leading and trailing C0 controls and spaces, tabs and newlines within: stripped by WHATWG, refused by RFC 3986.
      " https://a.example/t", "https://a.example/t\u{0}", "https://a.ex\tample/t", "https://a.example/t\nt",
      "ht\ntps://a.example/t",
      // User-info (RFC 3986 section 3.2.1 and 7.6: semantic attacks).
      "https://a.example@evil.example/t", "https://@a.example/t", "https://:@a.example/t",
      "https://a:b@c:d@a.example/t", "https://a.example%40evil.example/t", "https://evil.example#@a.example/t",
      // Forbidden host code points and percent-encoded hosts (RFC 3986 section 3.2.2 lets a host have escapes).
      "https://a%2Eexample/t", "https://%61.example/t", "https://a.example%00.evil.example/t", "https://a^b.example/t",
      "https://a|b.example/t", "https://a<b.example/t", "https://a b.example/t", "https://a!b.example/t",
      "https://a_b.example/t", "https://-a.example/t", "https://a..example/t", "https://.a.example/t",
      "https://a.example./t", "https:///t", "https://",
      // Domain to ASCII: a character of several letters. The rows of `addresses` have more.
      "https://a.example\u{2100}evil.example/t",
      // WHATWG IPv4 parser: numbers in other bases, fewer parts, overflow.
      "http://0x7f000001/t", "http://0x7f.1/t", "http://127.1/t", "http://2130706433/t", "http://0177.0.0.1/t",
      "http://127.0.0.256/t", "http://127.0.0.1.5/t", "http://127.0.0.01/t", "http://1.2.3/t", "http://127.0.0.1./t",
      "http://256.256.256.256/t", "http://\u{661}27.0.0.1/t",
      // The same over https, which only the host can refuse.
      "https://0x7f000001/t", "https://2130706433/t", "https://127.0.0.01/t", "https://256.0.0.1/t", "https://1.2.3/t",
      // IPv6 and IPvFuture literals (RFC 3986 section 3.2.2, RFC 6874 zones).
      "https://[::ffff:127.0.0.1]/t", "https://[0:0:0:0:0:0:0:1]/t", "https://[::1%25lo]/t", "https://[v1.a]/t",
      "https://[::1/t", "https://::1]/t", "https://[]/t", "https://[::1]x/t", "https://[::g]/t", "https://::1/t",
      // Ports (RFC 3986 section 3.2.3; WHATWG takes leading zeros and an empty port).
      "https://a.example:/t", "https://a.example:0/t", "https://a.example:65536/t", "https://a.example:00443/t",
      "https://a.example:+443/t", "https://a.example:4x3/t", "https://a.example:443:443/t",
      "https://a.example:\u{664}43/t",
      // Dot segments, in all their spellings (RFC 3986 section 5.2.4; WHATWG single- and double-dot segments).
      "https://a.example/../t", "https://a.example/./t", "https://a.example/t/..", "https://a.example/%2e%2e/t",
      "https://a.example/.%2E/t", "https://a.example/%2e/t", "https://a.example/t%2Fo", "https://a.example/t%5Co",
      // Invalid escapes (RFC 3986 section 2.1), and characters that no URL has.
      "https://a.example/t/%", "https://a.example/t/%zz", "https://a.example/t/%4", "https://a.example/t/\"a",
      "https://a.example/t/[a]", "https://a.example/t/%00", "https://a.example/t|t",
      // Fragments and other schemes.
      "https://a.example/t#", "https://a.example/t#a", "http://a.example/t", "ftp://a.example/t", "file:///t",
      "javascript://a.example/%0aalert(1)", "data:text/plain,t", "blob:https://a.example/t", "wss://a.example/t",
      "https+x://a.example/t", "1https://a.example/t",
    ])
  func refused(text: String) {
    let error = #expect(throws: AuthorityFault.self) { try Authority(parsing: text, kind: nil) }
    // A suggestion is an authority, and never one on a host that the text does not begin with.
    guard let suggestion = error?.suggestion else { return }
    #expect((try? Authority(suggestion)) != nil)
    #expect(!suggestion.contains("evil") || text.hasPrefix("https://evil"))
  }

  @Test(
    "A URL that all parsers read alike is accepted, and normalized by RFC 3986 section 6.2",
    arguments: [
      (contoso, "contoso.b2clogin.com", nil), (contoso.uppercased(), "contoso.b2clogin.com", nil),
      ("https://contoso.b2clogin.com:443/t.onmicrosoft.com", "contoso.b2clogin.com", nil),
      ("https://contoso.b2clogin.com//t.onmicrosoft.com/", "contoso.b2clogin.com", nil),
      ("https://issuer.example:8443/a/b", "issuer.example", 8443), ("http://localhost:80/t", "localhost", nil),
      ("http://127.0.0.1:8080/t", "127.0.0.1", 8080), ("http://[::1]:8080/t", "::1", 8080),
      ("https://192.0.2.1/t", "192.0.2.1", nil), ("https://xn--bcher-kva.example/t", "xn--bcher-kva.example", nil),
      ("https://a-b.c--d.example/t", "a-b.c--d.example", nil), ("https://1a.example/t", "1a.example", nil),
      ("https://issuer.example/a%20b;c=d/e@f:g", "issuer.example", nil),
      ("https://issuer.example/~a_b.c-d!$&'()*+,;=", "issuer.example", nil),
      ("https://h/\(String(repeating: "a", count: 2_038))", "h", nil),
      ("https://\(String(repeating: "a", count: 63)).com/t", "\(String(repeating: "a", count: 63)).com", nil),
    ] as [(String, String, Int?)])
  func accepted(text: String, host: String, port: Int?) throws {
    let authority = try Authority(text)
    #expect(authority.host.lowercased() == host)
    // Foundation reads the URL that is used, so no reading is compared with itself.
    #expect(authority.baseURL.host?.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]")) == host)
    #expect(authority.baseURL.port == port)
    #expect(try Authority(authority.description) == authority)
  }
}
