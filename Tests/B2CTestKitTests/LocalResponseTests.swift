import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct LocalResponseTests {
  @Test("No value that may be secret is shown", arguments: ["Authorization", "Set-Cookie", "Location", "X-Anything"])
  func secrecy(_ name: String) async throws {
    let url = try url("https://example.com/path?code=canary")
    let response = LocalResponse(status: 200, headers: [name: "canary"], body: Data("canary".utf8))
    let network = LocalNetwork(Service(response: response))
    let request = URLRequest(method: "POST", url: url, headers: [name: "canary"], body: Data("canary".utf8))
    _ = try await network.answer(to: request, limits: .standard)
    let record = try #require(network.requests.first)
    var shown = "\(response) \(String(reflecting: response)) \(record) \(String(reflecting: record))"
    dump(response, to: &shown)
    dump(record, to: &shown)
    #expect(!shown.contains("canary"), "\(shown)")
    #expect(shown.contains("POST https://example.com/path"))
  }

  @Test("A response is an answer as URLSession gives it")
  func answer() throws {
    let url = try url("https://example.com/")
    let (body, response) = try LocalResponse(status: 404, headers: ["X-A": "1, 2"], body: Data([1])).answer(to: url)
    #expect(body == Data([1]) && response.statusCode == 404 && response.url == url)
    #expect(response.value(forHTTPHeaderField: "x-a") == "1, 2")
  }

  private struct Service: LocalService {
    let response: LocalResponse

    func serves(_ url: URL) -> Bool { true }
    func answer(_ request: URLRequest) async throws -> LocalResponse { response }
  }
}
