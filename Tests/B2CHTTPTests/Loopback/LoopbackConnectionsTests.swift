import B2CHTTP
import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(1)))
struct LoopbackConnectionsTests {
  private static let request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"

  @Test("a thousand idle connections do not keep a real one out")
  func thousandIdle() async throws {
    let listener = try await LoopbackListenerTests.echo(LoopbackLimits(connections: 32))
    let first = try await LoopbackClient(port: listener.port)
    var idle: [LoopbackClient] = []
    for _ in 1...1000 {
      idle.append(try await LoopbackClient(port: listener.port, besides: first))
      // The listener has long given the oldest up; a process has only so many descriptors.
      if idle.count > 300 { idle.removeFirst() }
    }
    let client = try await LoopbackClient(port: listener.port)
    await client.send("GET /real HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(await client.receive(through: "||").hasSuffix("GET|/real|-||"))
    #expect(listener.connectionCount <= 32)
    idle.removeAll()
    await listener.close()
  }

  @Test("a thousand requests at once are all answered")
  func thousandRequests() async throws {
    let listener = try await LoopbackListenerTests.echo()
    let answered = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 1...1000 {
        // No more at a time than a process has descriptors for.
        if number > 100 { _ = try await group.next() }
        group.addTask {
          let client = try await LoopbackClient(port: listener.port)
          await client.send("GET /\(number) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
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

  @Test("busy connections are not given up for new ones, which hear 503")
  func allBusy() async throws {
    let gate = LoopbackGate()
    let arrived = AsyncStream<Void>.makeStream()
    let listener = try await LoopbackListener(limits: LoopbackLimits(connections: 2)) { (_: LoopbackRequest) in
      arrived.continuation.yield()
      await gate.wait()
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
    let arrived = LoopbackGate()
    let left = LoopbackGate()
    let listener = try await LoopbackListener { exchange in
      arrived.open()
      await exchange.waitForDisconnect()
      left.open()
    }
    let busy = try await LoopbackClient(port: listener.port)
    let idle = try await LoopbackClient(port: listener.port)
    await busy.send(Self.request)
    await arrived.wait()
    await listener.close()
    #expect(await busy.receiveAll().isEmpty)
    #expect(await idle.receiveAll().isEmpty)
    await left.wait()
    #expect(listener.connectionCount == 0)
    let next = try await LoopbackListener(port: listener.port) { (_: LoopbackRequest) in .text("next") }
    #expect(next.port == listener.port)
    await listener.close()
  }

  @Test("letting go of the listener closes it")
  func deinitCloses() async throws {
    var listener: LoopbackListener? = try await LoopbackListenerTests.echo()
    let port = try #require(listener?.port)
    let client = try await LoopbackClient(port: port)
    listener = nil
    #expect(await client.receiveAll().isEmpty)
    await #expect(throws: LoopbackListenerError(.system, "")) { _ = try await LoopbackClient(port: port) }
  }

  @Test("a port that somebody listens on is a clear error")
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

  @Test("listens at both addresses with one port")
  func bothAddresses() async throws {
    let listener = try await LoopbackListener(addresses: [.ipv4, .ipv6]) { (_: LoopbackRequest) in .text("here") }
    #expect(listener.addresses.first == .ipv4)
    for address in listener.addresses {
      let client = try await LoopbackClient(port: listener.port, address: address)
      await client.send(Self.request)
      #expect(await client.receive(through: "here").hasSuffix("here"))
    }
    await listener.close()
  }
}
