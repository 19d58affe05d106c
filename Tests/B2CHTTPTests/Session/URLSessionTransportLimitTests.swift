import B2CCore
import B2CHTTP
import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Bodies are bounded while they arrive, exchanges by their deadline.
@Suite(.descriptors(), .hangLimit)
struct URLSessionTransportLimitTests {
  private static let small = TransportLimits.patient(maximumBodyBytes: 1000)

  @Test("A body of exactly the limit is taken")
  func exactly() async throws {
    let server = try await TestServer(
      answering: LoopbackResponse(status: 200, body: Data(repeating: 1, count: 1000)))
    let response = try await URLSessionTransport().answer(to: server.request(), limits: Self.small)
    #expect(response.body.count == 1000)
  }

  @Test("An excess that was not announced stops the exchange")
  func unannounced() async throws {
    let server = try await TestServer { exchange in
      await exchange.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      let chunk = "400\r\n" + String(repeating: "x", count: 0x400) + "\r\n"
      while await exchange.write(chunk) {}
    }
    let (request, limits) = (try server.request(), TransportLimits.patient(maximumBodyBytes: 64 << 10))
    await expectError(URLError.self, .dataLengthExceedsMaximum) {
      try await URLSessionTransport().answer(to: request, limits: limits)
    }
  }

  @Test("The body of a 401 is bounded too")
  func refusal() async throws {
    let server = try await TestServer(
      answering: LoopbackResponse(
        status: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\""], body: Data(repeating: 1, count: 100_000)))
    let (request, limits) = (try server.request(), Self.small)
    await expectError(URLError.self, .dataLengthExceedsMaximum) {
      try await URLSessionTransport().answer(to: request, limits: limits)
    }
  }

  @Test("The limit is for the decompressed size")
  func decompressed() async throws {
    let bomb = GzipBomb(size: 8 << 20).data
    let server = try await TestServer(
      answering: LoopbackResponse(status: 200, headers: ["Content-Encoding": "gzip"], body: bomb))
    let (request, limits) = (try server.request(), TransportLimits.patient(maximumBodyBytes: 1 << 20))
    #expect(bomb.count < 1 << 20)
    await expectError(URLError.self, .dataLengthExceedsMaximum) {
      try await URLSessionTransport().answer(to: request, limits: limits)
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

  @Test("An answer that came while the process stood still is read, though its deadline has passed")
  func pause() async throws {
    let (arrived, release) = (TestGate(), TestGate())
    let server = try await TestServer { exchange in
      arrived.open()
      try? await release.wait()
      await exchange.respond(.text("late"))
    }
    let clock = TestClock(advancesItself: false)
    let (request, limits) = (try server.request(), TransportLimits(deadline: .seconds(20), idleTimeout: .patience))
    let call = Task { try await URLSessionTransport(clock: clock).answer(to: request, limits: limits) }
    try? await arrived.wait()
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(60))
    await clock.waitForSleepers()
    release.open()
    #expect(try await call.value.body == Data("late".utf8))
  }

  @Test("A deadline of no time ends the exchange immediately")
  func noTime() async throws {
    let server = try await TestServer { await $0.waitForDisconnect() }
    let (request, limits) = (try server.request(), TransportLimits(deadline: .zero))
    await expectError(URLError.self, .timedOut) {
      try await URLSessionTransport().answer(to: request, limits: limits)
    }
  }

  @Test("Silence ends an exchange")
  func silence() async throws {
    let server = try await TestServer { await $0.waitForDisconnect() }
    let (request, limits) = (try server.request(), TransportLimits(idleTimeout: .milliseconds(1)))
    await expectError(URLError.self, .timedOut) {
      try await URLSessionTransport().answer(to: request, limits: limits)
    }
  }
}
