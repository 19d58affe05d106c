#if canImport(FoundationNetworking)
  import B2CHTTP
  import B2CLoopback
  import B2CTestKit
  import Foundation
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
        ("http_proxy", [:]), ("all_proxy", [:]), ("ALL_PROXY", [:]),
        ("http_proxy", ["no_proxy": "example.com,localhost"]), ("http_proxy", ["no_proxy": "127.0.0.0/8"]),
        ("http_proxy", ["no_proxy": "example.com", "NO_PROXY": "127.0.0.1"]),
        // libcurl takes `*` for every host only if it is the whole text.
        ("http_proxy", ["no_proxy": " *"]), ("http_proxy", ["no_proxy": "* "]), ("http_proxy", ["no_proxy": "*,"]),
        ("all_proxy", ["no_proxy": ",*"]), ("ALL_PROXY", ["NO_PROXY": " * "]), ("http_proxy", ["NO_PROXY": "**"]),
        ("http_proxy", ["no_proxy": "x", "NO_PROXY": "*"]), ("http_proxy", ["no_proxy": "a;127.0.0.1"]),
        ("http_proxy", ["no_proxy": "a\n127.0.0.1"]),
      ])
    func refused(_ variable: String, _ exempt: [String: String]) async throws {
      let server = try await TestServer(answering: .text("ok"))
      let transport = transport(exempt.merging([variable: Self.proxy]) { $1 })
      let request = URLRequest(
        method: "GET", url: try server.url("/tasks?code=canary"), headers: ["Authorization": "Bearer canary"])
      let error = try await #require(throws: ConnectorError.self) {
        try await transport.answer(to: request, limits: .patient)
      }
      let host = "127.0.0.1:\(request.url?.port ?? 0)"
      #expect(error.code == .configuration && !error.isRetryable)
      #expect(error.message == "\(variable) would send plain http to \(host) through a proxy.")
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
      "An https request is sent, and if it fails, the error names the proxy that was asked instead of the server",
      arguments: [
        (["https_proxy": proxy], "https_proxy"), (["HTTPS_PROXY": proxy], "HTTPS_PROXY"),
        (["all_proxy": "127.0.0.1:9", "http_proxy": proxy], "all_proxy"),
        (["ALL_PROXY": "http://me:canary@127.0.0.1:9/"], "ALL_PROXY"),
        (["https_proxy": proxy, "no_proxy": "10.0.0.0/8, host"], "https_proxy"),
        (["https_proxy": proxy, "no_proxy": "LOCALHOST"], nil),
        (["https_proxy": proxy, "NO_PROXY": "a,.localhost"], nil),
        (["https_proxy": proxy, "no_proxy": "*"], nil), (["http_proxy": proxy], nil), ([:], nil),
      ] as [([String: String], String?)])
    func namesTheProxy(_ environment: [String: String], _ variable: String?) async throws {
      // libcurl itself sees no proxy here, and nothing listens at a reserved port.
      let request = URLRequest(url: try #require(URL(string: "https://localhost:1/token?code=canary")))
      let retrying = RetryingTransport(transport: transport(environment), policy: .none)
      let error = try await #require(throws: ConnectorError.self) {
        try await retrying.answer(to: request, limits: .patient)
      }
      let proxy = variable.map { " through the proxy 127.0.0.1:9 of the environment variable \($0)" }
      #expect(error.code == .network && error.message.contains("localhost:1" + (proxy ?? "")), "\(error)")
      #expect(error.message.contains("proxy") == (variable != nil) && !"\(error)".contains("canary"))
    }

    @Test("A server that does not speak TLS is named as such", arguments: ["GET", "POST"])
    func plainServer(_ method: String) async throws {
      // The first bytes of a handshake are more than this server takes, and it refuses them in plain text.
      let server = try await LoopbackListener(limits: LoopbackLimits(headBytes: 16)) { $0.close() }
      let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/tasks"))
      let retrying = RetryingTransport(transport: transport([:]), policy: .none)
      let error = try await #require(throws: ConnectorError.self) {
        try await retrying.answer(to: URLRequest(method: method, url: url).patient, limits: .patient)
      }
      #expect(error.code == .network && !error.isRetryable, "\(error)")
      #expect(error.message.contains("did not answer with TLS"), "\(error)")
      await server.close()
    }

    @Test("An IPv6 literal is an error that no second try helps against, in words of its own")
    func literal() async throws {
      let request = URLRequest(url: try #require(URL(string: "http://[::1]:9618/tasks?code=canary")))
      let error = try await #require(throws: ConnectorError.self) {
        try await RetryingTransport(transport: URLSessionTransport()).answer(to: request)
      }
      #expect(error.code == .configuration && !error.isRetryable)
      #expect(error.message.contains("the IPv6 address [::1]:9618") && !error.message.contains("canary"))
    }
  }
#endif
