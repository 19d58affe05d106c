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
      URLSessionTransport(environment: { environment[$0] })
    }

    @Test(
      "Plain http to this machine is refused while a proxy would get it, before anything is sent",
      arguments: [
        (["http_proxy": proxy], "http_proxy"), (["all_proxy": proxy], "all_proxy"), (["ALL_PROXY": proxy], "ALL_PROXY"),
        (["http_proxy": proxy, "no_proxy": "example.com,localhost"], "http_proxy"),
        (["http_proxy": proxy, "no_proxy": "127.0.0.0/8"], "http_proxy"),
        (["http_proxy": proxy, "no_proxy": "example.com", "NO_PROXY": "127.0.0.1"], "http_proxy"),
        // libcurl takes `*` for every host only if it is the whole text.
        (["http_proxy": proxy, "no_proxy": " *"], "http_proxy"),
        (["http_proxy": proxy, "no_proxy": "* "], "http_proxy"),
        (["http_proxy": proxy, "no_proxy": "*,"], "http_proxy"), (["all_proxy": proxy, "no_proxy": ",*"], "all_proxy"),
        (["ALL_PROXY": proxy, "NO_PROXY": " * "], "ALL_PROXY"),
        (["http_proxy": proxy, "NO_PROXY": "**"], "http_proxy"),
        (["http_proxy": proxy, "no_proxy": "x", "NO_PROXY": "*"], "http_proxy"),
        (["http_proxy": proxy, "no_proxy": "a;127.0.0.1"], "http_proxy"),
        (["http_proxy": proxy, "no_proxy": "a\n127.0.0.1"], "http_proxy"),
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
        ["http_proxy": proxy, "no_proxy": "*", "NO_PROXY": "x"],
        ["http_proxy": proxy, "no_proxy": "", "NO_PROXY": "*"],
        ["http_proxy": proxy, "no_proxy": ",127.0.0.1"], ["http_proxy": proxy, "no_proxy": "a\t127.0.0.1"],
        ["http_proxy": proxy, "no_proxy": "*,127.0.0.1"],
      ])
    func sent(_ environment: [String: String]) async throws {
      let server = try await TestServer(answering: .text("ok"))
      #expect(try await transport(environment).answer(to: server.request(), limits: .patient).status == 200)
    }

    @Test(
      "An https request that fails names the proxy that was asked instead of the server",
      arguments: [
        (["https_proxy": proxy], "https_proxy", true), (["HTTPS_PROXY": proxy], "HTTPS_PROXY", true),
        (["all_proxy": "127.0.0.1:9"], "all_proxy", true),
        (["ALL_PROXY": "http://me:canary@127.0.0.1:9/"], "ALL_PROXY", true),
        (["https_proxy": proxy, "no_proxy": "10.0.0.0/8, host"], "https_proxy", true),
        (["https_proxy": proxy, "no_proxy": "LOCALHOST"], "", false),
        (["https_proxy": proxy, "NO_PROXY": "a,.localhost"], "", false),
        (["https_proxy": proxy, "no_proxy": "*"], "", false),
        (["http_proxy": proxy], "", false), ([:], "", false),
      ])
    func namesTheProxy(_ environment: [String: String], _ variable: String, _ applies: Bool) async throws {
      // libcurl itself sees no proxy here, and nothing listens at a reserved port.
      let request = URLRequest(url: try #require(URL(string: "https://localhost:1/token?code=canary")))
      let error = try await #require(throws: ConnectorError.self) {
        try await RetryingTransport(transport: transport(environment), policy: .none).answer(
          to: request, limits: .patient)
      }
      #expect(error.code == .network && error.message.contains("localhost:1"), "\(error)")
      #expect(
        error.message.contains("the proxy 127.0.0.1:9 of the environment variable \(variable)") == applies, "\(error)")
      #expect(!"\(error)".contains("canary"))
    }

    @Test("A server that does not speak TLS is named as such", arguments: ["GET", "POST"])
    func plainServer(_ method: String) async throws {
      // The first bytes of a handshake are more than this server takes, and it refuses them in plain text.
      let server = try await LoopbackListener(limits: LoopbackLimits(headBytes: 16)) { $0.close() }
      let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/tasks"))
      let error = try await #require(throws: ConnectorError.self) {
        try await RetryingTransport(transport: transport([:]), policy: .none)
          .answer(to: URLRequest(method: method, url: url).patient, limits: .patient)
      }
      #expect(error.code == .network && !error.isRetryable, "\(error)")
      #expect(error.message.contains("did not answer with TLS"), "\(error)")
      await server.close()
    }

    @Test("A proxy does not matter for an https request")
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
