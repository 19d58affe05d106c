import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The end of the wait: closed ports, cancellation, timeouts, and openers that never return.
extension LoopbackPresenterTests {
  @Test("the port is closed when the flow has ended")
  func closes() async throws {
    let (task, page) = await present("http://localhost/callback")
    _ = try await get("/callback?code=x&state=\(Self.state)", port: page.port)
    _ = try await task.value
    await #expect(throws: LoopbackClient.Refused.self) { _ = try await LoopbackClient(port: page.port) }
  }

  @Test("a second sign-in at the same port ends the first, unless its page has just opened", arguments: [2, 299])
  func second(seconds: Int) async throws {
    let (ended, page) = await present("http://localhost/callback")
    let port = page.port
    ended.cancel()
    await #expect(throws: CancellationError.self) { try await ended.value }
    let clock = TestClock(advancesItself: false)
    let presenter = presenter(clock: clock)
    let first = Task { try await presenter.present(.test("http://localhost:\(port)/callback")) }
    _ = await pages.next()
    for milliseconds in [0, 1_999] {
      await clock.advance(by: .milliseconds(milliseconds))
      await expectError(ConnectorError.self, .userClosedBrowser) {
        try await presenter.present(.test("http://localhost:\(port)/callback"))
      }
    }
    await clock.advance(by: .seconds(seconds - 1))
    let second = Task { try await presenter.present(.test("http://localhost:\(port)/callback")) }
    await expectError(ConnectorError.self, .userClosedBrowser, saying: "A newer sign-in replaced this page.") {
      try await first.value
    }
    _ = await pages.next()
    _ = try await get("/callback?code=x&state=\(Self.state)", port: port)
    #expect(try await second.value.query?.contains("code=x") == true)
  }

  @Test("cancelling ends the wait and closes the port")
  func cancellation() async throws {
    let (task, page) = await present("http://localhost/callback")
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    await #expect(throws: LoopbackClient.Refused.self) { _ = try await LoopbackClient(port: page.port) }
  }

  @Test("a browser that cannot be opened ends the wait")
  func browserFails() async {
    struct NoBrowser: Error {}
    let presenter = LoopbackPresenter(open: { _ in throw NoBrowser() })
    let error = await #expect(throws: ConnectorError.self) {
      _ = try await presenter.present(.test("http://localhost/"))
    }
    #expect(error?.code == .presentationFailed)
    #expect(error?.underlying is NoBrowser)
  }

  @Test("a way of opening that never returns does not hold the answer back")
  func browserStays() async throws {
    let gate = TestGate()
    let watcher = pages
    let presenter = LoopbackPresenter(
      open: { url in
        watcher.opened(url)
        await Task { try? await gate.wait() }.value
      })
    let task = Task { try await presenter.present(.test("http://localhost/")) }
    let page = await pages.next()
    _ = try await get("/?code=x&state=\(Self.state)", port: page.port)
    #expect(try await task.value.query?.contains("code=x") == true)
    gate.open()
  }

  @Test("the timeout ends the wait and says what to compare")
  func timeout() async throws {
    let clock = TestClock(advancesItself: false)
    let presenter = presenter(timeout: .seconds(90), clock: clock)
    let task = Task { try await presenter.present(.test("http://localhost/callback")) }
    let page = await pages.next()
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(89))
    #expect(try await get("/favicon.ico", port: page.port).hasPrefix("HTTP/1.1 404 "))
    await clock.advance(by: .seconds(1))
    let error = await #expect(throws: ConnectorError.self) { _ = try await task.value }
    #expect(error?.code == .timedOut)
    // The same call again would open another page.
    #expect(error?.isRetryable == false)
    #expect(
      error?.recoverySuggestion
        == "If the page showed an error, compare clientId, redirectUri and scopes with the app registration.")
  }
}
