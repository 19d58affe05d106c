import B2CLoopback
import Foundation
import TestSupport
import Testing

/// Requests by the rules of RFC 9112 and by the classes of h11's tests of framing (github.com/python-hyper/h11, MIT License),
/// written anew.
@Suite(.descriptors(), .hangLimit)
struct LoopbackMessagesRefusalTests {
  static let get = "GET / HTTP/1.1\r\nHost: localhost\r\n"
  static let post = "POST / HTTP/1.1\r\nHost: localhost\r\n"
  static let long = String(repeating: "a", count: 2000)

  static let malformed: [String] =
    [
      // Another protocol, and request lines of another form.
      "\u{16}\u{3}\u{1}\u{2}", "GET /\r\n\r\n", "GET / FTP/1.1\r\n\r\n", "\r\n" + get + "\r\n",
      "GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET / HTTP/1.1\nHost: localhost\n\n",
      // Targets that are no path.
      "GET x HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /\u{7}x HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
      // Not one Host.
      "GET / HTTP/1.1\r\n\r\n", get + "Host: b\r\n\r\n",
      // Malformed fields.
      get + "A: b\r\n c\r\n\r\n", get + "A : b\r\n\r\n", get + "abc\r\n\r\n", get + "A: b\rc\r\n\r\n",
      get + "A: b\0c\r\n\r\n", post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
      post + "Transfer-Encoding: \u{B}chunked\r\n\r\n0\r\n\r\n",
      post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ]
    + ["-1", "ten", "", ",", "+1", "0x1", "1 0", "1, 1", "1\r\nContent-Length: 1", "1\r\nContent-Length: 2"].map {
      post + "Content-Length: \($0)\r\n\r\na"
    }
  static let codings = ["chunked", ",chunked", "chunked;a=b", "", "identity", "gzip, chunked"]
  static let rows: [(String, Int)] =
    malformed.map { ($0, 400) } + codings.map { (post + "Transfer-Encoding: \($0)\r\n\r\n0\r\n\r\n", 501) } + [
      (get + "A: " + long, 431), ("GET /" + long, 431), (post + "Content-Length: 101\r\n\r\n", 413),
      (post + "Content-Length: 99999999999999999999\r\n\r\n", 413), ("PRI * HTTP/2.0\r\n\r\n", 505),
      ("GET / HTTP/1.0\r\nHost: localhost\r\n\r\n", 505),
    ]

  @Test("What is malformed or too large is refused with its status, and the connection ends", arguments: rows)
  func refuses(_ bytes: String, _ status: Int) async throws {
    let limits = LoopbackLimits(headBytes: 1024, bodyBytes: 100)
    let answer = try await LoopbackListener(limits: limits) { _ in .text("handled") }.answer(to: bytes)
    #expect(answer.hasPrefix("HTTP/1.1 \(status) ") && answer.contains("Connection: close\r\n"))
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
    let client = try await LoopbackClient(port: listener.port, sending: Self.get)
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
    #expect(try await listener.answer(to: Self.get + "\r\n").hasSuffix("GET|/|-||"))
  }
}
