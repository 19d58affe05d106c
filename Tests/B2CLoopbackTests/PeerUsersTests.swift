import B2CCore
import B2CLoopback
import B2CTestKit
import Dispatch
import Foundation
import TestSupport
import Testing

@Suite(.descriptors(), .timeLimit(.minutes(10)))
struct PeerUsersTests {
  /// The answer for one client, by what the listener that it is connected to does: a client of another user is closed.
  private func answer(_ users: PeerUsers, host: String = "127.0.0.1") async throws -> PeerUsers.Answer {
    let isTrusted = Locked<Bool?>(nil)
    let listener = try await LoopbackListener(addresses: [.ipv4, .ipv6], users: users) { exchange in
      isTrusted.withLock { $0 = exchange.isClientTrusted }
      await exchange.respond(.text("done"))
    }
    let client = try await LoopbackClient(port: listener.port, host: host)
    await client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    let text = await client.receiveAll()
    await listener.close()
    guard let isTrusted = isTrusted.withLock({ $0 }) else {
      #expect(text.isEmpty)
      return .untrusted
    }
    #expect(text.hasSuffix("done"))
    return isTrusted ? .trusted : .unknown
  }

  /// What a source says about clients; the listener itself is always listed.
  private func answer(_ clients: [PeerUsers.Entry]) async throws -> PeerUsers.Answer {
    let listening = PeerUsers.Entry(state: 10, user: getuid(), inode: 1)
    return try await answer(PeerUsers(sources: [{ _, remote in remote.port == 0 ? [listening] : clients }]))
  }

  private func entry(state: UInt8 = 1, user: UInt32 = getuid(), inode: UInt64 = 7) -> PeerUsers.Entry {
    PeerUsers.Entry(state: state, user: user, inode: inode)
  }

  @Test("an established socket of this user or root is trusted, and nothing else")
  func decides() async throws {
    #expect(try await answer([entry()]) == .trusted)
    #expect(try await answer([entry(user: 0)]) == .trusted)
    #expect(try await answer([entry(), entry()]) == .trusted, "a table may list one socket twice")
    #expect(try await answer([entry(user: getuid() + 1)]) == .untrusted)
    #expect(try await answer([entry(inode: 0)]) == .untrusted)
    for state: UInt8 in 2...12 { #expect(try await answer([entry(state: state)]) == .untrusted) }
    #expect(try await answer([entry(), entry(inode: 8)]) == .untrusted)
    #expect(try await answer([entry(), entry(user: getuid() + 1)]) == .untrusted)
    #expect(try await answer([]) == .untrusted)
  }

  @Test("connections of another user take no place")
  func takesNoPlace() async throws {
    let owner = Locked(getuid() + 1)
    let users = PeerUsers(sources: [{ _, _ in [entry(user: owner.withLock { $0 })] }])
    let limits = LoopbackLimits(connections: 1)
    let listener = try await LoopbackListener(limits: limits, users: users) { exchange in
      await exchange.respond(.text("done"))
    }
    for _ in 1...3 {
      let other = try await LoopbackClient(port: listener.port)
      #expect(await other.receiveAll().isEmpty)
    }
    #expect(listener.connectionCount == 0)
    owner.withLock { $0 = getuid() }
    let client = try await LoopbackClient(port: listener.port)
    await client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(await client.receiveAll().hasSuffix("done"))
    await listener.close()
  }

  @Test("closing ends a connection whose user is still looked up")
  func closesDuringLookup() async throws {
    let (asked, released) = (TestGate(), DispatchSemaphore(value: 0))
    let mine = entry()
    let users = PeerUsers(sources: [
      { _, _ in
        asked.open()
        released.wait()
        return [mine]
      }
    ])
    let listener = try await LoopbackListener(users: users) { _ in Issue.record("Nothing is served any more.") }
    let client = try await LoopbackClient(port: listener.port, sending: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    try await asked.wait()
    await listener.close()
    #expect(await client.receiveAll().isEmpty)
    released.signal()
  }

  @Test("a source that does not even list the listener is no source: the next one is asked")
  func nextSource() async throws {
    let mine = entry()
    #expect(try await answer(PeerUsers(sources: [])) == .unknown)
    #expect(try await answer(PeerUsers(sources: [{ _, _ in [] }, { _, _ in [] }])) == .unknown)
    #expect(try await answer(PeerUsers(sources: [{ _, _ in [] }, { _, _ in [mine] }])) == .trusted)
    let listener = try await LoopbackListener { (_: LoopbackRequest) in .text("") }
    #expect(await !listener.canTellClients(by: PeerUsers(sources: [{ _, _ in [] }])))
    #expect(await listener.canTellClients(by: PeerUsers(sources: [{ _, _ in [] }, { _, _ in [mine] }])))
    #expect(await listener.canTellClients(by: .system))
    await listener.close()
  }

  @Test("the exact ends of the connection are asked for, an IPv4 address in either form")
  func ends() async throws {
    let seen = Locked<[(SocketEnd, SocketEnd)]>([])
    let mine = entry()
    let users = PeerUsers(sources: [
      { local, remote in
        seen.withLock { $0.append((local, remote)) }
        return [mine]
      }
    ])
    for host in ["127.0.0.1", "::ffff:127.0.0.1"] { #expect(try await answer(users, host: host) == .trusted) }
    for (local, remote) in seen.withLock({ $0 }) {
      #expect(local.address == [127, 0, 0, 1] && remote.address == [127, 0, 0, 1])
      #expect(local.port != remote.port)
    }
    let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127, 0, 0, 1]
    #expect(SocketEnd(address: mapped, port: 1) == SocketEnd(address: [127, 0, 0, 1], port: 1))
  }

  #if os(Linux)
    @Test("the kernel and its tables agree", arguments: ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
    func sources(_ host: String) async throws {
      let listener = try await LoopbackListener(addresses: [.ipv4, .ipv6]) { (_: LoopbackRequest) in .text("") }
      #expect(await listener.canTellClients(by: .kernel))
      #expect(await listener.canTellClients(by: .tables))
      let hasAddress = host != "::1" || listener.addresses.contains(.ipv6)
      await listener.close()
      #expect(await !listener.canTellClients(by: .kernel), "nothing listens any longer")
      #expect(await !listener.canTellClients(by: .tables))
      guard hasAddress else { return }
      #expect(try await answer(.kernel, host: host) == .trusted)
      #expect(try await answer(.tables, host: host) == .trusted)
    }
  #endif
}
