import B2CCore
import Testing

@Suite("URL parts")
struct URLPartsTests {
  @Test(
    "A text is split at its delimiters, and put together again as it was",
    arguments: [
      "https://user:p@ss@host.example:8443/a/b?c=d?e#f#g", "http://[::1]:80/", "com.contoso.tasks:/redirect",
      "urn:ietf:wg:oauth:2.0:oob", "localhost:3000/tasks", "//host/a", "/a:b", "", "https://h?x", "https://a:b:443/t",
    ])
  func roundTrip(text: String) {
    #expect(URLParts(text).text == text)
  }

  @Test(
    "An address of IPv6 has eight groups, or one gap (RFC 4291 section 2.2)",
    arguments: [
      ("::", true), ("::1", true), ("1::", true), ("fe80::1:2", true), ("1:2:3:4:5:6:7:8", true),
      ("::ffff:127.0.0.1", true), ("1:2:3:4:5:6:1.2.3.4", true), ("FE80::ABCD", true), ("1::8", true),
      ("", false), (":", false), (":1", false), ("1:", false), (":::", false), ("1::2::3", false), ("1:2", false),
      ("1:2:3:4:5:6:7:8:9", false), ("1:2:3:4:5:6:7::8", false), ("12345::", false), ("g::", false),
      ("api.example", false), ("127.0.0.1", false), ("::1.2.3", false), ("::1.2.3.400", false), ("::01.2.3.4", false),
      ("1.2.3.4::", false), ("v1.x", false), ("fe80::1%25lo", false), ("::+1", false), ("\u{FF11}::", false),
    ])
  func addresses(_ text: String, _ isAddress: Bool) {
    #expect(URLParts.isIPv6(text) == isAddress)
  }

  @Test("Each part is found where RFC 3986 has it")
  func parts() {
    let parts = URLParts("https://user:p@ss@host.example:8443/a/b?c=d?e#f#g")
    #expect(parts.scheme == "https")
    #expect(parts.userInfo == "user:p@ss")
    #expect(parts.host == "host.example")
    #expect(parts.port == "8443")
    #expect(parts.path == "/a/b")
    #expect(parts.query == "c=d?e")
    #expect(parts.fragment == "f#g")
    #expect(URLParts("http://[::1]:80/").host == "[::1]")
    #expect(URLParts("localhost:3000/tasks").scheme == "localhost")
    #expect(URLParts("/a:b").scheme == nil)
  }

  @Test(
    "A port is a number from 1 to 65535 without leading zeros",
    arguments: [
      ("1", true), ("443", true), ("65535", true), ("0", false), ("65536", false), ("0443", false), ("+443", false),
      ("", false), ("44x", false),
    ])
  func ports(text: String, isPort: Bool) {
    #expect(URLParts.isPort(text) == isPort)
  }

  @Test("Characters that no URL has, and incomplete escapes, are found")
  func strayCharacters() {
    #expect(URLParts.strayCharacter(in: "https://h/a%20b?c[d]") == nil)
    #expect(URLParts.strayCharacter(in: "https://h/a b") == " ")
    #expect(URLParts.strayCharacter(in: "https://h/%2") == "%")
    #expect(URLParts.strayCharacter(in: "https://h/\u{E9}") == "\u{E9}")
    #expect(URLParts.isSegment("a+b;c%2F@"))
    #expect(!URLParts.isSegment("a/b"))
    #expect(!URLParts.isSegment("a[b"))
  }
}
