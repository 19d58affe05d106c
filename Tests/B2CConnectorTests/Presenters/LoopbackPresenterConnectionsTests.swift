import B2CConnector
import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Ports and connections, and the end of the wait.
@Suite(.descriptors(), .hangLimit)
struct LoopbackPresenterConnectionsTests: LoopbackPages {
  let pages = PageWatcher()

  @Test("A port of the redirect URI that is in use is a clear error")
  func portInUse() async throws {
    let other = try await LoopbackListener { (_: LoopbackRequest) in .text("other") }
    await expectError(ConnectorError.self, .portInUse, saying: "\(other.port)") {
      try await presenter().present(.test("http://localhost:\(other.port)/callback"))
    }
    await other.close()
  }

  @Test("localhost is served at both addresses; a literal address although the other one is taken")
  func families() async throws {
    let (task, page) = await present()
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
    let (literal, literalPage) = await present("http://127.0.0.1:\(taken.port)/callback")
    try await redirect(to: literalPage)
    #expect(try await literal.value.port == Int(taken.port))
    await expectError(ConnectorError.self, .portInUse) {
      try await presenter().present(.test("http://localhost:\(taken.port)/"))
    }
    await taken.close()
  }

  @Test(
    "A sign-in gets through while 16 connections are idle or never read their answers",
    .descriptors(64), arguments: ["", "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n"])
  func occupied(_ request: String) async throws {
    let (task, page) = await present()
    var others: [LoopbackClient] = []
    for _ in 1...16 {
      others.append(try await LoopbackClient(port: page.port, sending: String(repeating: request, count: 20)))
    }
    #expect(try await redirect(to: page).hasPrefix("HTTP/1.1 200 "))
    _ = try await task.value
    withExtendedLifetime(others) {}
  }

  @Test("A head of more than 16 KiB is refused, and the wait goes on until it is cancelled, which closes the port")
  func largeHead() async throws {
    let (task, page) = await present()
    let answer = try await redirect(to: page, code: String(repeating: "a", count: 16 * 1024))
    #expect(answer.hasPrefix("HTTP/1.1 431 "))
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    await #expect(throws: LoopbackClient.Refused.self) { _ = try await LoopbackClient(port: page.port) }
  }

  @Test("Two sign-ins at the same time each get their own answer, and the port of one that has ended is closed")
  func twoAtOnce() async throws {
    let (first, firstPage) = await present()
    let (second, secondPage) = await present()
    try await redirect(to: secondPage, code: "2")
    #expect(try await second.value.query?.contains("code=2&") == true)
    await #expect(throws: LoopbackClient.Refused.self) { _ = try await LoopbackClient(port: secondPage.port) }
    try await redirect(to: firstPage, code: "1")
    #expect(try await first.value.query?.contains("code=1&") == true)
  }

  @Test(
    "The port of the redirect URI is listened on; a second sign-in there ends the first, unless its page has just opened"
  )
  func second() async throws {
    let (ended, page) = await present()
    let request = PresentationRequest.test("http://localhost:\(page.port)/callback")
    ended.cancel()
    await #expect(throws: CancellationError.self) { try await ended.value }
    let clock = TestClock(advancesItself: false)
    let presenter = presenter(clock: clock)
    let first = Task { try await presenter.present(request) }
    _ = await pages.next()
    await expectError(ConnectorError.self, .userClosedBrowser) { try await presenter.present(request) }
    await clock.advance(by: .seconds(2))
    let second = Task { try await presenter.present(request) }
    await expectError(ConnectorError.self, .userClosedBrowser, saying: "A newer sign-in replaced this page.") {
      try await first.value
    }
    try await redirect(to: await pages.next())
    #expect(try await second.value.absoluteString.hasPrefix("http://localhost:\(page.port)/callback?code=x"))
  }

  @Test("A way of opening that never returns does not hold the answer back")
  func browserStays() async throws {
    let (gate, watcher) = (TestGate(), pages)
    let presenter = LoopbackPresenter { url in
      watcher.opened(url)
      await Task { try? await gate.wait() }.value
    }
    let task = Task { try await presenter.present(.test()) }
    try await redirect(to: await pages.next())
    #expect(try await task.value.query?.contains("code=x") == true)
    gate.open()
  }

  @Test("The timeout ends the wait and says what to compare")
  func timeout() async throws {
    let clock = TestClock(advancesItself: false)
    let presenter = presenter(timeout: .seconds(90), clock: clock)
    let task = Task { try await presenter.present(.test()) }
    let page = await pages.next()
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(89))
    #expect(try await get("/favicon.ico", port: page.port).hasPrefix("HTTP/1.1 404 "))
    await clock.advance(by: .seconds(1))
    let error = try await #require(throws: ConnectorError.self) { _ = try await task.value }
    // The same call again would open another page.
    #expect(error.code == .timedOut && !error.isRetryable)
    #expect(
      error.recoverySuggestion
        == "If the page showed an error, compare clientId, redirectUri and scopes with the app registration.")
  }
}
