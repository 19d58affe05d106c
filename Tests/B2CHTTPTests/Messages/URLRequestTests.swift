import B2CHTTP
import Foundation
import TestSupport
import Testing

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
    let request = try TransportRequest(source)
    #expect(request.method == .patch)
    #expect(request.url == source.url)
    #expect(request.headers["Content-Type"] == "application/json")
    #expect(request.headers["x-b"] == "2")
    #expect(request.body == Data("{}".utf8))
    #expect(request.limits.idleTimeout == .seconds(5))
    #expect(request.limits.deadline == TransportLimits.standard.deadline)
  }

  @Test func keepsTheShorterTimeout() throws {
    var source = URLRequest(url: try url())
    source.timeoutInterval = 600
    #expect(try TransportRequest(source).limits.idleTimeout == TransportLimits.standard.idleTimeout)
  }

  @Test func refusesABodyThatCannotBeSentTwice() throws {
    var source = URLRequest(url: try url())
    source.httpMethod = "POST"
    source.httpBodyStream = InputStream(data: Data([1]))
    let request = source
    expectError(TransportError.self, .invalidRequest) { try TransportRequest(request) }
  }

  @Test func givesTheAnswerAsURLSessionWould() throws {
    let headers = TransportRequest.Headers([(name: "X-A", value: "1"), (name: "X-A", value: "2")])
    let response = try #require(TransportResponse(status: 404, headers: headers).urlResponse(for: try url()))
    #expect(response.statusCode == 404)
    #expect(response.value(forHTTPHeaderField: "x-a") == "1, 2")
    #expect(response.url == (try url()))
  }
}
