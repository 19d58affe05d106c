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
