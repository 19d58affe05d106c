import B2CLoopback
import Foundation
import TestSupport
import Testing

@Suite(.descriptors(), .hangLimit)
struct LoopbackListenerTests {
  @Test("A connection takes one request and ends with its answer, also if more requests follow immediately")
  func oneRequest() async throws {
    let answer = try await LoopbackListener.echo().answer(
      to: """
        POST /1?a=%20 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc\
        GET /2 HTTP/1.1\r\nHost: localhost\r\n\r\n
        """)
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.contains("Connection: close\r\n"))
    #expect(answer.hasSuffix("\r\n\r\nPOST|/1|a=%20|abc|"))
  }

  @Test(
    "Reads a body however it is cut",
    arguments: [
      "Content-Length: 11\r\n\r\nhello world", "content-length:11\r\nExpect: 100-continue\r\n\r\nhello world",
    ])
  func bodies(_ rest: String) async throws {
    // Byte by byte takes long on a busy machine.
    let listener = try await LoopbackListener.echo(.patient)
    let whole = "PUT /x HTTP/1.1\r\nHost: localhost\r\n" + rest
    #expect(try await listener.answer(to: whole).hasSuffix("PUT|/x|-|hello world|"))
    let byteByByte = try await LoopbackClient(port: listener.port)
    for byte in whole.utf8 { await byteByByte.send([byte]) }
    #expect(await byteByByte.receiveAll().hasSuffix("PUT|/x|-|hello world|"))
    await listener.close()
  }

  @Test("Sends 100 Continue before it reads a body that waits for it")
  func expectContinue() async throws {
    let listener = try await LoopbackListener.echo(.patient)
    let client = try await LoopbackClient(port: listener.port)
    await client.send("POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    #expect(await client.receive(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
    await client.send("ok")
    #expect(await client.receiveAll().hasSuffix("POST|/|-|ok|"))
    await listener.close()
  }

  @Test("Answers HEAD with the length and without the body")
  func head() async throws {
    let listener = try await LoopbackListener { _ in .text("twelve bytes") }
    let answer = try await listener.answer(to: "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(answer.contains("Content-Length: 12\r\n"))
    #expect(answer.hasSuffix("\r\n\r\n"))
  }

  @Test("A header value cannot start another field")
  func responseSplitting() async throws {
    let listener = try await LoopbackListener { _ in
      LoopbackResponse(status: 200, headers: ["X-Good": "1", "X-Bad": "1\r\nSet-Cookie: a=b"])
    }
    let answer = try await listener.answer(to: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(answer.contains("X-Good: 1\r\n"))
    #expect(!answer.contains("Set-Cookie"))
  }

  @Test(
    "The target is as written, cut into path and query at the first question mark",
    arguments: [("/a%2Fb?x=1?y", "/a%2Fb?x=1?y /a%2Fb x=1?y"), ("/?", "/? / "), ("//a", "//a //a -")])
  func target(_ target: String, _ expected: String) async throws {
    let listener = try await LoopbackListener { .text("\($0.target) \($0.path) \($0.query ?? "-")") }
    let answer = try await listener.answer(to: "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(answer.hasSuffix("\r\n\r\n" + expected))
  }
}

extension LoopbackListener {
  /// A listener that answers with method, path, query and body.
  static func echo(_ limits: LoopbackLimits = .server) async throws -> LoopbackListener {
    try await LoopbackListener(limits: limits) { request in
      let body = String(decoding: request.body, as: UTF8.self)
      return .text("\(request.method)|\(request.path)|\(request.query ?? "-")|\(body)|")
    }
  }

  /// Sends text over a connection of its own, and returns the whole answer.
  func answer(to text: String, host: String = "127.0.0.1") async throws -> String {
    try await LoopbackClient(port: port, host: host, sending: text).receiveAll()
  }
}

extension LoopbackLimits {
  /// No time limit ends a connection, however slow the machine is.
  static let patient = LoopbackLimits(
    requestTimeout: .patience, idleTimeout: .patience, responseTimeout: .patience)
}
