import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Bodies are bounded while they arrive, exchanges by their deadline.
@Suite(.descriptors(), .hangLimit)
struct URLSessionTransportLimitTests {
  @Test("A body of exactly the limit is taken")
  func exactly() async throws {
    let server = try await TestServer(answering: LoopbackResponse(status: 200, body: Data(count: 1000)))
    let limits = TransportLimits.patient(maximumBodyBytes: 1000)
    #expect(try await URLSessionTransport().answer(to: server.request(), limits: limits).body.count == 1000)
  }

  /// How a server sends too much, and the limit.
  static let excesses: [(@Sendable (LoopbackExchange) async -> Void, Int)] = [
    (
      { exchange in
        await exchange.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while await exchange.write("400\r\n" + String(repeating: "x", count: 0x400) + "\r\n") {}
      }, 64 << 10
    ),
    (
      { exchange in
        let headers = ["WWW-Authenticate": #"Basic realm="x""#]
        await exchange.respond(LoopbackResponse(status: 401, headers: headers, body: Data(count: 100_000)))
      }, 1000
    ),
    (
      { exchange in
        // Compressed, it is smaller than the limit.
        let bomb = GzipBomb(size: 8 << 20).data
        await exchange.respond(LoopbackResponse(status: 200, headers: ["Content-Encoding": "gzip"], body: bomb))
      }, 1 << 20
    ),
  ]

  @Test(
    "An excess stops the exchange, also if it was not announced, of a 401, and after decompression",
    arguments: excesses.indices)
  func excess(_ index: Int) async throws {
    let (handler, limit) = Self.excesses[index]
    let server = try await TestServer(handler)
    await expectError(URLError.self, .dataLengthExceedsMaximum) {
      try await URLSessionTransport().answer(to: server.request(), limits: .patient(maximumBodyBytes: limit))
    }
  }

  @Test(
    "The deadline ends an exchange wherever it is",
    arguments: ["", "HTTP/1.1 200 OK\r\nX-Slow", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234"])
  func deadline(sent: String) async throws {
    let (arrived, released) = (TestGate(), TestGate())
    let server = try await TestServer { exchange in
      await exchange.write(sent)
      arrived.open()
      await exchange.waitForDisconnect()
      released.open()
    }
    defer { withExtendedLifetime(server) {} }
    let clock = TestClock(advancesItself: false)
    let transport = URLSessionTransport(clock: clock)
    let (request, limits) = (try server.request(), TransportLimits(deadline: .seconds(20), idleTimeout: .seconds(3600)))
    let hasEnded = Locked(false)
    let call = Task {
      defer { hasEnded.withLock { $0 = true } }
      _ = try await transport.answer(to: request, limits: limits)
    }
    try? await arrived.wait()
    await clock.waitForSleepers()
    for _ in 1...19 { await clock.advance(by: .seconds(1)) }
    for _ in 0..<200 { await Task.yield() }
    #expect(!hasEnded.withLock { $0 })
    await clock.advance(by: .seconds(1))
    await expectError(URLError.self, .timedOut) { try await call.value }
    // A server that closed first would end the answer inside its head, which FoundationNetworking does not survive.
    try? await released.wait()
  }

  @Test(
    "A deadline of no time, or silence, ends an exchange",
    arguments: [TransportLimits(deadline: .zero), TransportLimits(idleTimeout: .milliseconds(1))])
  func timeout(limits: TransportLimits) async throws {
    let server = try await TestServer { await $0.waitForDisconnect() }
    await expectError(URLError.self, .timedOut) {
      try await URLSessionTransport().answer(to: server.request(), limits: limits)
    }
  }
}
