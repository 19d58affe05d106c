import B2CCore
import Foundation
import Testing

@Suite struct RedactedURLTests {
  @Test(
    "A redacted URL has no user, query or fragment",
    arguments: [
      ("https://h/a", "https://h/a"),
      ("https://h:8443/a/b", "https://h:8443/a/b"),
      ("http://[::1]:8080/a", "http://[::1]:8080/a"),
      ("https://xn--bcher-kva.example/a", "https://xn--bcher-kva.example/a"),
      ("https://user:canary@h/a", "https://h/a"),
      ("https://h/a#access_token=canary", "https://h/a"),
      ("https://h/a?code=canary&state=canary", "https://h/a"),
      ("urn:ietf:wg:oauth:2.0:oob?code=canary", "urn:ietf:wg:oauth:2.0:oob"),
      ("msauth.com.example://auth?code=canary", "msauth.com.example://auth"),
      ("https://h/a?", "https://h/a"),
    ])
  func secretsGo(url: String, shown: String) throws {
    #expect(try #require(URL(string: url)).redacted == shown)
  }
}
