import B2CLoopback
import Foundation
import TestSupport
import Testing

/// Requests by the rules of RFC 9112 and by the classes of h11's tests of framing (github.com/python-hyper/h11, MIT License),
/// written anew.
@Suite(.descriptors(), .hangLimit)
struct LoopbackMessagesRefusalTests {
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
      Case("two equal lengths", post + "Content-Length: 1\r\nContent-Length: 1\r\n\r\na", 400),
      Case("a list of lengths", post + "Content-Length: 1, 1\r\n\r\na", 400),
      Case("length empty", post + "Content-Length:\r\n\r\n", 400),
      Case("length of a comma", post + "Content-Length: ,\r\n\r\n", 400),
      Case("length with a sign", post + "Content-Length: +1\r\n\r\na", 400),
      Case("length hexadecimal", post + "Content-Length: 0x1\r\n\r\na", 400),
      Case("length with a space inside", post + "Content-Length: 1 0\r\n\r\na", 400),
      Case("length and chunked", post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
      Case("chunked", post + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501),
      Case("chunked with a stray comma", post + "Transfer-Encoding: ,chunked\r\n\r\n0\r\n\r\n", 501),
      Case("chunked with a vertical tab", post + "Transfer-Encoding: \u{B}chunked\r\n\r\n0\r\n\r\n", 400),
      Case("chunked with a space before the colon", post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400),
      Case("chunked with a parameter", post + "Transfer-Encoding: chunked;a=b\r\n\r\n0\r\n\r\n", 501),
      Case("chunk extension without a semicolon", post + "Transfer-Encoding: chunked\r\n\r\n1 a\r\na\r\n", 501),
      Case("coding empty", post + "Transfer-Encoding:\r\n\r\n", 501),
      Case("coding identity", post + "Transfer-Encoding: identity\r\n\r\n", 501),
      Case("coding unknown", post + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
      Case("HTTP/1.0", "GET / HTTP/1.0\r\nHost: localhost\r\n\r\n", 505),
      Case("an empty line first", "\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
      Case("an absolute target", "GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
      Case("a target for the whole server", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    ])
  func refuses(_ sample: Case) async throws {
    let limits = LoopbackLimits(headBytes: 1024, bodyBytes: 100)
    let listener = try await LoopbackListener(limits: limits) { (_: LoopbackRequest) in .text("handled") }
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
    await client.send(Self.post + "Content-Length: 5\r\n\r\n12345")
    #expect(await client.receiveAll().hasSuffix("|12345|"))
  }

  @Test(
    "a client that never finishes its request is answered 408",
    arguments: ["GET / HT", post, post + "Content-Length: 5\r\n\r\nab"])
  func slow(_ start: String) async throws {
    // The time runs from the first byte on, so it does not matter when that arrives.
    let listener = try await LoopbackListenerTests.echo(LoopbackLimits(requestTimeout: .milliseconds(50)))
    let client = try await LoopbackClient(port: listener.port)
    await client.send(start)
    #expect(await client.receiveAll().hasPrefix("HTTP/1.1 408 "))
    await listener.close()
  }

  @Test("a client that sends nothing is disconnected")
  func silent() async throws {
    let listener = try await LoopbackListenerTests.echo(LoopbackLimits(idleTimeout: .milliseconds(50)))
    let client = try await LoopbackClient(port: listener.port)
    #expect(await client.receiveAll().isEmpty)
    await listener.close()
  }

  @Test("a client that sends a byte now and then is disconnected too")
  func slowLoris() async throws {
    let listener = try await LoopbackListenerTests.echo(LoopbackLimits(requestTimeout: .milliseconds(300)))
    let client = try await LoopbackClient(port: listener.port)
    await client.send("GET / HTTP/1.1\r\nHost: a\r\n")
    // A byte each 50 ms, for a second, and then the rest: were the time counted from each byte, this would be answered.
    let sender = Task {
      for byte in "X-Slow: aaaaaaaaaaaa\r\n\r\n" {
        guard await client.send(String(byte)) else { return }
        try? await Task.sleep(for: .milliseconds(50))
      }
    }
    #expect(await client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 408 "))
    sender.cancel()
    await sender.value
  }

  @Test("random bytes end in an answer or an end, never in a trap")
  func garbage() async throws {
    let listener = try await LoopbackListenerTests.echo()
    let pieces = ["GET ", "/", " HTTP/1.1", "\r\n", ":", "Host: a\r\n", "\0", "é", "Content-Length: ", "9", "TE", ";"]
    var generator = SeededGenerator(seed: 11)
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
    await client.send("GET /alive HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(await client.receiveAll().hasSuffix("GET|/alive|-||"))
  }
}

/// SplitMix64, so that a failure can be repeated.
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
