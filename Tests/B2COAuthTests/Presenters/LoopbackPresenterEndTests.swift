import B2CCore
import B2CLoopback
import B2COAuth
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
/// The end of the wait: closed ports, cancellation, timeouts, and openers that never return.
extension LoopbackPresenterTests {
  @Test("the port is closed when the flow has ended")
  func closes() async throws {
    let (task, page) = await present("http://localhost/callback")
    _ = try await get("/callback?code=x&state=\(Self.state)", port: page.port)
    _ = try await task.value
    await #expect(throws: LoopbackClient.Refused.self) { _ = try await LoopbackClient(port: page.port) }
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
    let presenter = LoopbackPresenter(opening: BrowserOpening { _ in throw NoBrowser() })
    let error = await #expect(throws: OAuthError.self) { _ = try await presenter.present(.test("http://localhost/")) }
    #expect(error?.code == .presentationFailed)
    #expect(error?.underlying is NoBrowser)
  }

  @Test("a way of opening that never returns does not hold the answer back")
  func browserStays() async throws {
    let gate = TestGate()
    let watcher = pages
    let presenter = LoopbackPresenter(
      opening: BrowserOpening { url in
        watcher.opened(url)
        await Task { try? await gate.wait() }.value
      })
    let task = Task { try await presenter.present(.test("http://localhost/")) }
    let page = await pages.next()
    _ = try await get("/?code=x&state=\(Self.state)", port: page.port)
    #expect(try await task.value.query?.contains("code=x") == true)
    gate.open()
  }

  // In processes of their own: FoundationNetworking may deadlock when one of its requests is given up, and two threads that
  // it blocks are all that a small machine's pool has.

  @Test("a way of opening that follows the pages with URLSession does not hang the sign-in")
  func openerFollows() async {
    await #expect(processExitsWith: .success) {
      let server = try await LoopbackPresenterTests.redirectingServer()
      let presenter = LoopbackPresenter(
        opening: BrowserOpening { url in _ = try await LoopbackPresenterTests.session.data(from: url) })
      for _ in 1...20 {
        let url = try await presenter.present(
          .test("http://127.0.0.1/callback", page: "http://127.0.0.1:\(server.port)/authorize"))
        guard url.query?.contains("code=x") == true else { exit(1) }
      }
      exit(0)
    }
  }

  /// Answers an authorization request at once with a redirect that holds a code.
  static func redirectingServer() async throws -> LoopbackListener {
    try await LoopbackListener { (request: LoopbackRequest) in
      let pairs = FormEncoding.decode(request.query ?? "")
      let redirect = pairs.first { $0.name == "redirect_uri" }?.value ?? ""
      return LoopbackResponse(status: 302, headers: ["Location": "\(redirect)?code=x&state=\(state)"])
    }
  }

  @Test("a way of opening that waits for a server that never answers does not outlast the timeout")
  func openerWaits() async {
    await #expect(processExitsWith: .success) {
      let arrived = TestGate()
      let server = try await LoopbackListener { exchange in
        arrived.open()
        await exchange.waitForDisconnect()
      }
      let clock = TestClock(advancesItself: false)
      let presenter = LoopbackPresenter(
        opening: BrowserOpening { url in _ = try await LoopbackPresenterTests.session.data(from: url) },
        timeout: .seconds(5), clock: clock)
      let task = Task {
        try await presenter.present(.test("http://127.0.0.1/callback", page: "http://127.0.0.1:\(server.port)/"))
      }
      try await arrived.wait()
      await clock.waitForSleepers()
      await clock.advance(by: .seconds(5))
      let error = await #expect(throws: OAuthError.self) { _ = try await task.value }
      exit(error?.code == .timedOut ? 0 : 1)
    }
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
    let error = await #expect(throws: OAuthError.self) { _ = try await task.value }
    #expect(error?.code == .timedOut)
    // The same call again would open another page.
    #expect(error?.isRetryable == false)
    #expect(
      error?.recoverySuggestion
        == "If the page showed an error, compare clientId and redirectUri with the app registration.")
  }
}
