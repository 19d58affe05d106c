import B2CAuthority
import Foundation
import Testing

/// URLs by the cases of RFC 3986 and of the WHATWG URL Standard (url.spec.whatwg.org): what one parser repairs and another
/// refuses, or two read in two ways, is refused here with a suggestion where one is safe.
@Suite("Authorities by the cases of RFC 3986 and the WHATWG URL Standard")
struct AuthorityURLCasesTests {
  @Test(
    "A URL that parsers read in different ways is refused",
    arguments: [
      // WHATWG scheme start and special authority slashes states: missing and superfluous slashes.
      "https:contoso.b2clogin.com/t.onmicrosoft.com", "https:/contoso.b2clogin.com/t.onmicrosoft.com",
      "https:///contoso.b2clogin.com/t.onmicrosoft.com", "//contoso.b2clogin.com/t.onmicrosoft.com",
      "https:\\\\contoso.b2clogin.com\\t.onmicrosoft.com",
      "https://contoso.b2clogin.com\\@evil.example/t.onmicrosoft.com",
      // Leading and trailing C0 controls and spaces, tabs and newlines within: stripped by WHATWG, refused by RFC 3986.
      " https://contoso.b2clogin.com/t.onmicrosoft.com", "https://contoso.b2clogin.com/t.onmicrosoft.com\u{0}",
      "https://con\ttoso.b2clogin.com/t.onmicrosoft.com", "https://contoso.b2clogin.com/t.onmicro\nsoft.com",
      "ht\ntps://contoso.b2clogin.com/t.onmicrosoft.com",
      // User-info (RFC 3986 section 3.2.1 and 7.6: semantic attacks).
      "https://contoso.b2clogin.com@evil.example/t.onmicrosoft.com", "https://@contoso.b2clogin.com/t.onmicrosoft.com",
      "https://:@contoso.b2clogin.com/t.onmicrosoft.com", "https://a:b@c:d@contoso.b2clogin.com/t.onmicrosoft.com",
      "https://contoso.b2clogin.com%40evil.example/t.onmicrosoft.com",
      "https://evil.example#@contoso.b2clogin.com/t.onmicrosoft.com",
      // Forbidden host code points and percent-encoded hosts (RFC 3986 section 3.2.2 lets a host have escapes).
      "https://contoso%2Eb2clogin.com/t.onmicrosoft.com", "https://%63ontoso.b2clogin.com/t.onmicrosoft.com",
      "https://contoso.b2clogin.com%00.evil.example/t.onmicrosoft.com",
      "https://con^toso.b2clogin.com/t.onmicrosoft.com",
      "https://con|toso.b2clogin.com/t.onmicrosoft.com", "https://con<toso.b2clogin.com/t.onmicrosoft.com",
      "https://con toso.b2clogin.com/t.onmicrosoft.com", "https://con!toso.b2clogin.com/t.onmicrosoft.com",
      "https://con_toso.b2clogin.com/t.onmicrosoft.com", "https://-contoso.b2clogin.com/t.onmicrosoft.com",
      "https://contoso..b2clogin.com/t.onmicrosoft.com", "https://.contoso.b2clogin.com/t.onmicrosoft.com",
      "https://contoso.b2clogin.com./t.onmicrosoft.com", "https:///t.onmicrosoft.com", "https://",
      // Domain to ASCII: other scripts, full-width letters and dots, soft hyphens, ignorable characters.
      "https://c\u{43E}ntoso.b2clogin.com/t.onmicrosoft.com", "https://\u{FF43}ontoso.b2clogin.com/t.onmicrosoft.com",
      "https://contoso\u{3002}b2clogin.com/t.onmicrosoft.com", "https://con\u{AD}toso.b2clogin.com/t.onmicrosoft.com",
      "https://con\u{200B}toso.b2clogin.com/t.onmicrosoft.com", "https://contoso.b2clogin.com\u{2044}evil.example/t",
      "https://contoso.b2clogin.com\u{2100}evil.example/t.onmicrosoft.com",
      // WHATWG IPv4 parser: numbers in other bases, fewer parts, overflow.
      "http://0x7f000001/t", "http://0x7f.1/t", "http://127.1/t", "http://2130706433/t", "http://0177.0.0.1/t",
      "http://127.0.0.256/t", "http://127.0.0.1.5/t", "http://127.0.0.01/t", "http://1.2.3/t", "http://127.0.0.1./t",
      "http://256.256.256.256/t", "http://\u{661}27.0.0.1/t",
      // IPv6 and IPvFuture literals (RFC 3986 section 3.2.2, RFC 6874 zones).
      "https://[::ffff:127.0.0.1]/t", "https://[0:0:0:0:0:0:0:1]/t", "https://[::1%25lo]/t", "https://[v1.a]/t",
      "https://[::1/t",
      "https://::1]/t", "https://[]/t", "https://[::1]x/t", "https://[::g]/t", "https://::1/t",
      // Ports (RFC 3986 section 3.2.3; WHATWG takes leading zeros and an empty port).
      "https://contoso.b2clogin.com:/t.onmicrosoft.com", "https://contoso.b2clogin.com:0/t.onmicrosoft.com",
      "https://contoso.b2clogin.com:65536/t.onmicrosoft.com", "https://contoso.b2clogin.com:00443/t.onmicrosoft.com",
      "https://contoso.b2clogin.com:+443/t.onmicrosoft.com", "https://contoso.b2clogin.com:4x3/t.onmicrosoft.com",
      "https://contoso.b2clogin.com:443:443/t.onmicrosoft.com",
      "https://contoso.b2clogin.com:\u{664}43/t.onmicrosoft.com",
      // Dot segments, in all their spellings (RFC 3986 section 5.2.4; WHATWG single- and double-dot segments).
      "https://contoso.b2clogin.com/../t.onmicrosoft.com", "https://contoso.b2clogin.com/./t.onmicrosoft.com",
      "https://contoso.b2clogin.com/t.onmicrosoft.com/..", "https://contoso.b2clogin.com/%2e%2e/t.onmicrosoft.com",
      "https://contoso.b2clogin.com/.%2E/t.onmicrosoft.com", "https://contoso.b2clogin.com/%2e/t.onmicrosoft.com",
      "https://contoso.b2clogin.com/t.onmicrosoft.com%2Fother",
      "https://contoso.b2clogin.com/t.onmicrosoft.com%5Cother",
      // Invalid escapes (RFC 3986 section 2.1), and characters that no URL has.
      "https://contoso.b2clogin.com/t.onmicrosoft.com/%", "https://contoso.b2clogin.com/t.onmicrosoft.com/%zz",
      "https://contoso.b2clogin.com/t.onmicrosoft.com/%4", "https://contoso.b2clogin.com/t.onmicrosoft.com/B2C_1_\"a",
      "https://contoso.b2clogin.com/t.onmicrosoft.com/[B2C_1_a]", "https://contoso.b2clogin.com/t.onmicrosoft.com/%00",
      // Fragments and other schemes.
      "https://contoso.b2clogin.com/t.onmicrosoft.com#", "https://contoso.b2clogin.com/t.onmicrosoft.com#a",
      "http://contoso.b2clogin.com/t.onmicrosoft.com", "ftp://contoso.b2clogin.com/t.onmicrosoft.com",
      "file:///t.onmicrosoft.com",
      "javascript://contoso.b2clogin.com/%0aalert(1)", "data:text/plain,t",
      "blob:https://contoso.b2clogin.com/t.onmicrosoft.com",
      "wss://contoso.b2clogin.com/t.onmicrosoft.com", "https+x://contoso.b2clogin.com/t.onmicrosoft.com",
      "1https://contoso.b2clogin.com/t.onmicrosoft.com",
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
      ("https://contoso.b2clogin.com/t.onmicrosoft.com", "contoso.b2clogin.com", nil),
      ("HTTPS://CONTOSO.B2CLOGIN.COM/t.onmicrosoft.com", "contoso.b2clogin.com", nil),
      ("https://contoso.b2clogin.com:443/t.onmicrosoft.com", "contoso.b2clogin.com", nil),
      ("https://contoso.b2clogin.com//t.onmicrosoft.com/", "contoso.b2clogin.com", nil),
      ("https://issuer.example:8443/a/b", "issuer.example", 8443), ("http://localhost:80/t", "localhost", nil),
      ("http://127.0.0.1:8080/t", "127.0.0.1", 8080), ("http://[::1]:8080/t", "::1", 8080),
      ("https://192.0.2.1/t", "192.0.2.1", nil),
      ("https://xn--bcher-kva.example/t", "xn--bcher-kva.example", nil),
      ("https://a-b.c--d.example/t", "a-b.c--d.example", nil),
      ("https://1a.example/t", "1a.example", nil), ("https://issuer.example/a%20b;c=d/e@f:g", "issuer.example", nil),
      ("https://issuer.example/~a_b.c-d!$&'()*+,;=", "issuer.example", nil),
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
