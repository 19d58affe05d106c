import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// One exchange over a connection.
@Suite(.descriptors(), .hangLimit)
struct LoopbackListenerTests {
  private static let get = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"

  @Test("A connection takes one request and ends with its answer, also if more requests follow immediately")
  func oneRequest() async throws {
    let answer = try await LoopbackListener.echo().answer(
      to: """
        POST /1?a=%20 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc\
        GET /2 HTTP/1.1\r\nHost: localhost\r\n\r\n
        """)
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.contains("Connection: close\r\n"))
    #expect(answer.hasSuffix("\r\n\r\nPOST|/1|a=%20|abc|"))
  }

  @Test(
    "A body is read however it is cut, and 100 Continue is sent before a body that waits for it",
    arguments: ["Content-Length: 11\r\n", "content-length:11\r\nExpect: 100-continue\r\n"])
  func bodies(_ fields: String) async throws {
    // Byte by byte takes long on a busy machine.
    let listener = try await LoopbackListener.echo(.patient)
    let (head, body) = ("PUT /x HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n", "hello world")
    #expect(try await listener.answer(to: head + body).hasSuffix("PUT|/x|-|hello world|"))
    let byteByByte = try await LoopbackClient(port: listener.port)
    for byte in head.utf8 { await byteByByte.send([byte]) }
    if fields.contains("Expect") {
      #expect(await byteByByte.receive(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
    }
    for byte in body.utf8 { await byteByByte.send([byte]) }
    let answer = await byteByByte.receiveAll()
    #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("PUT|/x|-|hello world|"))
    await listener.close()
  }

  @Test(
    "The target is as written, cut into path and query at the first question mark",
    arguments: [("/a%2Fb?x=1?y", "/a%2Fb|x=1?y"), ("/?", "/|"), ("//a", "//a|-")])
  func target(_ target: String, _ expected: String) async throws {
    let answer = try await LoopbackListener.echo().answer(to: "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(answer.hasSuffix("\r\n\r\nGET|\(expected)||"))
  }

  @Test("An answer has its length and no injected field, and for HEAD no body", arguments: ["GET", "HEAD"])
  func answer(to method: String) async throws {
    let answer = LoopbackResponse(
      status: 200, headers: ["X-Good": "1", "X-Bad": "1\r\nSet-Cookie: a=b"], body: Data("twelve bytes".utf8))
    let text = try await LoopbackListener { _ in answer }.answer(to: "\(method) / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(text.contains("Content-Length: 12\r\n") && text.contains("X-Good: 1\r\n") && !text.contains("Set-Cookie"))
    #expect(text.hasSuffix("\r\n\r\n" + (method == "GET" ? "twelve bytes" : "")))
  }

  /// Sends a request to a listener with a handler of its own.
  private func client(
    handler: @escaping @Sendable (LoopbackExchange) async -> Void
  ) async throws -> (LoopbackListener, LoopbackClient) {
    let listener = try await LoopbackListener(limits: .patient, handler: handler)
    return (listener, try await LoopbackClient(port: listener.port, sending: Self.get))
  }

  @Test("Bytes go out as they are written, when they are written")
  func writing() async throws {
    let gate = TestGate()
    let (listener, client) = try await client { exchange in
      await exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab")
      try? await gate.wait()
      await exchange.write("cd")
    }
    #expect(await client.receive(through: "ab").hasSuffix("ab"))
    gate.open()
    #expect(await client.receiveAll() == "cd")
    await listener.close()
  }

  @Test("A large answer reaches a client that reads slowly")
  func backpressure() async throws {
    let body = Data(repeating: 0x62, count: 8 << 20)
    let (listener, client) = try await client { await $0.respond(LoopbackResponse(status: 200, body: body)) }
    let answer = await client.receiveAll()
    #expect(answer.utf8.count > body.count && answer.hasSuffix("bbb"))
    await listener.close()
  }

  @Test("A handler that never answers learns that the client is gone, and writing to it then says so")
  func clientGone() async throws {
    let results = AsyncStream<Bool>.makeStream()
    let (listener, client) = try await client { exchange in
      await exchange.waitForDisconnect()
      let block = Data(repeating: 0x61, count: 1 << 20)
      // What the system still buffers counts as sent, so it takes more than one try.
      var isSent = true
      for _ in 1...20 where isSent { isSent = await exchange.write(block) }
      results.continuation.yield(isSent)
    }
    await client.send("more than was asked for")
    client.close()
    var iterator = results.stream.makeAsyncIterator()
    #expect(await iterator.next() == false)
    #expect(await client.receive() == nil)
    await listener.close()
  }

  @Test(
    "An error number is told in words, and the App Sandbox's refusal says what to switch on",
    arguments: [
      (EADDRINUSE, .portInUse, "Port 8400 is in use", "End that program"),
      (EACCES, .presentationFailed, "Port 8400 cannot be listened on: ", nil),
      (EPERM, .presentationFailed, "Port 8400 cannot be listened on: ", "App Sandbox needs Incoming Connections"),
    ] as [(CInt, ErrorCode, String, String?)])
  func number(_ number: CInt, _ code: ErrorCode, _ words: String, _ suggestion: String?) {
    let error = ConnectorError(listening: number, port: 8400)
    #expect(error.code == code && error.message.hasPrefix(words))
    #expect((error.underlying as NSError?)?.code == Int(number))
    #expect(error.recoverySuggestion?.contains(suggestion ?? "") == suggestion.map { _ in true })
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
