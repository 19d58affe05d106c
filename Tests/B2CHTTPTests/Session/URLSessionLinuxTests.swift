#if canImport(FoundationNetworking)
  import B2CHTTP
  import B2CLoopback
  import B2CTestKit
  import Foundation
  import FoundationNetworking
  import TestSupport
  import Testing

  @Suite("URLSession on Linux", .descriptors(), .hangLimit)
  struct URLSessionLinuxTests {
    private static let proxy = "http://127.0.0.1:9"

    private func transport(_ environment: [String: String]) -> URLSessionTransport {
      URLSessionTransport(environment: { environment })
    }

    @Test(
      "Plain http to this machine is refused while a proxy would get it, before anything is sent",
      arguments: [
        (["http_proxy": proxy], "http_proxy"), (["all_proxy": proxy], "all_proxy"), (["ALL_PROXY": proxy], "ALL_PROXY"),
        (["http_proxy": proxy, "no_proxy": "example.com,localhost"], "http_proxy"),
        (["http_proxy": proxy, "no_proxy": "127.0.0.0/8"], "http_proxy"),
        (["http_proxy": proxy, "no_proxy": "example.com", "NO_PROXY": "127.0.0.1"], "http_proxy"),
      ])
    func refused(_ environment: [String: String], _ variable: String) async throws {
      let server = try await TestServer(answering: .text("ok"))
      var request = try server.request("/tasks?code=canary")
      request.setValue("Bearer canary", forHTTPHeaderField: "Authorization")
      let refused = request
      let error = try await #require(throws: ConnectorError.self) {
        try await transport(environment).answer(to: refused, limits: .patient)
      }
      #expect(error.code == .configuration && !error.isRetryable)
      #expect(
        error.message == "\(variable) would send plain http to 127.0.0.1:\(request.url?.port ?? 0) through a proxy.")
      #expect(
        error.recoverySuggestion == "Add 127.0.0.1 to no_proxy, or set no_proxy=localhost,127.0.0.1,::1.")
      #expect(server.requests.isEmpty)
    }

    @Test(
      "It is sent where no proxy is named for plain http, or no_proxy names this machine",
      arguments: [
        [:], ["http_proxy": ""], ["https_proxy": proxy, "HTTP_PROXY": proxy],
        ["http_proxy": proxy, "no_proxy": "localhost,127.0.0.1,::1"], ["all_proxy": proxy, "no_proxy": "a 127.0.0.1"],
        ["http_proxy": proxy, "NO_PROXY": "127.0.0.1"], ["http_proxy": proxy, "no_proxy": "*"],
      ])
    func sent(_ environment: [String: String]) async throws {
      let server = try await TestServer(answering: .text("ok"))
      #expect(try await transport(environment).answer(to: server.request(), limits: .patient).status == 200)
    }

    @Test("What goes by https is not looked at")
    func https() async throws {
      let transport = transport(["http_proxy": Self.proxy, "all_proxy": Self.proxy])
      // Nothing listens at a reserved port.
      let request = URLRequest(url: try #require(URL(string: "https://127.0.0.1:1/")))
      await expectError(URLError.self, .cannotConnectToHost) {
        try await transport.answer(to: request, limits: .patient)
      }
    }
  }
#endif
