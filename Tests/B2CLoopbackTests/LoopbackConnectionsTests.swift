import B2CCore
import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.serialized, .descriptors(120), .hangLimit)
struct LoopbackConnectionsTests {
  private static let request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"

  @Test("a redirect comes through within ten seconds though idle connections have all sixteen places")
  func idle() async throws {
    // A connection that was idle before is closed after five seconds; here, so that nothing waits, after 50 milliseconds.
    var limits = LoopbackLimits.redirect
    #expect(limits.connections == 16)
    #expect(limits.idleTimeout == .seconds(5) && limits.requestTimeout == .seconds(5))
    limits.idleTimeout = .milliseconds(50)
    let listener = try await LoopbackListenerTests.echo(limits)
    var idle: [LoopbackClient] = []
    for _ in 1...16 { idle.append(try await LoopbackClient(port: listener.port)) }
    #expect(try await Self.answersGenuineRequest(listener))
    for client in idle { #expect(await client.receiveAll().isEmpty) }
    await listener.close()
  }

  @Test("requests are answered while as many clients as there are places never read their answers")
  func pipeliningReaders() async throws {
    let listener = try await LoopbackListenerTests.echo(LoopbackLimits(connections: 4))
    var attackers: [LoopbackClient] = []
    let requests = String(repeating: Self.request, count: 20)
    for _ in 1...4 {
      let attacker = try await LoopbackClient(port: listener.port)
      await attacker.send(requests)
      attackers.append(attacker)
    }
    for _ in 1...5 { #expect(try await Self.answersGenuineRequest(listener)) }
    await listener.close()
    withExtendedLifetime(attackers) {}
  }

  @Test("a request that is half read keeps its place while others come and go")
  func halfRead() async throws {
    let listener = try await LoopbackListenerTests.echo(
      LoopbackLimits(connections: 2, requestTimeout: .seconds(600), idleTimeout: .milliseconds(20)))
    let genuine = try await LoopbackClient(port: listener.port)
    await genuine.send("POST /real HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
    // The head has been read when this is here, and nothing is unread.
    #expect(await genuine.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 100 "))
    var others: [LoopbackClient] = []
    for _ in 1...8 { others.append(try await LoopbackClient(port: listener.port)) }
    // Connections are accepted in order: when this is answered, all of the others have been.
    #expect(try await Self.answersGenuineRequest(listener))
    await genuine.send("body")
    #expect(await genuine.receiveAll().hasSuffix("POST|/real|-|body|"))
    await listener.close()
    withExtendedLifetime(others) {}
  }

  private static func answersGenuineRequest(_ listener: LoopbackListener) async throws -> Bool {
    let client = try await LoopbackClient(port: listener.port)
    await client.send("GET /real HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return await client.receiveAll().hasSuffix("GET|/real|-||")
  }

  @Test("a thousand requests, forty at a time, are all answered")
  func thousandRequests() async throws {
    let listener = try await LoopbackListenerTests.echo()
    let answered = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 1...1000 {
        if number > 40 { _ = try await group.next() }
        group.addTask {
          let client = try await LoopbackClient(port: listener.port)
          await client.send("GET /\(number) HTTP/1.1\r\nHost: localhost\r\n\r\n")
          let answer = await client.receiveAll()
          #expect(answer.hasSuffix("GET|/\(number)|-||"))
          return answer.hasPrefix("HTTP/1.1 200 ")
        }
      }
      return try await group.allSatisfy { $0 }
    }
    #expect(answered)
    await listener.close()
  }

  @Test("a connection beyond the limit waits until a handler has ended")
  func allBusy() async throws {
    let gate = TestGate()
    let arrived = AsyncStream<Void>.makeStream()
    let listener = try await LoopbackListener(limits: LoopbackLimits(connections: 2)) { (_: LoopbackRequest) in
      arrived.continuation.yield()
      try? await gate.wait()
      return .text("late")
    }
    var clients: [LoopbackClient] = []
    var arrivals = arrived.stream.makeAsyncIterator()
    for _ in 1...2 {
      let client = try await LoopbackClient(port: listener.port)
      await client.send(Self.request)
      await arrivals.next()
      clients.append(client)
    }
    let third = try await LoopbackClient(port: listener.port)
    await third.send(Self.request)
    #expect(listener.connectionCount == 2)
    gate.open()
    for client in clients + [third] {
      #expect(await client.receive(through: "late").hasSuffix("late"))
    }
    await listener.close()
  }

  @Test("two addresses share the places, though there is one only")
  func sharedPlace() async throws {
    let listener = try await LoopbackListener(addresses: [.ipv4, .ipv6], limits: LoopbackLimits(connections: 1)) {
      (_: LoopbackRequest) in .text("here")
    }
    for host in ["127.0.0.1", "::1", "127.0.0.1", "::1"] where host != "::1" || listener.addresses.contains(.ipv6) {
      let client = try await LoopbackClient(port: listener.port, host: host, sending: Self.request)
      #expect(await client.receiveAll().hasSuffix("here"))
    }
    await listener.close()
  }

  @Test("closing ends connections and handlers at once, and frees the port")
  func closeWhileBusy() async throws {
    let arrived = TestGate()
    let left = TestGate()
    let listener = try await LoopbackListener { exchange in
      arrived.open()
      await exchange.waitForDisconnect()
      left.open()
    }
    let busy = try await LoopbackClient(port: listener.port)
    let idle = try await LoopbackClient(port: listener.port)
    await busy.send(Self.request)
    try? await arrived.wait()
    await listener.close()
    #expect(await busy.receiveAll().isEmpty)
    #expect(await idle.receiveAll().isEmpty)
    try? await left.wait()
    #expect(listener.connectionCount == 0)
    await #expect(throws: LoopbackClient.Refused.self) { _ = try await LoopbackClient(port: listener.port) }
  }

  @Test("releasing the listener closes it")
  func deinitCloses() async throws {
    var listener: LoopbackListener? = try await LoopbackListenerTests.echo()
    let port = try #require(listener?.port)
    let client = try await LoopbackClient(port: port)
    listener = nil
    #expect(await client.receiveAll().isEmpty)
    await #expect(throws: LoopbackClient.Refused.self) { _ = try await LoopbackClient(port: port) }
  }

  @Test("a port in use is a clear error")
  func portInUse() async throws {
    let listener = try await LoopbackListenerTests.echo()
    let error = await #expect(throws: ConnectorError.self) {
      _ = try await LoopbackListener(port: listener.port) { (_: LoopbackRequest) in .text("") }
    }
    #expect(error?.code == .portInUse)
    #expect(error?.description.contains("\(listener.port)") == true)
    await listener.close()
  }

  @Test("a port taken at the other address is in use too")
  func portInUseAtOneAddress() async throws {
    guard let other = try? await LoopbackListener(addresses: [.ipv6], answer: { _ in .text("") }) else { return }
    await expectError(ConnectorError.self, .portInUse) {
      _ = try await LoopbackListener(port: other.port, addresses: [.ipv4, .ipv6]) { (_: LoopbackRequest) in .text("") }
    }
    await other.close()
  }

  // On Linux every address of 127.0.0.0/8 reaches a socket that is bound to all addresses. A Mac has 127.0.0.1 alone, and a
  // connection to another address of them ends only after a minute.
  #if os(Linux)
    @Test("only the loopback address is bound, as the system says it")
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

  @Test("listens at both addresses with one port")
  func bothAddresses() async throws {
    let listener = try await LoopbackListener(addresses: [.ipv4, .ipv6]) { (_: LoopbackRequest) in .text("here") }
    #expect(listener.addresses.first == .ipv4)
    for address in listener.addresses {
      let client = try await LoopbackClient(port: listener.port, host: address.rawValue)
      await client.send(Self.request)
      #expect(await client.receive(through: "here").hasSuffix("here"))
    }
    await listener.close()
  }
}
