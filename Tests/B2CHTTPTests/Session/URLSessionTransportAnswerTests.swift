import B2CHTTP
import B2CLoopback
import B2CTestKit
import Foundation
import Testing
import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The transport returns every response unchanged and does nothing about it.
@Suite(.descriptors(), .hangLimit)
struct URLSessionTransportAnswerTests {
  private let transport = URLSessionTransport()

  @Test("Method, header fields and body are sent", arguments: ["POST", "PUT", "PATCH", "DELETE"])
  func sendsMethodHeadersAndBody(method: String) async throws {
    let server = try await TestServer(answering: .text("done", status: 201))
    let request = URLRequest(
      method: method, url: try server.url("/tasks?a=b%20c"),
      headers: ["Authorization": "Bearer t", "Content-Type": "application/json", "X-Own": "1"],
      body: Data("{\"task\":\"Milch\"}".utf8))
    let response = try await transport.answer(to: request, limits: .patient)
    #expect(response.status == 201)
    #expect(response.body == Data("done".utf8))
    #expect(response.header("content-type") == "text/plain; charset=utf-8")
    let received = try #require(server.requests.first)
    #expect(received.method == method)
    #expect(received.target == "/tasks?a=b%20c")
    #expect(received.headers["authorization"] == "Bearer t")
    #expect(received.headers["content-type"] == "application/json")
    #expect(received.headers["x-own"] == "1")
    #expect(received.body == request.httpBody)
  }

  @Test("The user agent is the library, unless the request names another")
  func userAgent() async throws {
    let server = try await TestServer(answering: .text("done"))
    var request = try server.request()
    _ = try await transport.answer(to: request, limits: .patient)
    request.setValue("Tasks/1.0", forHTTPHeaderField: "user-agent")
    _ = try await transport.answer(to: request, limits: .patient)
    #expect(server.requests.map { $0.headers["user-agent"] } == ["B2CConnector/\(Library.version)", "Tasks/1.0"])
  }

  @Test("Tokens of different requests are kept apart")
  func tokens() async throws {
    let server = try await TestServer { exchange in
      await exchange.respond(.text(exchange.request.headers["authorization"] ?? "none"))
    }
    for number in [1, 2, 3, 4, 5, 6, 1, 2, 6, 0] {
      var request = try server.request("/\(number)")
      if number > 0 { request.setValue("Bearer \(number)", forHTTPHeaderField: "authorization") }
      let response = try await transport.answer(to: request, limits: .patient)
      #expect(response.body == Data((number > 0 ? "Bearer \(number)" : "none").utf8))
    }
    #expect(server.requests.map(\.path) == ["/1", "/2", "/3", "/4", "/5", "/6", "/1", "/2", "/6", "/0"])
  }

  @Test(
    "A 401 with any challenge is an answer, with its body, and nothing is sent again",
    arguments: [
      "Basic realm=\"x\"", "Bearer realm=\"x\", Basic realm=\"y\"", "Bearer error=\"invalid_token\"",
      "Digest realm=\"x\"", "Negotiate", "NTLM",
    ], [2, 300 << 10])
  func challenge(_ challenge: String, _ size: Int) async throws {
    let body = Data(repeating: UInt8(ascii: "x"), count: size)
    let server = try await TestServer(
      answering: LoopbackResponse(status: 401, headers: ["WWW-Authenticate": challenge], body: body))
    for _ in 1...2 {
      let response = try await transport.answer(to: server.request(), limits: .patient)
      #expect(response.status == 401 && response.header("www-authenticate") == challenge && response.body == body)
    }
    #expect(server.requests.count == 2)
  }

