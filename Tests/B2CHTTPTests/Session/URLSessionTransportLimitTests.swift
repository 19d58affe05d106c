import B2CHTTP
import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Bodies are bounded while they arrive, exchanges by their deadline.
@Suite(.descriptors(), .timeLimit(.minutes(10)))
struct URLSessionTransportLimitTests {
  private static let small = TransportLimits.patient(maximumBodyBytes: 1000)

  @Test func aBodyOfExactlyTheLimitIsTaken() async throws {
    let server = try await TestServer(
      answering: LoopbackResponse(status: 200, body: Data(repeating: 1, count: 1000)))
    let response = try await URLSessionTransport().send(server.request(limits: Self.small))
    #expect(response.body.count == 1000)
  }

  @Test func anAnnouncedExcessStopsTheExchangeAtOnce() async throws {
    let server = try await TestServer { exchange in
      await exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n")
      await exchange.waitForDisconnect()
    }
    let request = try server.request(limits: Self.small)
    await expectError(TransportError.self, .responseTooLarge) { try await URLSessionTransport().send(request) }
  }

  @Test func anUnannouncedExcessStopsTheExchange() async throws {
    let server = try await TestServer { exchange in
      await exchange.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      let chunk = "400\r\n" + String(repeating: "x", count: 0x400) + "\r\n"
      while await exchange.write(chunk) {}
    }
    let request = try server.request(limits: .patient(maximumBodyBytes: 64 << 10))
    await expectError(TransportError.self, .responseTooLarge) { try await URLSessionTransport().send(request) }
  }

  @Test func aRefusalsBodyIsBoundedToo() async throws {
    let server = try await TestServer(
      answering: LoopbackResponse(
        status: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\""], body: Data(repeating: 1, count: 100_000)))
    let request = try server.request(limits: Self.small)
    await expectError(TransportError.self, .responseTooLarge) { try await URLSessionTransport().send(request) }
  }

  @Test func whatCountsIsTheDecompressedSize() async throws {
    let bomb = GzipBomb(size: 8 << 20).data
    let server = try await TestServer(
      answering: LoopbackResponse(status: 200, headers: ["Content-Encoding": "gzip"], body: bomb))
    let request = try server.request(limits: .patient(maximumBodyBytes: 1 << 20))
    #expect(bomb.count < 1 << 20)
    await expectError(TransportError.self, .responseTooLarge) { try await URLSessionTransport().send(request) }
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\nX-Slow", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234"])
  func theDeadlineEndsAnExchangeWhereverItIs(sent: String) async throws {
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
    let request = try server.request(limits: TransportLimits(deadline: .seconds(20), idleTimeout: .seconds(3600)))
    let call = Task { try await transport.send(request) }
    try? await arrived.wait()
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(19))
    await clock.advance(by: .seconds(1))
    await expectError(TransportError.self, .timedOut) { try await call.value }
    // A server that closed first would end the answer inside its head, which FoundationNetworking does not survive.
    try? await released.wait()
  }

  @Test func theEarlierDeadlineIsKeptThoughItCameLater() async throws {
    let arrived = [TestGate(), TestGate()]
    let server = try await TestServer { exchange in
      arrived[exchange.request.path == "/long" ? 0 : 1].open()
      await exchange.waitForDisconnect()
    }
    let clock = TestClock(advancesItself: false)
    let transport = URLSessionTransport(clock: clock)
    let long = try server.request("/long", limits: TransportLimits(deadline: .seconds(100), idleTimeout: .patience))
    let short = try server.request("/short", limits: TransportLimits(deadline: .seconds(10), idleTimeout: .patience))
    let first = Task { try await transport.send(long) }
    try? await arrived[0].wait()
    await clock.waitForSleepers()
    let second = Task { try await transport.send(short) }
    try? await arrived[1].wait()
    // The sleeper for the earlier deadline takes the place of the other; both may be there for a moment.
    while clock.now.offset < .seconds(10) {
      await clock.waitForSleepers()
      await clock.advance(by: .seconds(1))
    }
    await expectError(TransportError.self, .timedOut) { try await second.value }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(90))
    await expectError(TransportError.self, .timedOut) { try await first.value }
  }

  @Test func aDeadlineOfNothingSendsNothingToWaitFor() async throws {
    let server = try await TestServer { await $0.waitForDisconnect() }
    let request = try server.request(limits: TransportLimits(deadline: .zero))
    await expectError(TransportError.self, .timedOut) { try await URLSessionTransport().send(request) }
  }

  @Test func silenceEndsAnExchange() async throws {
    let server = try await TestServer { await $0.waitForDisconnect() }
    let request = try server.request(limits: TransportLimits(idleTimeout: .milliseconds(1)))
    await expectError(TransportError.self, .timedOut) { try await URLSessionTransport().send(request) }
  }
}
