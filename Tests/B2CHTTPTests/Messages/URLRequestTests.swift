import B2CHTTP
import Foundation
import Testing
import TestSupport

struct URLRequestTests {
  private func request(_ method: String = "GET", body: Data? = nil) throws -> URLRequest {
    URLRequest(method: method, url: try #require(URL(string: "https://api.example.com/me?$select=id")), body: body)
  }

  @Test("The shorter timeout counts, and zero is no timeout", arguments: [(5.0, 5.0), (600, 15), (0, 15)])
  func timeout(of request: Double, becomes expected: Double) throws {
    var source = try self.request()
    source.timeoutInterval = request
    #expect(URLSessionTransport.outgoing(source, .standard).timeoutInterval == expected)
  }

  @Test("A body that cannot be sent twice is refused")
  func stream() throws {
    var request = try request("POST")
    request.httpBodyStream = InputStream(data: Data([1]))
    expectError(ConnectorError.self, .configuration, saying: "is a stream") { try request.validatedOrigin() }
  }

  @Test("A body with GET or HEAD is refused in its own words, in any letters", arguments: ["GET", "get", "Head"])
  func body(_ method: String) throws {
    let request = try request(method, body: Data("{}".utf8))
    let error = #expect(throws: ConnectorError.self) { try request.validatedOrigin() }
    #expect(error?.code == .configuration)
    #expect(error?.message.contains("\(request.method) request cannot carry a body") == true)
    #expect(error?.recoverySuggestion?.contains("another method") == true)
  }

  @Test(
    "An origin is the same for every spelling of it",
    arguments: [
      ("HTTPS://Example.COM/a?b#c", "https://example.com"), ("https://example.com:443", "https://example.com"),
      ("https://example.com:8443/", "https://example.com:8443"), ("http://127.0.0.1:80", "http://127.0.0.1"),
      ("http://[::1]:3000/tasks", "http://[::1]:3000"), ("https://[::FFFF:192.0.2.1]/", "https://[::ffff:192.0.2.1]"),
      ("https://example.com/a@b:c?d[]=https://e@f/g#h@i", "https://example.com"),
      ("https://a.example?b", "https://a.example"), ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example"),
    ])
  func origin(text: String, origin: String) throws {
    let (one, other) = (Origin(try #require(URL(string: text))), Origin(try #require(URL(string: origin))))
    #expect(one?.description == origin && one == other)
  }

  @Test(
    "A URL that readers take differently has no origin",
    arguments: [
      "https://user@example.com/", "https://user:password@example.com/", "https://ex%61mple.com/", "mailto:a@b.c",
      "file:///etc/hosts", "https:///path", "tasks", "https://a\\@b.example/", "https://[api.example]/",
      "https://[api.example]:443/", "https://[127.0.0.1]/", "https://[v1.x]/", "https://[]/",
      "https://a.example:65536/", "https://a.example:99999999999999999999/", "https://a.example:18446744073709552059/",
      "https://a.example:0/", "https://a.example:-1/", "https://[::1]:99999999999999999999/", "https://a.example:/",
      "https://a.example:0443/", "https://@a.example/", "https://:@a.example/", "https://[a.b:c]/",
      "https://[::1%25lo]/", "https://[::1/",
    ])
  func noOrigin(text: String) {
    #expect(URL(string: text).flatMap { Origin($0) } == nil)
  }

  @Test("Schemes, hosts and ports make different origins")
  func differentOrigins() throws {
    let texts = ["https://a.example", "http://a.example", "https://a.example:444", "https://b.a.example"]
    let origins = texts.compactMap { URL(string: $0).flatMap { Origin($0) } }
    #expect(Set(origins).count == 4)
  }
}
