import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// A request without a response throws a typed error.
@Suite(.descriptors(), .hangLimit)
struct URLSessionTransportFaultTests {
  private let transport = URLSessionTransport()

  /// The transport as the package uses it: it says what the system's error means.
  private var retrying: RetryingTransport { RetryingTransport(transport: transport, policy: .none) }

  @Test(
    "Only https, and http to this machine, is spoken",
    arguments: [
      "http://example.com/", "http://192.168.0.1/", "http://127.0.0.1.example.com/", "ftp://127.0.0.1/",
      "file:///etc/hosts", "https:///", "/relative", "https://user:password@example.com/", "https://ex%61mple.com/",
      "HTTP://EXAMPLE.COM",
    ])
  func schemes(text: String) async throws {
    let request = URLRequest(url: try #require(URL(string: text)))
    await expectError(ConnectorError.self, .configuration) { try await transport.answer(to: request, limits: .patient) }
  }

  private static let head = "HTTP/1.1 200 OK\r\n"

  /// What a server sends before it ends the connection.
  static let cutAnswers: [(String, byReset: Bool, ErrorCode)] = [
    ("", false, .network), ("", true, .network), (head + "Content-Le", true, .network),
    (head + "Content-Length: 100\r\n\r\n0123456789", true, .network),
    (head + "Content-Length: 100\r\n\r\n0123456789", false, .network),
  ]

  // This is how libcurl reads them. Foundation on another system may take such a body for whole, or such a line for an
  // answer of HTTP/0.9.
  static let answersOnLinux: [(String, byReset: Bool, ErrorCode)] = [
    (head + "Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n", false, .network),
    (head + "Transfer-Encoding: chunked\r\n\r\n5\r\n012", false, .network),
    ("220 mail.example.com ready\r\n", false, .invalidResponse), ("SSH-2.0-OpenSSH_9.2\r\n", false, .invalidResponse),
  ]

  #if os(Linux)
    private static let answers = cutAnswers + answersOnLinux
  #else
    private static let answers = cutAnswers
  #endif

  @Test(
    "A connection that ends before its answer is whole is lost, and what is not HTTP is no answer", arguments: answers)
  func lost(sent: String, byReset: Bool, code: ErrorCode) async throws {
    let server = try await TestServer { exchange in
      if !sent.isEmpty { await exchange.write(sent) }
      if byReset { exchange.reset() } else { exchange.close() }
    }
    let error = try await #require(throws: ConnectorError.self) {
      try await retrying.answer(to: server.request(), limits: .patient)
    }
    #expect(error.code == code && error.isRetryable == (code == .network))
  }

  @Test("A body is not sent again if a kept connection is lost", arguments: [true, false])
  func keptConnection(byReset: Bool) async throws {
    let server = try await TestServer { exchange in
      if exchange.request.target == "/kept" {
        await exchange.respond(.text("kept"))
      } else if byReset {
        exchange.reset()
      } else {
        exchange.close()
      }
    }
    let kept = URLRequest(method: "POST", url: try server.url("/kept"), body: Data("task=milk".utf8))
    let lost = URLRequest(method: "POST", url: try server.url("/lost"), body: Data("task=milk".utf8))
    #expect(try await transport.answer(to: kept, limits: .patient).body == Data("kept".utf8))
    await expectError(ConnectorError.self, .network, saying: "lost") {
      try await retrying.answer(to: lost, limits: .patient)
    }
    #expect(server.requests.map(\.target) == ["/kept", "/lost"])
    // The session goes on.
    #expect(try await transport.answer(to: kept, limits: .patient).status == 200)
  }

  @Test(
    "A method or a header field that HTTP forbids is not sent",
    arguments: [
      ("GET", "X-A", "line\r\nX-Injected: 1"), ("GET", "X-A", "nul\0"), ("GET", "X A", "space"), ("GET", "", "empty"),
      ("GET", "X-A:", "colon"), ("GET", "Authorization", "Bearer a\nb"), ("GET /\r\n", "X-A", "good"),
    ])
  func forbiddenField(method: String, name: String, value: String) async throws {
    let server = try await TestServer(answering: .text(""))
    let request = URLRequest(method: method, url: try server.url(), headers: [name: value])
    await expectError(ConnectorError.self, .configuration) {
      try await transport.answer(to: request, limits: .patient)
    }
    #expect(server.requests.isEmpty)
  }

  @Test("An error shows nothing of the URL's query")
  func query() async throws {
    let server = try await TestServer { $0.reset() }
    let request = try server.request("/?code=canary")
    let error = await #expect(throws: URLError.self) { try await transport.answer(to: request, limits: .patient) }
    var shown = "\(String(describing: error)) \(String(reflecting: error)) \(String(describing: error?.userInfo))"
    dump(error, to: &shown)
    #expect(!shown.contains("canary"))
  }
}
