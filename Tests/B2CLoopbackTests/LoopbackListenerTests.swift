import B2CHTTP
import B2CLoopback
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.descriptors(), .hangLimit)
struct LoopbackListenerTests {
  /// Answers with method, target, path, query and body, a line each.
  static func echo(_ limits: LoopbackLimits = .server) async throws -> LoopbackListener {
    try await LoopbackListener(limits: limits) { request in
      let body = String(decoding: request.body, as: UTF8.self)
      return .text("\(request.method)|\(request.path)|\(request.query ?? "-")|\(body)|")
    }
  }

  @Test("a connection takes one request and ends with its answer, also when more requests follow at once")
  func oneRequest() async throws {
    let listener = try await Self.echo()
    let client = try await LoopbackClient(port: listener.port)
    await client.send(
      """
      POST /1?a=%20 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc\
      GET /2 HTTP/1.1\r\nHost: localhost\r\n\r\n
      """)
    let answer = await client.receiveAll()
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.contains("Connection: close\r\n"))
    #expect(answer.hasSuffix("\r\n\r\nPOST|/1|a=%20|abc|"))
    await listener.close()
  }

  @Test(
    "reads a body however it is cut",
    arguments: [
      "Content-Length: 11\r\n\r\nhello world", "content-length:11\r\nExpect: 100-continue\r\n\r\nhello world",
    ])
  func bodies(_ rest: String) async throws {
    // Byte by byte takes long where the machine is busy.
    let listener = try await Self.echo(LoopbackLimits(requestTimeout: .seconds(300), idleTimeout: .seconds(300)))
    let whole = "PUT /x HTTP/1.1\r\nHost: localhost\r\n" + rest
    let inOne = try await LoopbackClient(port: listener.port)
    await inOne.send(whole)
    #expect(await inOne.receiveAll().hasSuffix("PUT|/x|-|hello world|"))
    let byteByByte = try await LoopbackClient(port: listener.port)
    for byte in whole.utf8 {
      await byteByByte.send([byte])
    }
    #expect(await byteByByte.receiveAll().hasSuffix("PUT|/x|-|hello world|"))
    await listener.close()
  }

  @Test("sends 100 Continue before it reads a body that waits for it")
  func expectContinue() async throws {
    let listener = try await Self.echo(LoopbackLimits(requestTimeout: .seconds(300), idleTimeout: .seconds(300)))
    let client = try await LoopbackClient(port: listener.port)
    await client.send("POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    #expect(await client.receive(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
    await client.send("ok")
    #expect(await client.receiveAll().hasSuffix("POST|/|-|ok|"))
    await listener.close()
  }

  @Test("answers HEAD with the length and without the body")
  func head() async throws {
    let listener = try await LoopbackListener { (_: LoopbackRequest) in .text("twelve bytes") }
    let client = try await LoopbackClient(port: listener.port)
    await client.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    let answer = await client.receiveAll()
    #expect(answer.contains("Content-Length: 12\r\n"))
    #expect(answer.hasSuffix("\r\n\r\n"))
  }

  @Test("a header value cannot start another field")
  func responseSplitting() async throws {
    let listener = try await LoopbackListener { (_: LoopbackRequest) in
      LoopbackResponse(status: 200, headers: ["X-Good": "1", "X-Bad": "1\r\nSet-Cookie: a=b"])
    }
    let client = try await LoopbackClient(port: listener.port)
    await client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    let answer = await client.receiveAll()
    #expect(answer.contains("X-Good: 1\r\n"))
    #expect(!answer.contains("Set-Cookie"))
  }

  @Test("the target is as written, cut into path and query at the first question mark")
  func target() async throws {
    let listener = try await LoopbackListener { (request: LoopbackRequest) in
      .text("\(request.target) \(request.path) \(request.query ?? "-")")
    }
    for (target, expected) in [("/a%2Fb?x=1?y", "/a%2Fb?x=1?y /a%2Fb x=1?y"), ("/?", "/? / "), ("//a", "//a //a -")] {
      let client = try await LoopbackClient(port: listener.port)
      await client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(await client.receiveAll().hasSuffix("\r\n\r\n" + expected))
    }
    await listener.close()
  }

  @Test("serves URLSession")
  func urlSession() async throws {
    let listener = try await Self.echo()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration)
    let url = try #require(URL(string: "http://127.0.0.1:\(listener.port)/list?page=2"))
    for _ in 1...5 {
      let (data, response) = try await session.data(from: url)
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
      #expect(String(decoding: data, as: UTF8.self) == "GET|/list|page=2||")
    }
    session.finishTasksAndInvalidate()
    await listener.close()
  }
}
