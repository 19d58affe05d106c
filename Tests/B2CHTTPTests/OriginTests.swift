import B2CHTTP
import Foundation
import Testing

struct OriginTests {
  @Test(
    "An origin is the same for every spelling of it",
    arguments: [
      ("https://Example.COM/a?b#c", "https://example.com"), ("https://example.com:443", "https://example.com"),
      ("https://example.com:8443/", "https://example.com:8443"), ("http://127.0.0.1:80", "http://127.0.0.1"),
      ("http://[::1]:3000/tasks", "http://[::1]:3000"), ("https://[::FFFF:192.0.2.1]/", "https://[::ffff:192.0.2.1]"),
      ("https://example.com/a@b:c?d[]=https://e@f/g#h@i", "https://example.com"),
      ("https://a.example?b", "https://a.example"),
      ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example"),
    ])
  func isTheSameForEverySpelling(text: String, origin: String) throws {
    let url = try #require(URL(string: text))
    #expect(Origin(url)?.description == origin)
  }

  @Test(
    "A URL that readers take differently has no origin",
    arguments: [
      "https://user@example.com/", "https://user:password@example.com/", "https://ex%61mple.com/", "mailto:a@b.c",
      "file:///etc/hosts", "https:///path", "tasks", "https://a\\@b.example/", "https://[api.example]/",
      "https://[api.example]:443/", "https://[127.0.0.1]/", "https://[v1.x]/", "https://[]/",
      "https://a.example:65536/",
      "https://a.example:99999999999999999999/", "https://a.example:18446744073709552059/", "https://a.example:0/",
      "https://a.example:-1/", "https://[::1]:99999999999999999999/", "https://a.example:/", "https://a.example:0443/",
      "https://@a.example/", "https://:@a.example/", "https://[a.b:c]/", "https://[::1%25lo]/", "https://[::1/",
    ])
  func isNoneWhereReadersDisagree(text: String) throws {
    guard let url = URL(string: text) else { return }
    #expect(Origin(url) == nil)
  }

  @Test("Schemes, hosts and ports make different origins")
  func different() throws {
    let texts = ["https://a.example", "http://a.example", "https://a.example:444", "https://b.a.example"]
    let origins = texts.compactMap { URL(string: $0).flatMap { Origin($0) } }
    #expect(Set(origins).count == 4)
  }
}
