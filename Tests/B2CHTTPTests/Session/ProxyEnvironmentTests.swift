import B2CHTTP
import B2CLoopback
import Foundation
import TestSupport
import Testing

@Suite("Proxies of the environment", .timeLimit(.minutes(10)))
struct ProxyEnvironmentTests {
  static let proxy = "http://127.0.0.1:9"

  @Test(
    "A proxy for plain http is named by the variables that libcurl reads",
    arguments: [
      (["http_proxy": proxy], "http_proxy"), (["all_proxy": proxy], "all_proxy"), (["ALL_PROXY": proxy], "ALL_PROXY"),
      (["http_proxy": proxy, "all_proxy": proxy, "ALL_PROXY": proxy], "http_proxy"),
      (["http_proxy": "", "all_proxy": "", "ALL_PROXY": proxy], "ALL_PROXY"),
      (["http_proxy": "proxy:8080"], "http_proxy"),
      (["HTTP_PROXY": proxy], nil), (["https_proxy": proxy, "HTTPS_PROXY": proxy, "ftp_proxy": proxy], nil),
      (["http_proxy": ""], nil), ([:], nil),
    ] as [([String: String], String?)])
  func variables(_ variables: [String: String], _ name: String?) {
    #expect(ProxyEnvironment(variables).proxyVariable(forHost: "127.0.0.1") == name)
  }

  /// As libcurl 7.88 does with `curl -v`, except where an older one reads less: there the request is refused.
  @Test(
    "no_proxy is read as every libcurl reads it",
    arguments: [
      ("*", "127.0.0.1", true), ("*,x", "127.0.0.1", false), (" *", "127.0.0.1", false),
      ("127.0.0.1", "127.0.0.1", true), ("a,127.0.0.1", "127.0.0.1", true), ("a, 127.0.0.1 ,b", "127.0.0.1", true),
      ("localhost 127.0.0.1", "127.0.0.1", true), ("127.0.0.1:3000", "127.0.0.1", false),
      ("0.0.1", "127.0.0.1", false), (".0.0.1", "127.0.0.1", false), ("127.0.0.2", "127.0.0.1", false),
      ("127.0.0.0/8", "127.0.0.1", false), ("127", "127.0.0.1", false), (",,", "127.0.0.1", false),
      ("::1", "::1", true), ("a,::1", "::1", true), ("1", "::1", false), ("127.0.0.1", "::1", false),
      ("localhost", "localhost", true), ("LocalHost", "LOCALHOST", true), (".localhost", "localhost", true),
      ("localhost:80", "localhost", false), ("host", "localhost", false), (".", "localhost", false),
      ("localhost", "tasks.localhost", true), ("localhost", "taskslocalhost", false), ("", "localhost", false),
    ])
  func exemptions(_ noProxy: String, _ host: String, _ isExempt: Bool) {
    for name in ["no_proxy", "NO_PROXY"] {
      let environment = ProxyEnvironment(["http_proxy": Self.proxy, name: noProxy])
      #expect((environment.proxyVariable(forHost: host) == nil) == isExempt, "\(name)")
    }
    // The upper-case one counts only without the other.
    let both = ProxyEnvironment(["http_proxy": Self.proxy, "no_proxy": noProxy, "NO_PROXY": "*"])
    #expect((both.proxyVariable(forHost: host) == nil) == (isExempt || noProxy.isEmpty))
  }

  @Test(
    "This machine is added to what no_proxy has",
    arguments: [
      ([:], nil), (["no_proxy": "example.com"], nil), (["http_proxy": proxy, "no_proxy": "*"], nil),
      (["http_proxy": proxy], "localhost,127.0.0.1,::1"),
      (["all_proxy": proxy, "NO_PROXY": "example.com,localhost"], "example.com,localhost,127.0.0.1,::1"),
      (["http_proxy": proxy, "no_proxy": "::1 127.0.0.1,localhost", "NO_PROXY": "x"], nil),
    ] as [([String: String], String?)])
  func adding(_ variables: [String: String], _ expected: String?) {
    let environment = ProxyEnvironment(variables)
    #expect(environment.noProxyForThisMachine == expected)
    guard let expected else { return }
    let changed = ProxyEnvironment(variables.merging(["no_proxy": expected]) { $1 })
    for host in ["localhost", "127.0.0.1", "::1"] { #expect(changed.proxyVariable(forHost: host) == nil) }
  }

  @Test(
    "Plain http to this machine is refused before anything is sent",
    arguments: ["http_proxy", "all_proxy", "ALL_PROXY"])
  func refused(variable: String) async throws {
    let server = try await TestServer(answering: .text("ok"))
    let transport = URLSessionTransport(proxies: ProxyEnvironment([variable: Self.proxy]))
    var request = try server.request("/tasks?code=canary")
    request.headers["Authorization"] = "Bearer canary"
    let refused = request
    let error = try await #require(throws: TransportError.self) { try await transport.send(refused) }
    #expect(error.code == .insecureURL && !error.isRetryable)
    #expect(
      error.message
        == "\(variable) would send plain http to 127.0.0.1:\(request.url.port ?? 0) through a proxy. "
        + "Add 127.0.0.1 to no_proxy, or set no_proxy=localhost,127.0.0.1,::1.")
    #expect(server.requests.isEmpty)
    let exempt = URLSessionTransport(
      proxies: ProxyEnvironment([variable: Self.proxy, "no_proxy": "localhost,127.0.0.1,::1"]))
    #expect(try await exempt.send(request).status == 200)
  }

  @Test("What goes by https is not looked at")
  func https() async throws {
    let transport = URLSessionTransport(proxies: ProxyEnvironment(["http_proxy": Self.proxy, "all_proxy": Self.proxy]))
    transport.close()
    let request = TransportRequest(url: try #require(URL(string: "https://127.0.0.1:9/")))
    await expectError(TransportError.self, .closed) { try await transport.send(request) }
  }
}
