import Foundation
import TestSupport
import Testing

@testable import B2CHTTP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct URLRequestTests {
  private func url() throws -> URL { try #require(URL(string: "https://graph.example.com/v1.0/me?$select=id")) }

  @Test func takesEverythingOver() throws {
    var source = URLRequest(url: try url())
    source.httpMethod = "PATCH"
    source.setValue("application/json", forHTTPHeaderField: "Content-Type")
    source.setValue("2", forHTTPHeaderField: "X-B")
    source.httpBody = Data("{}".utf8)
    source.timeoutInterval = 5
    let request = URLSessionTransport.outgoing(source, .standard)
    #expect(request.httpMethod == "PATCH")
    #expect(request.url == source.url)
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
    #expect(request.value(forHTTPHeaderField: "x-b") == "2")
    #expect(request.httpBody == Data("{}".utf8))
    #expect(request.timeoutInterval == 5)
  }

  @Test func keepsTheShorterTimeout() throws {
    var source = URLRequest(url: try url())
    source.timeoutInterval = 600
    #expect(URLSessionTransport.outgoing(source, .standard).timeoutInterval == 15)
    // None is no timeout of no time.
    source.timeoutInterval = 0
    #expect(URLSessionTransport.outgoing(source, .standard).timeoutInterval == 15)
  }

  @Test func refusesABodyThatCannotBeSentTwice() async throws {
    var source = URLRequest(url: try url())
    source.httpMethod = "POST"
    source.httpBodyStream = InputStream(data: Data([1]))
    let canned = CannedTransport(statuses: 200)
    let request = source
    await expectError(ConnectorError.self, .configuration) {
      try await RetryingTransport(transport: canned).answer(to: request)
    }
    #expect(canned.requests.isEmpty)
  }
}
