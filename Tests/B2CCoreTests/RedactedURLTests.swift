import B2CCore
import Foundation
import Testing

@Suite struct RedactedURLTests {
  @Test(arguments: [
    ("https://h/a", "https://h/a"),
    ("https://h:8443/a/b", "https://h:8443/a/b"),
    ("http://[::1]:8080/a", "http://[::1]:8080/a"),
    ("https://xn--bcher-kva.example/a", "https://xn--bcher-kva.example/a"),
    ("https://user:canary@h/a", "https://h/a"),
    ("https://h/a#access_token=canary", "https://h/a"),
    ("https://h/a?code=canary&state=canary", "https://h/a?code=…&state=…"),
    (
      "https://h/a?p=B2C_1_x&client_id=1&code=canary&scope=a%20b",
      "https://h/a?p=B2C_1_x&client_id=1&code=…&scope=a%20b"
    ),
    ("https://h/a?canary", "https://h/a?canary=…"),
    ("https://h/a?code=canary=canary", "https://h/a?code=…"),
    (
      "https://h/a?login_hint=canary&id_token_hint=canary&nonce=canary",
      "https://h/a?login_hint=…&id_token_hint=…&nonce=…"
    ),
    ("https://h/a?error=access_denied&error_description=canary", "https://h/a?error=access_denied&error_description=…"),
    ("https://h/a?%63ode=canary", "https://h/a?%63ode=…"),
    ("urn:ietf:wg:oauth:2.0:oob?code=canary", "urn:ietf:wg:oauth:2.0:oob?code=…"),
    ("msauth.com.example://auth?code=canary", "msauth.com.example://auth?code=…"),
    ("https://h/a?", "https://h/a"),
  ])
  func namesStayValuesGo(url: String, shown: String) throws {
    #expect(try RedactedURL(#require(URL(string: url))).description == shown)
  }
}
