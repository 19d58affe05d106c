import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import Testing

/// A body can be read while it arrives.
@Suite(.timeLimit(.minutes(1)))
struct SessionStreamTests {
  private let transport = URLSessionTransport()

  private func whole(_ body: AsyncThrowingStream<Data, any Error>) async throws -> Data {
    try await body.reduce(into: Data()) { $0.append($1) }
  }

  @Test func theFirstBytesAreThereBeforeTheLastAreSent() async throws {
    let gate = LoopbackGate()
    let server = try await TestServer { exchange in
      await exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\nX-A: 1\r\n\r\n01234")
      await gate.wait()
      await exchange.write("56789")
    }
    let (head, body) = try await transport.stream(server.request())
    #expect(head.status == 200)
    #expect(head.headers["x-a"] == "1")
    #expect(head.body.isEmpty)
    var chunks = body.makeAsyncIterator()
    #expect(try await chunks.next() == Data("01234".utf8))
    gate.open()
    #expect(try await chunks.next() == Data("56789".utf8))
    #expect(try await chunks.next() == nil)
  }

  @Test func aLargeBodyComesWholeAndInOrder() async throws {
    let expected = Data((0..<(4 << 20)).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 9)) })
    let server = try await TestServer(answering: LoopbackResponse(status: 200, body: expected))
    let limits = TransportLimits(maximumBodyBytes: 8 << 20)
    let (_, body) = try await transport.stream(server.request(limits: limits))
    #expect(try await whole(body) == expected)
  }

  @Test func theLimitHoldsWhileBytesArrive() async throws {
    let server = try await TestServer { exchange in
      await exchange.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      let chunk = "400\r\n" + String(repeating: "x", count: 0x400) + "\r\n"
      while await exchange.write(chunk) {}
    }
    let limits = TransportLimits(maximumBodyBytes: 100_000)
    let (_, body) = try await transport.stream(server.request(limits: limits))
    let received = Locked(0)
    await #expect(throws: TransportError(.responseTooLarge, "")) {
      for try await bytes in body { received.withLock { $0 += bytes.count } }
    }
    #expect(received.withLock { $0 } <= 100_000)
  }

  @Test func anAnnouncedExcessIsAnErrorBeforeTheFirstByte() async throws {
    let server = try await TestServer(
      answering: LoopbackResponse(status: 200, body: Data(repeating: 1, count: 2000)))
    let request = try server.request(limits: TransportLimits(maximumBodyBytes: 1000))
    await #expect(throws: TransportError(.responseTooLarge, "")) {
      let (_, body) = try await transport.stream(request)
      _ = try await whole(body)
    }
  }

  @Test func aBrokenBodyIsAnErrorAfterWhatCame() async throws {
    let server = try await TestServer { exchange in
      await exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234")
      exchange.close()
    }
    let (_, body) = try await transport.stream(server.request())
    var chunks = body.makeAsyncIterator()
    #expect(try await chunks.next() == Data("01234".utf8))
    await #expect(throws: TransportError(.connectionLost, "")) { try await chunks.next() }
  }

  @Test(arguments: [("Basic realm=\"x\"", 401), (nil, 302), (nil, 500), (nil, 204)])
  func everyStatusComesThrough(challenge: String?, status: Int) async throws {
    var response = LoopbackResponse(status: status, body: Data((status == 204 ? "" : "why").utf8))
    response.headers["WWW-Authenticate"] = challenge
    response.headers["Location"] = "/elsewhere"
    let server = try await TestServer(answering: response)
    let (head, body) = try await transport.stream(server.request())
    #expect(head.status == status)
    _ = try await whole(body)
    #expect(server.requests.count == 1)
  }

  @Test func aReaderThatIsCancelledIsNotGivenAShortBody() async throws {
    let left = LoopbackGate()
    let server = try await TestServer { exchange in
      await exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234")
      await exchange.waitForDisconnect()
      left.open()
    }
    let (_, body) = try await transport.stream(server.request())
    let begun = LoopbackGate()
    let reader = Task {
      for try await _ in body { begun.open() }
    }
    await begun.wait()
    reader.cancel()
    await #expect(throws: CancellationError.self) { try await reader.value }
    await left.wait()
  }

  @Test func lettingGoOfTheBodyEndsTheTransfer() async throws {
    let left = LoopbackGate()
    let server = try await TestServer { exchange in
      await exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234")
      await exchange.waitForDisconnect()
      left.open()
    }
    _ = try await transport.stream(server.request())
    await left.wait()
    #expect(server.requests.count == 1)
  }

  @Test func theDeadlineHoldsForTheBodyToo() async throws {
    let server = try await TestServer { exchange in
      await exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234")
      await exchange.waitForDisconnect()
    }
    let clock = TestClock()
    let transport = URLSessionTransport(clock: clock)
    let (_, body) = try await transport.stream(server.request(limits: TransportLimits(deadline: .seconds(5))))
    var chunks = body.makeAsyncIterator()
    #expect(try await chunks.next() == Data("01234".utf8))
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(5))
    await #expect(throws: TransportError(.timedOut, "")) { try await chunks.next() }
  }

  @Test func aStreamGivesItsTurnBack() async throws {
    let server = try await TestServer(answering: .text("ok"))
    let transport = URLSessionTransport(maximumConnectionsPerHost: 1)
    for _ in 0..<3 {
      let (_, body) = try await transport.stream(server.request())
      #expect(try await whole(body) == Data("ok".utf8))
    }
    #expect(try await transport.send(server.request()).status == 200)
  }
}
