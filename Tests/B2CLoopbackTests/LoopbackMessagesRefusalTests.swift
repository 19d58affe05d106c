import B2CLoopback
import Foundation
import TestSupport
import Testing

/// Requests by the rules of RFC 9112 and by the classes of h11's tests of framing (github.com/python-hyper/h11, MIT License),
/// written anew.
@Suite(.descriptors(), .hangLimit)
struct LoopbackMessagesRefusalTests {
  static let post = "POST / HTTP/1.1\r\nHost: localhost\r\n"

  @Test(
    "Refuses what is malformed or too large, with the status that says so, and ends the connection",
    arguments: [
      ("another protocol", "\u{16}\u{3}\u{1}\u{2}", 400),
      ("no version", "GET /\r\n\r\n", 400),
      ("not HTTP", "GET / FTP/1.1\r\n\r\n", 400),
      ("HTTP/2", "PRI * HTTP/2.0\r\n\r\n", 505),
      ("two blanks", "GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
      ("target without slash", "GET x HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
      ("target with a control character", "GET /\u{7}x HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
      ("line feed alone", "GET / HTTP/1.1\nHost: localhost\n\n", 400),
      ("no host", "GET / HTTP/1.1\r\n\r\n", 400),
      ("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
      ("folded field", "GET / HTTP/1.1\r\nHost: localhost\r\nA: b\r\n c\r\n\r\n", 400),
      ("blank before the colon", "GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", 400),
      ("field without colon", "GET / HTTP/1.1\r\nHost: localhost\r\nabc\r\n\r\n", 400),
      ("carriage return in a value", "GET / HTTP/1.1\r\nHost: localhost\r\nA: b\rc\r\n\r\n", 400),
      ("NUL in a value", "GET / HTTP/1.1\r\nHost: localhost\r\nA: b\0c\r\n\r\n", 400),
      ("head too large", "GET / HTTP/1.1\r\nHost: localhost\r\nA: \(String(repeating: "a", count: 2000))", 431),
      ("target too large", "GET /\(String(repeating: "a", count: 2000))", 431),
      ("length too large", post + "Content-Length: 101\r\n\r\n", 413),
      ("length beyond any number", post + "Content-Length: 99999999999999999999\r\n\r\n", 413),
      ("length negative", post + "Content-Length: -1\r\n\r\n", 400),
      ("length no number", post + "Content-Length: ten\r\n\r\n", 400),
      ("two lengths", post + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
      ("two equal lengths", post + "Content-Length: 1\r\nContent-Length: 1\r\n\r\na", 400),
      ("a list of lengths", post + "Content-Length: 1, 1\r\n\r\na", 400),
      ("length empty", post + "Content-Length:\r\n\r\n", 400),
      ("length of a comma", post + "Content-Length: ,\r\n\r\n", 400),
      ("length with a sign", post + "Content-Length: +1\r\n\r\na", 400),
      ("length hexadecimal", post + "Content-Length: 0x1\r\n\r\na", 400),
      ("length with a space inside", post + "Content-Length: 1 0\r\n\r\na", 400),
      ("length and chunked", post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
      ("chunked", post + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501),
      ("chunked with a stray comma", post + "Transfer-Encoding: ,chunked\r\n\r\n0\r\n\r\n", 501),
      ("chunked with a vertical tab", post + "Transfer-Encoding: \u{B}chunked\r\n\r\n0\r\n\r\n", 400),
      ("chunked with a space before the colon", post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400),
      ("chunked with a parameter", post + "Transfer-Encoding: chunked;a=b\r\n\r\n0\r\n\r\n", 501),
      ("chunk extension without a semicolon", post + "Transfer-Encoding: chunked\r\n\r\n1 a\r\na\r\n", 501),
      ("coding empty", post + "Transfer-Encoding:\r\n\r\n", 501),
      ("coding identity", post + "Transfer-Encoding: identity\r\n\r\n", 501),
      ("coding unknown", post + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
      ("HTTP/1.0", "GET / HTTP/1.0\r\nHost: localhost\r\n\r\n", 505),
      ("an empty line first", "\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
      ("an absolute target", "GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
      ("a target for the whole server", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    ])
  func refuses(_ name: String, _ bytes: String, _ status: Int) async throws {
    let limits = LoopbackLimits(headBytes: 1024, bodyBytes: 100)
    let answer = try await LoopbackListener(limits: limits) { _ in .text("handled") }.answer(to: bytes)
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
    #expect(answer.contains("Connection: close\r\n"))
    #expect(!answer.contains("handled"))
  }

  @Test("A body of just the limit is taken")
  func atTheLimit() async throws {
    let listener = try await LoopbackListener.echo(LoopbackLimits(bodyBytes: 5))
    #expect(try await listener.answer(to: Self.post + "Content-Length: 5\r\n\r\n12345").hasSuffix("|12345|"))
  }

  @Test(
    "A client that never finishes its request is answered 408, one that sends nothing is disconnected",
    arguments: ["GET / HT", post, post + "Content-Length: 5\r\n\r\nab", ""])
  func slow(_ start: String) async throws {
    // The time runs from the first byte on, so it does not matter when that arrives.
    let limits = LoopbackLimits(
      requestTimeout: .milliseconds(50), idleTimeout: start.isEmpty ? .milliseconds(50) : .patience)
    let answer = try await LoopbackListener.echo(limits).answer(to: start)
    #expect(start.isEmpty ? answer.isEmpty : answer.hasPrefix("HTTP/1.1 408 "))
  }

  @Test("The time of a request also ends if its bytes keep coming")
  func withoutAPause() async throws {
    // The time is over after the first of many bytes, and the others are there before the listener asks for them.
    let listener = try await LoopbackListener.echo(LoopbackLimits(requestTimeout: .zero))
    let body = String(repeating: "a", count: 1 << 18)
    let answer = try await listener.answer(to: Self.post + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
    #expect(answer.hasPrefix("HTTP/1.1 408 "))
  }

  @Test("A client that sends a byte now and then is disconnected too")
  func slowLoris() async throws {
    let listener = try await LoopbackListener.echo(LoopbackLimits(requestTimeout: .milliseconds(300)))
    let client = try await LoopbackClient(port: listener.port, sending: "GET / HTTP/1.1\r\nHost: a\r\n")
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

  @Test("Random bytes end in an answer or an end, never in a trap")
  func garbage() async throws {
    let listener = try await LoopbackListener.echo()
    let pieces = ["GET ", "/", " HTTP/1.1", "\r\n", ":", "Host: a\r\n", "\0", "é", "Content-Length: ", "9", "TE", ";"]
    var generator = SplitMix64(seed: 11)
    for _ in 1...100 {
      let client = try await LoopbackClient(port: listener.port)
      await client.send((0...generator.below(12)).map { _ in generator.pick(pieces) }.joined())
      client.finishSending()
      let answer = await client.receiveAll()
      #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 "))
    }
    let alive = try await listener.answer(to: "GET /alive HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(alive.hasSuffix("GET|/alive|-||"))
  }
}
