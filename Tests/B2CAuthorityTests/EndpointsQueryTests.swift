import B2CAuthority
import Foundation
import Testing

@Suite struct EndpointsQueryTests {
  @Test(
    "Parameters are appended to an existing query",
    arguments: [
      ("https://h/a", "https://h/a?n=v"),
      ("https://h/a?", "https://h/a?n=v"),
      ("https://h/a?p=x", "https://h/a?p=x&n=v"),
      ("https://h/a?p=x&", "https://h/a?p=x&n=v"),
      ("https://h/a?q=%zz+1", "https://h/a?q=%25zz+1&n=v"),
      ("https://h/a?p=x#f", "https://h/a?p=x&n=v"),
    ])
  func appending(url: String, expected: String) throws {
    let url = try #require(URL(string: url))
    #expect(try Endpoints.appending([("n", "v")], to: url).absoluteString == expected)
  }

  @Test("Everything except the unreserved characters is escaped")
  func escaping() throws {
    let url = try #require(URL(string: "https://h/a"))
    let made = try Endpoints.appending([("a b", "+;'/:?&=#@\u{E9}\u{1F600}"), ("~-._", "~-._")], to: url)
    #expect(
      made.absoluteString
        == "https://h/a?a%20b=%2B%3B%27%2F%3A%3F%26%3D%23%40%C3%A9%F0%9F%98%80&~-._=~-._")
  }

  @Test("Without parameters a URL stays unchanged")
  func nothingToAppend() throws {
    let url = try #require(URL(string: "https://h/a?p=x#f"))
    #expect(try Endpoints.appending([], to: url) == url)
  }
}