  @Test("A redirect is an answer", arguments: [301, 302, 303, 307, 308])
  func aRedirectIsAnAnswer(status: Int) async throws {
    let other = try await TestServer(answering: .text("other"))
    for target in [try other.url("/landing").absoluteString, "/again"] {
      let server = try await TestServer(
        answering: LoopbackResponse(status: status, headers: ["Location": target], body: Data("moved".utf8)))
      for method in ["GET", "POST"] {
        var request = try server.request()
        request.httpMethod = method
        request.setValue("Bearer canary", forHTTPHeaderField: "Authorization")
        if method == "POST" { request.httpBody = Data("secret".utf8) }
        let response = try await transport.answer(to: request, limits: .patient)
        #expect(response.status == status && response.header("location") == target)
      }
      #expect(server.requests.count == 2)
    }
    #expect(other.requests.isEmpty)
  }

  @Test("Cookies are not kept")
  func cookiesAreNotKept() async throws {
    let server = try await TestServer(
      answering: LoopbackResponse(status: 200, headers: ["Set-Cookie": "session=canary; Path=/"]))
    _ = try await transport.answer(to: server.request(), limits: .patient)
    _ = try await transport.answer(to: server.request(), limits: .patient)
    #expect(server.requests.count == 2)
    #expect(server.requests.allSatisfy { $0.headers["cookie"] == nil })
  }

  @Test("Nothing is cached")
  func nothingIsCached() async throws {
    let server = try await TestServer(
      answering: LoopbackResponse(
        status: 200, headers: ["Cache-Control": "max-age=3600", "ETag": "\"1\""], body: Data("once".utf8)))
    _ = try await transport.answer(to: server.request(), limits: .patient)
    _ = try await transport.answer(to: server.request(), limits: .patient)
    #expect(server.requests.count == 2)
    #expect(server.requests.allSatisfy { $0.headers["if-none-match"] == nil })
  }

  /// FoundationNetworking caches little by itself, so that answers alone do not show what is configured.
  @Test("The session keeps nothing")
  func theSessionKeepsNothing() {
    let configuration = URLSessionTransport.configuration
    #expect(configuration.urlCache == nil)
    #expect(configuration.httpCookieStorage == nil && !configuration.httpShouldSetCookies)
    #expect(configuration.httpCookieAcceptPolicy == .never && configuration.urlCredentialStorage == nil)
  }

  @Test("An empty body is empty", arguments: [204, 304, 200, 500])
  func anEmptyBodyIsEmpty(status: Int) async throws {
    let server = try await TestServer(answering: LoopbackResponse(status: status))
    let response = try await transport.answer(to: server.request(), limits: .patient)
    #expect(response.status == status)
    #expect(response.body.isEmpty)
  }

  @Test("The answer to HEAD has no body, whatever its length says")
  func head() async throws {
    let server = try await TestServer(
      answering: LoopbackResponse(status: 200, body: Data(repeating: 0, count: 4096)))
    var request = try server.request()
    request.httpMethod = "HEAD"
    let response = try await transport.answer(to: request, limits: .patient(maximumBodyBytes: 10))
    #expect(response.status == 200)
    #expect(response.body.isEmpty)
  }

  @Test("A compressed body is decoded")
  func compressed() async throws {
    // {"decoded":true}
    let gzip = try #require(Data(base64Encoded: "H4sIAAAAAAACA6tWSklNzk9JTVGyKikqTa0FAJk98p0QAAAA"))
    let server = try await TestServer(
      answering: LoopbackResponse(status: 200, headers: ["Content-Encoding": "gzip"], body: gzip))
    #expect(try await transport.answer(to: server.request(), limits: .patient).body == Data("{\"decoded\":true}".utf8))
  }

  @Test("A thousand requests at the same time are all answered", .descriptors(96))
  func manyRequests() async throws {
    // The client has up to 64 connections, and the others wait in the system's queue.
    let server = try await TestServer(connections: 16) { await $0.respond(.text($0.request.target)) }
    let answers = try await withThrowingTaskGroup(of: (String, Data).self) { group in
      for number in 0..<1000 {
        let request = try server.request("/\(number)")
        group.addTask { ("/\(number)", try await transport.answer(to: request, limits: .patient).body) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count == 1000)
    #expect(answers.allSatisfy { Data($0.0.utf8) == $0.1 })
  }
}
