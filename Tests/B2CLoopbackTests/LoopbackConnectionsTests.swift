import B2CCore
import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.serialized, .descriptors(120), .hangLimit)
struct LoopbackConnectionsTests {
  private static let request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"

  @Test("A redirect gets through even if idle connections have all sixteen places")
  func idle() async throws {
    // A connection that was idle before is closed after five seconds; here, so that nothing waits, after 50 milliseconds.
    var limits = LoopbackLimits.redirect
    #expect(limits.connections == 16)
    #expect(limits.idleTimeout == .seconds(5) && limits.requestTimeout == .seconds(5))
    limits.idleTimeout = .milliseconds(50)
    let listener = try await LoopbackListener.echo(limits)
    var idle: [LoopbackClient] = []
    for _ in 1...16 { idle.append(try await LoopbackClient(port: listener.port)) }
    #expect(try await Self.answersGenuineRequest(listener))
    for client in idle { #expect(await client.receiveAll().isEmpty) }
    await listener.close()
  }

  @Test("Requests are answered while as many clients as there are places never read their answers")
  func pipeliningReaders() async throws {
    let listener = try await LoopbackListener.echo(LoopbackLimits(connections: 4))
    var attackers: [LoopbackClient] = []
    let requests = String(repeating: Self.request, count: 20)
    for _ in 1...4 { attackers.append(try await LoopbackClient(port: listener.port, sending: requests)) }
    for _ in 1...5 { #expect(try await Self.answersGenuineRequest(listener)) }
    await listener.close()
    withExtendedLifetime(attackers) {}
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
    var others: [LoopbackClient] = []
    for _ in 1...3 { others.append(try await LoopbackClient(port: listener.port, sending: fragment)) }
    for number in 0..<2 {
      #expect(try await Self.answersGenuineRequest(listener))
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
    var slow: [LoopbackClient] = []
    for _ in 1...busy {
      slow.append(
        try await LoopbackClient(port: listener.port, sending: "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n"))
    }
    await gate.waitForArrivals(busy)
    var others: [LoopbackClient] = []
    for _ in 1...6 { others.append(try await LoopbackClient(port: listener.port)) }
    #expect(try await listener.answer(to: Self.request).hasSuffix("quick"))
    gate.open()
    for client in slow { #expect(await client.receiveAll().hasSuffix("slow")) }
    await listener.close()
    withExtendedLifetime(others) {}
  }

  private static func answersGenuineRequest(_ listener: LoopbackListener) async throws -> Bool {
    try await listener.answer(to: "GET /real HTTP/1.1\r\nHost: localhost\r\n\r\n").hasSuffix("GET|/real|-||")
  }

  @Test("A thousand requests, forty at a time, are all answered")
  func thousandRequests() async throws {
    let listener = try await LoopbackListener.echo()
    try await simultaneously(40) { caller in
      for number in stride(from: caller, to: 1000, by: 40) {
        let answer = try await listener.answer(to: "GET /\(number) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("GET|/\(number)|-||"))
      }
    }
    await listener.close()
  }

  @Test("A connection beyond the limit waits until a handler has ended")
  func allBusy() async throws {
    let gate = TestGate()
    let listener = try await LoopbackListener(limits: LoopbackLimits(connections: 2)) { (_: LoopbackRequest) in
      try? await gate.wait()
      return .text("late")
    }
    var clients: [LoopbackClient] = []
    for _ in 1...3 { clients.append(try await LoopbackClient(port: listener.port, sending: Self.request)) }
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

  @Test("Closing ends connections and handlers immediately, and frees the port")
  func closeWhileBusy() async throws {
    let arrived = TestGate()
    let left = TestGate()
    let listener = try await LoopbackListener { exchange in
      arrived.open()
      await exchange.waitForDisconnect()
      left.open()
    }
    let busy = try await LoopbackClient(port: listener.port, sending: Self.request)
    let idle = try await LoopbackClient(port: listener.port)
    try? await arrived.wait()
    await listener.close()
    #expect(await busy.receiveAll().isEmpty)
    #expect(await idle.receiveAll().isEmpty)
    try? await left.wait()
    #expect(listener.connectionCount == 0)
    await #expect(throws: LoopbackClient.Refused.self) { _ = try await LoopbackClient(port: listener.port) }
  }

  @Test("Releasing the listener closes it")
  func deinitCloses() async throws {
    var listener: LoopbackListener? = try await LoopbackListener.echo()
    let port = try #require(listener?.port)
    let client = try await LoopbackClient(port: port)
    listener = nil
    #expect(await client.receiveAll().isEmpty)
    await #expect(throws: LoopbackClient.Refused.self) { _ = try await LoopbackClient(port: port) }
  }

  @Test("A port that is taken at either address is in use", arguments: [LoopbackAddress.ipv4, .ipv6])
  func portInUse(_ address: LoopbackAddress) async throws {
    // A machine may have no IPv6.
    guard let other = try? await LoopbackListener(addresses: [address], answer: { _ in .text("") }) else { return }
    await expectError(ConnectorError.self, .portInUse, saying: "\(other.port)") {
      _ = try await LoopbackListener(port: other.port, addresses: [.ipv4, .ipv6]) { _ in .text("") }
    }
    await other.close()
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
