import B2CCore
import Foundation
import Testing

@Suite struct URLComponentsPlainTests {
  @Test(
    "A URL that all readers read alike is read, and is the same again",
    arguments: [
      "https://user:p@host.example:8443/a/b?c=d?e#f", "http://[::1]:80/", "com.contoso.tasks:/redirect",
      "urn:ietf:wg:oauth:2.0:oob", "localhost:3000/tasks", "//host/a", "/a:b", "https://h?x", "https://h/a%20b?c=%5Bd",
    ])
  func roundTrip(text: String) throws {
    #expect(try #require(URLComponents(plain: text)).string == text)
  }

  @Test(
    "A URL that readers disagree on, or that Foundation repairs, is not read",
    arguments: [
      "https://h/a b", "https://h/%2", "https://h/%zz", "https://h/\u{E9}", "https://h\\@evil/", "https://h/<a>",
      "https://h/{a}", "https://h/\u{0}", "https://h/\n", "https://a:b:443/t", "https://user@@h/", "https://h/a[b",
      "https://h:0/", "https://h:65536/", "https://h:0443/", "https://h:/", "https://h:99999999999999999999/",
      "https://h:44x/", "https://[::1]x/", "my_app:/r",
    ])
  func refused(text: String) {
    #expect(URLComponents(plain: text) == nil)
  }

  @Test(
    "A port at the end of the path is found",
    arguments: [
      ("http://localhost/tasks:3000", "/tasks", 3000), ("https://h/tasks:8443/", "/tasks/", 8443),
      ("https://h/a:b", nil, nil), ("https://h/a:0", nil, nil), ("https://h/a:65536", nil, nil),
      ("https://h:80/a:443", nil, nil), ("https://h/a:0443", nil, nil),
    ] as [(String, String?, Int?)])
  func portInPath(text: String, path: String?, port: Int?) throws {
    let found = try #require(URLComponents(plain: text)).portInPath
    #expect(found?.path == path && found?.port == port)
  }
}
