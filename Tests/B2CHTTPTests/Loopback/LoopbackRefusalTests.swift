import B2CHTTP
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LoopbackRefusalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: String
    let status: Int
    var testDescription: String { name }

    init(_ name: String, _ bytes: String, _ status: Int) {
      self.name = name
      self.bytes = bytes
      self.status = status
    }
  }

  static let post = "POST / HTTP/1.1\r\nHost: localhost\r\n"

  @Test(
    "refuses what is malformed or too large, with the status that says so, and ends the connection",
    arguments: [
      Case("another protocol", "\u{16}\u{3}\u{1}\u{2}", 400),
      Case("no version", "GET /\r\n\r\n", 400),
      Case("not HTTP", "GET / FTP/1.1\r\n\r\n", 400),
      Case("HTTP/2", "PRI * HTTP/2.0\r\n\r\n", 505),
      Case("two blanks", "GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
      Case("target without slash", "GET x HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
      Case("target with a control character", "GET /\u{7}x HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
      Case("line feed alone", "GET / HTTP/1.1\nHost: localhost\n\n", 400),
      Case("no host", "GET / HTTP/1.1\r\n\r\n", 400),
      Case("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
      Case("folded field", "GET / HTTP/1.1\r\nHost: localhost\r\nA: b\r\n c\r\n\r\n", 400),
      Case("blank before the colon", "GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", 400),
      Case("field without colon", "GET / HTTP/1.1\r\nHost: localhost\r\nabc\r\n\r\n", 400),
      Case("carriage return in a value", "GET / HTTP/1.1\r\nHost: localhost\r\nA: b\rc\r\n\r\n", 400),
      Case("NUL in a value", "GET / HTTP/1.1\r\nHost: localhost\r\nA: b\0c\r\n\r\n", 400),
      Case("head too large", "GET / HTTP/1.1\r\nHost: localhost\r\nA: \(String(repeating: "a", count: 2000))", 431),
      Case("target too large", "GET /\(String(repeating: "a", count: 2000))", 431),
      Case("length too large", post + "Content-Length: 101\r\n\r\n", 413),
      Case("length beyond any number", post + "Content-Length: 99999999999999999999\r\n\r\n", 413),
      Case("length negative", post + "Content-Length: -1\r\n\r\n", 400),
      Case("length no number", post + "Content-Length: ten\r\n\r\n", 400),
      Case("two lengths", post + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
      Case("length and chunked", post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
      Case("coding unknown", post + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
      Case("chunked in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
      Case("chunk too large", post + "Transfer-Encoding: chunked\r\n\r\n65\r\n", 413),
      Case("chunks too large", post + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n64\r\n", 413),
      Case("chunk size no number", post + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
      Case("chunk size beyond any number", post + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\n", 400),
      Case("chunk longer than its size", post + "Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", 400),
      Case(
        "chunk extension too large",
        post + "Transfer-Encoding: chunked\r\n\r\n1;" + String(repeating: "a", count: 2000), 431),
      Case(
        "trailer too large",
        post + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + String(repeating: "Aaaaaaaa: b\r\n", count: 200), 431),
    ])
  func refuses(_ sample: Case) async throws {
    let called = LoopbackGate()
    let limits = LoopbackLimits(headBytes: 1024, bodyBytes: 100)
    let listener = try await LoopbackListener(limits: limits) { (_: LoopbackRequest) in
      called.open()
      return .text("handled")
    }
    let client = try await LoopbackClient(port: listener.port)
    await client.send(sample.bytes)
    let answer = await client.receiveAll()
    #expect(answer.hasPrefix("HTTP/1.1 \(sample.status) "))
    #expect(answer.contains("Connection: close\r\n"))
    #expect(!answer.contains("handled"))
    await listener.close()
  }

  @Test("a body of just the limit is taken")
  func atTheLimit() async throws {
    let listener = try await LoopbackListenerTests.echo(LoopbackLimits(bodyBytes: 5))
    let client = try await LoopbackClient(port: listener.port)
    await client.send(Self.post + "Connection: close\r\nContent-Length: 5\r\n\r\n12345")
    #expect(await client.receiveAll().hasSuffix("|12345|"))
  }

  @Test(
    "gives up a client that never gets to the end of its request",
    arguments: [
      "", "GET / HT", post, post + "Content-Length: 5\r\n\r\nab", post + "Transfer-Encoding: chunked\r\n\r\n5",
    ])
  func slow(_ start: String) async throws {
    let limits = LoopbackLimits(requestTimeout: .milliseconds(100), idleTimeout: .milliseconds(100))
    let listener = try await LoopbackListenerTests.echo(limits)
    let client = try await LoopbackClient(port: listener.port)
    await client.send(start)
    let answer = await client.receiveAll()
    #expect(start.isEmpty ? answer.isEmpty : answer.hasPrefix("HTTP/1.1 408 "))
  }

  @Test("gives up a client that sends a byte now and then")
  func slowLoris() async throws {
    let listener = try await LoopbackListenerTests.echo(LoopbackLimits(requestTimeout: .milliseconds(200)))
    let client = try await LoopbackClient(port: listener.port)
    await client.send("GET / HTTP/1.1\r\n")
    let sender = Task {
      while !Task.isCancelled, await client.send("a") { await Task.yield() }
    }
    // 408 by its deadline, or 431 should the bytes have been faster than that.
    let answer = await client.receive(through: "\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 408 ") || answer.hasPrefix("HTTP/1.1 431 "))
    sender.cancel()
    await sender.value
  }

  @Test("random bytes end in an answer or an end, never in a trap")
  func garbage() async throws {
    let limits = LoopbackLimits(requestTimeout: .milliseconds(50), idleTimeout: .milliseconds(50))
    let listener = try await LoopbackListenerTests.echo(limits)
    let pieces = ["GET ", "/", " HTTP/1.1", "\r\n", ":", "Host: a\r\n", "\0", "é", "Content-Length: ", "9", "TE", ";"]
    var generator = SystemRandomNumberGenerator()
    for _ in 1...100 {
      let client = try await LoopbackClient(port: listener.port)
      let count = Int.random(in: 1...12, using: &generator)
      let text = (0..<count).compactMap { _ in pieces.randomElement(using: &generator) }.joined()
      await client.send(text)
      client.finishSending()
      let answer = await client.receiveAll()
      #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 "))
    }
    let client = try await LoopbackClient(port: listener.port)
    await client.send("GET /alive HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    #expect(await client.receiveAll().hasSuffix("GET|/alive|-||"))
  }
}
