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

/// `MessageTests.network` has the message of each code.
@Suite("Errors of the system's URL loading")
struct ConnectorErrorURLErrorTests {
  private func error(_ error: URLError) throws -> ConnectorError {
    let url = try #require(URL(string: "https://login.example.com:8443/tasks?code=canary"))
    return ConnectorError(error, URLRequest(url: url), .standard)
  }

  @Test("A host name that the system's DNS look-up does not find is one that cannot be resolved")
  func lookup() throws {
    #expect(try error(URLError(.dnsLookupFailed)).message == error(URLError(.cannotFindHost)).message)
  }

  @Test(
    "The error names the proxy that answered instead of a server that was not asked",
    arguments: [
      "CONNECT tunnel failed, response 407", "Could not resolve proxy: proxy.example", "Proxy CONNECT aborted",
    ])
  func proxy(_ answer: String) throws {
    let info = [URLError.proxyKey: " through the proxy proxy.example:3128 of x", URLError.proxyAnswerKey: answer]
    let error = try error(URLError(.cannotConnectToHost, userInfo: info))
    let place = "login.example.com:8443 through the proxy proxy.example:3128 of x"
    #expect(
      error.message == "No response to GET https://login.example.com:8443/tasks: \(place) refused the connection. "
        + "libcurl said: \(answer).")
    #expect(error.recoverySuggestion?.contains("the proxy") == true && error.code == .network)
    #expect((error.underlying as? URLError)?.code == .cannotConnectToHost && !"\(error)".contains("canary"))
  }
}
