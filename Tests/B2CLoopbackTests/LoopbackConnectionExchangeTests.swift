import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.descriptors(), .hangLimit)
struct LoopbackConnectionExchangeTests {
  private static let request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"

  private func client(
    handler: @escaping @Sendable (LoopbackExchange) async -> Void
  ) async throws -> (LoopbackListener, LoopbackClient) {
    let listener = try await LoopbackListener(limits: .patient, handler: handler)
    return (listener, try await LoopbackClient(port: listener.port, sending: Self.request))
  }

  @Test("Bytes go out as they are written, when they are written")
  func gate() async throws {
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

  @Test("A handler may close, reset or say nothing at all")
  func endings() async throws {
    let (first, closed) = try await client { $0.close() }
    #expect(await closed.receiveAll().isEmpty)
    let (second, broken) = try await client { exchange in
      await exchange.write("half an ans")
      exchange.reset()
    }
    #expect(await broken.receiveAll() != "half an answer")
    let (third, unanswered) = try await client { _ in }
    #expect(await unanswered.receiveAll().isEmpty)
    for listener in [first, second, third] { await listener.close() }
  }

  @Test("A handler that never answers learns that the client is gone")
  func neverAnswers() async throws {
    let gone = TestGate()
    let (listener, client) = try await client { exchange in
      await exchange.waitForDisconnect()
      gone.open()
    }
    await client.send("more than was asked for")
    client.close()
    try? await gone.wait()
    #expect(await client.receive() == nil)
    await listener.close()
  }

  @Test("Writing to a client that is gone says so")
  func writeAfterEnd() async throws {
    let results = AsyncStream<Bool>.makeStream()
    let (listener, client) = try await client { exchange in
      await exchange.waitForDisconnect()
      let block = Data(repeating: 0x61, count: 1 << 20)
      // What the system still buffers counts as sent, so it takes more than one try.
      var isSent = true
      for _ in 1...20 where isSent { isSent = await exchange.write(block) }
      results.continuation.yield(isSent)
    }
    client.close()
    var iterator = results.stream.makeAsyncIterator()
    #expect(await iterator.next() == false)
    await listener.close()
  }

  @Test("A large answer reaches a client that reads slowly")
  func backpressure() async throws {
    let body = Data(repeating: 0x62, count: 8 << 20)
    let (listener, client) = try await client { exchange in
      await exchange.respond(LoopbackResponse(status: 200, body: body))
    }
    let answer = await client.receiveAll()
    #expect(answer.utf8.count > body.count)
    #expect(answer.hasSuffix("bbb"))
    await listener.close()
  }
}
