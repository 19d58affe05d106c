import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.serialized, .descriptors(120), .hangLimit)
struct LoopbackConnectionsTests {
  private static let request = "GET /real HTTP/1.1\r\nHost: localhost\r\n\r\n"

  /// Opens connections one after another.
  private func clients(
    _ count: Int, of listener: LoopbackListener, sending text: String = ""
  ) async throws -> [LoopbackClient] {
    var clients: [LoopbackClient] = []
    for _ in 1...count { clients.append(try await LoopbackClient(port: listener.port, sending: text)) }
    return clients
  }

  @Test("A redirect gets through even if idle connections have all sixteen places")
  func idle() async throws {
    // A connection that was idle before is closed after five seconds; here, so that nothing waits, after 50 milliseconds.
    var limits = LoopbackLimits.redirect
    #expect(limits.connections == 16)
    #expect(limits.idleTimeout == .seconds(5) && limits.requestTimeout == .seconds(5))
    limits.idleTimeout = .milliseconds(50)
    let listener = try await LoopbackListener.echo(limits)
    let idle = try await clients(16, of: listener)
    #expect(try await listener.answer(to: Self.request).hasSuffix("GET|/real|-||"))
    for client in idle { #expect(await client.receiveAll().isEmpty) }
    await listener.close()
  }

  /// Three places, and no time limit that ends a connection.
  static let threePlaces = LoopbackLimits(
    connections: 3, closesWaiting: true, requestTimeout: .patience, idleTimeout: .patience)

  /// Bytes that hold a place without being a whole request.
  static let fragments = [
    "", "GET /callback?code=", "GET / HTTP/1.1\r\nHost: localhost\r\n",
    "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbod",
  ]

  @Test("If all places are taken, the oldest connection without a whole request makes room", arguments: fragments)
  func evicted(fragment: String) async throws {
    let listener = try await LoopbackListener.echo(Self.threePlaces)
    let others = try await clients(3, of: listener, sending: fragment)
    for number in 0..<2 {
      #expect(try await listener.answer(to: Self.request).hasSuffix("GET|/real|-||"))
      // Connections are accepted in order, so this one was the oldest.
      if number == 0 { #expect(await others[0].receiveAll().isEmpty) }
    }
    // The last one still has its place: what it began is finished.
    if fragment.hasSuffix("bod") {
      await others[2].send("y")
      #expect(await others[2].receiveAll().hasSuffix("POST|/|-|body|"))
    }
    await listener.close()
  }

  @Test("A request that is being answered keeps its place", arguments: [1, 2])
  func answeredKeepsItsPlace(busy: Int) async throws {
    let gate = TestGate()
    let listener = try await LoopbackListener(limits: Self.threePlaces) { (request: LoopbackRequest) in
      guard request.path == "/slow" else { return .text("quick") }
      try? await gate.wait()
      return .text("slow")
    }
    let slow = try await clients(busy, of: listener, sending: "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await gate.waitForArrivals(busy)
    let others = try await clients(6, of: listener)
    #expect(try await listener.answer(to: Self.request).hasSuffix("quick"))
    gate.open()
    for client in slow { #expect(await client.receiveAll().hasSuffix("slow")) }
    await listener.close()
    withExtendedLifetime(others) {}
  }

  @Test("A connection beyond the limit waits until a handler has ended")
  func allBusy() async throws {
    let gate = TestGate()
    let listener = try await LoopbackListener(limits: LoopbackLimits(connections: 2)) { (_: LoopbackRequest) in
      try? await gate.wait()
      return .text("late")
    }
    let clients = try await clients(3, of: listener, sending: Self.request)
    await gate.waitForArrivals(2)
    #expect(listener.connectionCount == 2)
    gate.open()
    for client in clients { #expect(await client.receiveAll().hasSuffix("late")) }
    await listener.close()
  }

  @Test("Two addresses have one port, and share the places though there is one only")
  func bothAddresses() async throws {
    let listener = try await LoopbackListener(addresses: [.ipv4, .ipv6], limits: LoopbackLimits(connections: 1)) { _ in
      .text("here")
    }
    #expect(listener.addresses.first == .ipv4)
    for address in listener.addresses + listener.addresses {
      #expect(try await listener.answer(to: Self.request, host: address.rawValue).hasSuffix("here"))
    }
    await listener.close()
  }

  @Test(
    "Closing or releasing the listener ends connections and handlers immediately, and frees the port",
    arguments: [true, false])
  func end(isReleased: Bool) async throws {
    let (arrived, left) = (TestGate(), TestGate())
    var listener: LoopbackListener? = try await LoopbackListener { exchange in
      arrived.open()
      await exchange.waitForDisconnect()
      left.open()
    }
    let port = try #require(listener?.port)
    let busy = try await LoopbackClient(port: port, sending: Self.request)
    let idle = try await LoopbackClient(port: port)
    try await arrived.wait()
    if isReleased { listener = nil }
    await listener?.close()
    for client in [busy, idle] { #expect(await client.receiveAll().isEmpty) }
    try await left.wait()
    #expect(listener?.connectionCount ?? 0 == 0)
    await #expect(throws: LoopbackClient.Refused.self) { _ = try await LoopbackClient(port: port) }
    withExtendedLifetime(listener) {}
  }

  // On Linux every address of 127.0.0.0/8 reaches a socket that is bound to all addresses. A Mac has 127.0.0.1 alone, and a
  // connection to another address of them ends only after a minute.
  #if os(Linux)
    @Test("Only the loopback address is bound, as the system says it")
    func boundAddress() async throws {
      let listener = try await LoopbackListener(addresses: [.ipv4]) { (_: LoopbackRequest) in .text("here") }
      #expect(listener.addresses == [.ipv4])
      for host in ["127.0.0.2", "127.255.255.254"] {
        await #expect(throws: LoopbackClient.Refused.self) {
          _ = try await LoopbackClient(port: listener.port, host: host)
        }
      }
      #expect(try await LoopbackClient(port: listener.port).send("x"))
      await listener.close()
    }
  #endif
}
