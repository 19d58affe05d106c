import B2CCore
import B2CHTTP
import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request without a response throws a typed error.
@Suite(.descriptors(), .hangLimit)
struct URLSessionTransportFaultTests {
  private let transport = URLSessionTransport()

  /// The transport as the package uses it: it says what the system's error means.
  private var retrying: RetryingTransport { RetryingTransport(transport: transport, policy: .none) }

  private func code(_ handler: @escaping @Sendable (LoopbackExchange) async -> Void) async throws -> ErrorCode {
    let server = try await TestServer(handler)
    let request = try server.request()
    let error = await #expect(throws: ConnectorError.self) { try await retrying.answer(to: request, limits: .patient) }
    #expect(error?.isRetryable == (error?.code == .network))
    return try #require(error).code
  }

  @Test(
    "Only https, and http to this machine, is spoken",
    arguments: [
      "http://example.com/", "http://192.168.0.1/", "http://127.0.0.1.example.com/", "ftp://127.0.0.1/",
      "file:///etc/hosts",
      "https:///", "/relative", "https://user:password@example.com/", "https://ex%61mple.com/", "HTTP://EXAMPLE.COM",
    ])
  func schemes(text: String) async throws {
    let request = URLRequest(url: try #require(URL(string: text)))
    await expectError(ConnectorError.self, .configuration) { try await transport.answer(to: request, limits: .patient) }
  }

  @Test("A refused connection names host and port, in the error's localized description too")
  func refused() async throws {
    let server = try await TestServer(answering: .text(""))
    let request = try server.request("/tasks?code=canary")
    await server.close()
    let error = try await #require(throws: ConnectorError.self) {
      try await retrying.answer(to: request, limits: .patient)
    }
    let host = "127.0.0.1:\(request.url?.port ?? 0)"
    #expect(error.code == .network)
    #expect(error.message == "No response to GET http://\(host)/tasks: \(host) refused the connection.")
    #expect(error.localizedDescription == error.message)
  }

  @Test(
    "A connection that ends before its answer is whole is lost",
    arguments: [
      ("", false), ("", true), ("HTTP/1.1 200 OK\r\nContent-Le", true),
      ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789", true),
      ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789", false),
    ])
  func lost(sent: String, byReset: Bool) async throws {
    let code = try await code { exchange in
      if !sent.isEmpty { await exchange.write(sent) }
      if byReset { exchange.reset() } else { exchange.close() }
    }
    #expect(code == .network)
  }

  #if os(Linux)
    // This is how libcurl reads them. Foundation on another system may take such a body for whole, or such a line for an answer
    // of HTTP/0.9.

    @Test("A chunked answer without its last chunk is lost")
    func chunkedWithoutEnd() async throws {
      for sent in ["5\r\n01234\r\n", "5\r\n012"] {
        let code = try await code { exchange in
          await exchange.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + sent)
          exchange.close()
        }
        #expect(code == .network)
      }
    }

    @Test("A response that is not HTTP is an error")
    func notHTTP() async throws {
      for sent in ["220 mail.example.com ready\r\n", "SSH-2.0-OpenSSH_9.2\r\n"] {
        let code = try await code { exchange in
          await exchange.write(sent)
          exchange.close()
        }
        #expect(code == .invalidResponse)
      }
    }
  #endif

  #if canImport(FoundationNetworking)
    @Test("An IPv6 literal is an error that no second try helps against, in words of its own")
    func literal() async throws {
      let request = URLRequest(url: try #require(URL(string: "http://[::1]:9618/tasks?code=canary")))
      let error = try await #require(throws: ConnectorError.self) {
        try await RetryingTransport(transport: transport).answer(to: request)
      }
      #expect(error.code == .configuration && !error.isRetryable)
      #expect(error.message.contains("[::1]:9618") && error.message.contains("IPv6"))
      #expect(!error.message.contains("canary"))
    }
  #endif

  @Test("A body is not sent again if a kept connection is lost", arguments: [true, false])
  func keptConnection(byReset: Bool) async throws {
    let count = Locked(0)
    let server = try await TestServer { exchange in
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number == 1 {
        await exchange.respond(.text("first"))
      } else if byReset {
        exchange.reset()
      } else {
        exchange.close()
      }
    }
    let request = URLRequest(method: "POST", url: try server.url(), body: Data("task=milk".utf8))
    #expect(try await transport.answer(to: request, limits: .patient).body == Data("first".utf8))
    await expectError(ConnectorError.self, .network, saying: "lost") {
      try await retrying.answer(to: request, limits: .patient)
    }
    #expect(server.requests.count == 2)
    // The session goes on.
    count.withLock { $0 = 0 }
    #expect(try await transport.answer(to: request, limits: .patient).status == 200)
  }

  @Test(
    "A header field that HTTP forbids is not sent",
    arguments: [
      ("X-A", "line\r\nX-Injected: 1"), ("X-A", "nul\0"), ("X A", "space"), ("", "empty"), ("X-A:", "colon"),
      ("Authorization", "Bearer a\nb"),
    ])
  func forbiddenField(name: String, value: String) async throws {
    let server = try await TestServer(answering: .text(""))
    var request = try server.request()
    request.allHTTPHeaderFields = [name: value]
    let refused = request
    await expectError(ConnectorError.self, .configuration) {
      try await transport.answer(to: refused, limits: .patient)
    }
    #expect(server.requests.isEmpty)
  }

  @Test("A body with GET, or a method that is no word, is not sent")
  func body() async throws {
    let server = try await TestServer(answering: .text(""))
    let request = URLRequest(method: "GET", url: try server.url(), body: Data([1]))
    await expectError(ConnectorError.self, .configuration) {
      try await transport.answer(to: request, limits: .patient)
    }
    let odd = URLRequest(method: "GET /\r\n", url: try server.url())
    await expectError(ConnectorError.self, .configuration) { try await transport.answer(to: odd, limits: .patient) }
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
