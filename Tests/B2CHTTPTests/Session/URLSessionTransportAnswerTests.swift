import B2CLoopback
import B2CTestKit
import Foundation
import Testing
import TestSupport

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
      body: Data(#"{"task":"Milch"}"#.utf8))
    let response = try await transport.answer(to: request, limits: .patient)
    #expect(response.status == 201 && response.body == Data("done".utf8))
    #expect(response.header("content-type") == "text/plain; charset=utf-8")
    let received = try #require(server.requests.first)
    #expect(received.method == method && received.target == "/tasks?a=b%20c" && received.body == request.httpBody)
    let fields = ["authorization", "content-type", "x-own"].map { received.headers[$0] }
    #expect(fields == ["Bearer t", "application/json", "1"])
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

  @Test(
    "A 401 with any challenge is an answer, with its body, and nothing is sent again",
    arguments: [
      #"Basic realm="x""#, #"Bearer realm="x", Basic realm="y""#, #"Bearer error="invalid_token""#,
      #"Digest realm="x""#, "Negotiate", "NTLM",
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
      for (method, body) in [("GET", nil), ("POST", Data("secret".utf8))] as [(String, Data?)] {
        let request = URLRequest(
          method: method, url: try server.url(), headers: ["Authorization": "Bearer canary"], body: body)
        let response = try await transport.answer(to: request.patient, limits: .patient)
        #expect(response.status == status && response.header("location") == target)
      }
      #expect(server.requests.count == 2)
    }
    #expect(other.requests.isEmpty)
  }

  @Test("Neither cookies nor responses are kept")
  func nothingIsKept() async throws {
    let server = try await TestServer(
      answering: LoopbackResponse(
        status: 200,
        headers: ["Set-Cookie": "session=canary; Path=/", "Cache-Control": "max-age=3600", "ETag": "\"1\""]
      ))
    for _ in 1...2 { _ = try await transport.answer(to: server.request(), limits: .patient) }
    #expect(server.requests.count == 2)
    #expect(server.requests.allSatisfy { $0.headers["cookie"] == nil && $0.headers["if-none-match"] == nil })
  }

  /// FoundationNetworking caches little by itself, so that answers alone do not show what is configured.
  @Test("The session keeps nothing")
  func theSessionKeepsNothing() {
    let configuration = URLSessionTransport.configuration
    #expect(configuration.urlCache == nil)
    #expect(configuration.httpCookieStorage == nil && !configuration.httpShouldSetCookies)
    #expect(configuration.httpCookieAcceptPolicy == .never && configuration.urlCredentialStorage == nil)
  }

  @Test(
    "A response without a body has an empty one, whatever its length says",
    arguments: [("GET", 204, 0), ("GET", 304, 0), ("GET", 200, 0), ("GET", 500, 0), ("HEAD", 200, 4096)])
  func anEmptyBodyIsEmpty(method: String, status: Int, length: Int) async throws {
    let server = try await TestServer(answering: LoopbackResponse(status: status, body: Data(count: length)))
    let request = URLRequest(method: method, url: try server.url()).patient
    let response = try await transport.answer(to: request, limits: .patient(maximumBodyBytes: 10))
    #expect(response.status == status && response.body.isEmpty)
  }

  @Test("A thousand requests at the same time are all answered, each with its own token", .descriptors(96))
  func manyRequests() async throws {
    // The client has up to 64 connections, and the others wait in the system's queue.
    let server = try await TestServer(connections: 16) { exchange in
      await exchange.respond(.text(exchange.request.target + (exchange.request.headers["authorization"] ?? "")))
    }
    let areOwn = try await simultaneously(1000) { number in
      var request = try server.request("/\(number)")
      if number > 0 { request.setValue("Bearer \(number)", forHTTPHeaderField: "authorization") }
      let answer = try await transport.answer(to: request, limits: .patient)
      return answer.body == Data("/\(number)\(number > 0 ? "Bearer \(number)" : "")".utf8)
    }
    #expect(areOwn.count == 1000 && areOwn.allSatisfy { $0 })
  }
}
