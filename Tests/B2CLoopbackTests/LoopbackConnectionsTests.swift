import B2CCore
import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.serialized, .descriptors(120), .timeLimit(.minutes(10)))
struct LoopbackConnectionsTests {
  private static let request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"

  @Test("a thousand idle connections do not keep a request out")
  func thousandIdle() async throws {
    let listener = try await LoopbackListenerTests.echo(LoopbackLimits(connections: 32))
    var idle: [LoopbackClient] = []
    for _ in 1...1000 {
      idle.append(try await LoopbackClient(port: listener.port))
      // The listener has already closed the oldest.
      if idle.count > 64 { idle.removeFirst() }
    }
    #expect(try await Self.answersGenuineRequest(listener))
    #expect(listener.connectionCount <= 32)
    await listener.close()
  }

  @Test("twenty of twenty requests are answered while as many clients as there are places never read their answers")
  func pipeliningReaders() async throws {
    let listener = try await LoopbackListenerTests.echo(LoopbackLimits(connections: 32))
    var attackers: [LoopbackClient] = []
    let requests = String(repeating: Self.request, count: 20)
    for _ in 1...32 {
      let attacker = try await LoopbackClient(port: listener.port)
      await attacker.send(requests)
      attackers.append(attacker)
    }
    for _ in 1...20 { #expect(try await Self.answersGenuineRequest(listener)) }
    await listener.close()
    withExtendedLifetime(attackers) {}
  }

  @Test("every request is answered in a flood of new connections")
  func flood() async throws {
    let listener = try await LoopbackListenerTests.echo(LoopbackLimits(connections: 32))
    let arrived = Locked(0)
    let flood = Task {
      await withTaskGroup(of: Void.self) { group in
        for _ in 1...3 {
          group.addTask {
            var held: [LoopbackClient] = []
            while !Task.isCancelled, let client = try? await LoopbackClient(port: listener.port) {
              arrived.withLock { $0 += 1 }
              held.append(client)
              if held.count > 12 { held.removeFirst() }
            }
          }
        }
      }
    }
    // Twenty requests at least, and more until the flood has taken every place several times over.
    var answers = 0
    while answers < 20 || arrived.withLock({ $0 }) < 200 {
      #expect(try await Self.answersGenuineRequest(listener))
      answers += 1
    }
    flood.cancel()
    await listener.close()
    await flood.value
  }

  @Test("a request that has arrived is not closed for the connections after it, read or not")
  func oldestIsWhole() async throws {
    let listener = try await LoopbackListenerTests.echo(LoopbackLimits(connections: 2))
    for _ in 1...50 {
      let genuine = try await LoopbackClient(port: listener.port)
      await genuine.send(Self.request)
      var idle: [LoopbackClient] = []
      for _ in 1...8 { idle.append(try await LoopbackClient(port: listener.port)) }
      #expect(await genuine.receiveAll().hasSuffix("GET|/|-||"))
      withExtendedLifetime(idle) {}
    }
    await listener.close()
  }

  @Test("a request that is half read survives a flood of connections", arguments: ["", "G"])
  func halfRead(_ sent: String) async throws {
    let listener = try await LoopbackListenerTests.echo(LoopbackLimits(connections: 4))
    let genuine = try await LoopbackClient(port: listener.port)
    await genuine.send("POST /real HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
    // The head has been read when this is here, and nothing is unread.
    #expect(await genuine.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 100 "))
    var flood: [LoopbackClient] = []
    for _ in 1...40 {
      let client = try await LoopbackClient(port: listener.port)
      if !sent.isEmpty { await client.send(sent) }
      flood.append(client)
    }
    // Connections are accepted in order: when this is answered, all of the flood has been.
    #expect(try await Self.answersGenuineRequest(listener))
    await genuine.send("body")
    #expect(await genuine.receiveAll().hasSuffix("POST|/real|-|body|"))
    await listener.close()
    withExtendedLifetime(flood) {}
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

  @Test("connections with a running handler are not closed for new ones, which get 503")
  func allBusy() async throws {
    let gate = TestGate()
    let arrived = AsyncStream<Void>.makeStream()
    let listener = try await LoopbackListener(limits: LoopbackLimits(connections: 2)) { (_: LoopbackRequest) in
      arrived.continuation.yield()
      try? await gate.wait()
      return .text("late")
    }
    let clients = [try await LoopbackClient(port: listener.port), try await LoopbackClient(port: listener.port)]
    var arrivals = arrived.stream.makeAsyncIterator()
    for client in clients {
      await client.send(Self.request)
      await arrivals.next()
    }
    let third = try await LoopbackClient(port: listener.port)
    #expect(await third.receiveAll().hasPrefix("HTTP/1.1 503 "))
    gate.open()
    for client in clients {
      #expect(await client.receive(through: "late").hasSuffix("late"))
    }
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
    let error = await #expect(throws: LoopbackListenerError.self) {
      _ = try await LoopbackListener(port: listener.port) { (_: LoopbackRequest) in .text("") }
    }
    #expect(error?.code == .portInUse)
    #expect(error?.description.contains("\(listener.port)") == true)
    await listener.close()
  }

  @Test("a port taken at the other address is in use too")
  func portInUseAtOneAddress() async throws {
    guard let other = try? await LoopbackListener(addresses: [.ipv6], answer: { _ in .text("") }) else { return }
    await #expect(throws: LoopbackListenerError(.portInUse, "")) {
      _ = try await LoopbackListener(port: other.port, addresses: [.ipv4, .ipv6]) { (_: LoopbackRequest) in .text("") }
    }
    await other.close()
  }

  @Test("only the loopback address is bound, as the system says it")
  func boundAddress() async throws {
    let listener = try await LoopbackListener(addresses: [.ipv4]) { (_: LoopbackRequest) in .text("here") }
    #expect(listener.addresses == [.ipv4])
    // On Linux every address of 127.0.0.0/8 reaches a socket that is bound to all addresses.
    await #expect(throws: LoopbackClient.Refused.self) {
      _ = try await LoopbackClient(port: listener.port, host: "127.0.0.2")
    }
    #expect(try await LoopbackClient(port: listener.port).send("x"))
    await listener.close()
  }

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
