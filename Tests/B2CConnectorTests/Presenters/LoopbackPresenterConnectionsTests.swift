import B2CConnector
import B2CCore
import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Ports and connections: taken ones, both addresses, many at once.
@Suite(.descriptors(), .hangLimit)
struct LoopbackPresenterConnectionsTests: LoopbackPages {
  let pages = PageWatcher()

  @Test("a port of the redirect URI that is in use is a clear error")
  func portInUse() async throws {
    let other = try await LoopbackListener { (_: LoopbackRequest) in .text("other") }
    let presenter = presenter()
    let error = await #expect(throws: ConnectorError.self) {
      _ = try await presenter.present(.test("http://localhost:\(other.port)/callback"))
    }
    #expect(error?.code == .portInUse)
    #expect(error?.message.contains("\(other.port)") == true)
    await other.close()
  }

  @Test("a port of the redirect URI is the one that is listened on")
  func fixedPort() async throws {
    let presenter = presenter()
    // Nothing can reserve a port: where another test takes it in between, the next one is tried.
    for tryNumber in 1...20 {
      let other = try await LoopbackListener(addresses: [.ipv4, .ipv6]) { (_: LoopbackRequest) in .text("other") }
      await other.close()
      let uri = "http://localhost:\(other.port)/callback"
      let task = Task {
        do {
          return try await presenter.present(.test(uri)) as URL?
        } catch let error as ConnectorError where error.code == .portInUse && tryNumber < 20 {
          pages.opened(URL(fileURLWithPath: "/port-in-use"))
          return nil
        }
      }
      let page = await pages.next()
      guard page.opened.scheme == "http" else { continue }
      #expect(page.opened.port == Int(other.port))
      #expect(page.redirectURI?.absoluteString == uri)
      _ = try await get("/callback?code=x&state=\(Self.state)", port: other.port)
      #expect(try await task.value?.absoluteString.hasPrefix(uri + "?") == true)
      return
    }
  }

  @Test("localhost is served at both addresses; a literal address although the other one is taken")
  func families() async throws {
    let (task, page) = await present("http://localhost/callback")
    for address in LoopbackAddress.allCases {
      guard let client = try? await LoopbackClient(port: page.port, host: address.rawValue) else {
        #expect(address == .ipv6)
        continue
      }
      await client.send("GET /x HTTP/1.1\r\nHost: localhost:\(page.port)\r\n\r\n")
      #expect(await client.receive(through: "Not found").hasPrefix("HTTP/1.1 404 "))
    }
    task.cancel()
    guard let taken = try? await LoopbackListener(addresses: [.ipv6], answer: { _ in .text("") }) else { return }
    let (literal, _) = await present("http://127.0.0.1:\(taken.port)/callback")
    _ = try await get("/callback?code=x&state=\(Self.state)", port: taken.port)
    #expect(try await literal.value.port == Int(taken.port))
    let named = presenter()
    await expectError(ConnectorError.self, .portInUse) {
      _ = try await named.present(.test("http://localhost:\(taken.port)/"))
    }
    await taken.close()
  }

  @Test("a thousand connections, half requests and garbage do not keep the real answer out", .descriptors(128))
  func attackers() async throws {
    let (task, page) = await present("http://localhost/callback")
    var attackers: [LoopbackClient] = []
    for number in 1...1000 {
      let attacker = try await LoopbackClient(port: page.port)
      if number % 3 == 1 { await attacker.send("GET /callback?code=") }
      if number % 3 == 2 { await attacker.send("\u{16}\u{3}\u{1}garbage") }
      attackers.append(attacker)
      if attackers.count > 40 { attackers.removeFirst() }
    }
    let answer = try await get("/callback?code=real&state=\(Self.state)", port: page.port)
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
    #expect(try await task.value.absoluteString.contains("code=real"))
  }

  @Test(
    "a sign-in gets through while 16 connections are idle or never read their answers",
    .descriptors(64), arguments: ["", "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n"])
  func occupied(_ request: String) async throws {
    let (task, page) = await present("http://localhost/callback")
    var others: [LoopbackClient] = []
    for _ in 1...16 {
      others.append(try await LoopbackClient(port: page.port, sending: String(repeating: request, count: 20)))
    }
    #expect(try await get("/callback?code=1&state=\(Self.state)", port: page.port).hasPrefix("HTTP/1.1 200 "))
    _ = try await task.value
    withExtendedLifetime(others) {}
  }

  @Test("a head of more than 16 KiB is refused and the wait goes on")
  func largeHead() async throws {
    let (task, page) = await present("http://localhost/callback")
    let long = String(repeating: "a", count: 16 * 1024)
    let answer = try await get("/callback?code=\(long)&state=\(Self.state)", port: page.port)
    #expect(answer.hasPrefix("HTTP/1.1 431 "))
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }

  @Test("two sign-ins at once each get their own answer")
  func twoAtOnce() async throws {
    let (first, firstPage) = await present("http://localhost/callback")
    let (second, secondPage) = await present("http://localhost/callback")
    _ = try await get("/callback?code=2&state=\(Self.state)", port: secondPage.port)
    _ = try await get("/callback?code=1&state=\(Self.state)", port: firstPage.port)
    #expect(try await first.value.query?.contains("code=1&") == true)
    #expect(try await second.value.query?.contains("code=2&") == true)
  }
}
