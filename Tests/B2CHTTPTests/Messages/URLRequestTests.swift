import B2CHTTP
import Foundation
import Testing
import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct URLRequestTests {
  private func url() throws -> URL { try #require(URL(string: "https://graph.example.com/v1.0/me?$select=id")) }

  @Test("The shorter timeout counts, and zero is no timeout", arguments: [(5.0, 5.0), (600, 15), (0, 15)])
  func timeout(of request: Double, becomes expected: Double) throws {
    var source = URLRequest(url: try url())
    source.timeoutInterval = request
    #expect(URLSessionTransport.outgoing(source, .standard).timeoutInterval == expected)
  }

  @Test("A body that cannot be sent twice is refused")
  func stream() async throws {
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
