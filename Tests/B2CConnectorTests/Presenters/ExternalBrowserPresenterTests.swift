import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit)
struct ExternalBrowserPresenterTests {
  private static let redirect = "com.example.app:/callback"
  private static let state = PresentationRequest.testState
  private let pages = PageWatcher()

  private func url(_ text: String) throws -> URL {
    try #require(URL(string: text.replacingOccurrences(of: "STATE", with: Self.state)))
  }

  @Test(
    "the app's open-URL callback ends the wait",
    arguments: [
      "com.example.app:/callback?code=x&state=STATE", "COM.example.app:/callback?state=STATE&error=access_denied",
      "com.example.app:/callback#code=x&state=STATE", "com.example.app:/callback?code=x&state=STATE#_=_",
    ])
  func resumes(_ text: String) async throws {
    let presenter = ExternalBrowserPresenter(open: pages.opened)
    let task = Task { try await presenter.present(.test(Self.redirect)) }
    #expect(await pages.next().redirectURI?.absoluteString == Self.redirect)
    let callback = try url(text)
    #expect(presenter.resume(with: callback))
    #expect(try await task.value == callback)
  }

  @Test(
    "stray URLs are answered false and the wait goes on",
    arguments: [
      "com.example.app:/callback", "com.example.app:/callback?code=x", "com.example.app:/callback?code=x&state=wrong",
      "com.example.app:/callback?code=x&state=STATE&state=STATE", "com.example.app:/other?code=x&state=STATE",
      "com.example.other:/callback?code=x&state=STATE", "https://example.com/callback?code=x&state=STATE",
      "com.example.app:", "data:,x", "x", "com.example.app:/callback?%zz&state=wrong",
    ])
  func strays(_ text: String) async throws {
    let presenter = ExternalBrowserPresenter(open: pages.opened)
    let task = Task { try await presenter.present(.test(Self.redirect)) }
    _ = await pages.next()
    #expect(!presenter.resume(with: try url(text)))
    #expect(presenter.resume(with: try url(Self.redirect + "?code=x&state=STATE")))
    _ = try await task.value
  }

  @Test(
    "any URL at the redirect ends a sign-out, with another state or none",
    arguments: ["com.example.app:/callback", "com.example.app:/callback?state=wrong"])
  func signOut(_ text: String) async throws {
    let presenter = ExternalBrowserPresenter(open: pages.opened)
    let task = Task { try await presenter.present(.test(Self.redirect, purpose: .signOut)) }
    _ = await pages.next()
    #expect(!presenter.resume(with: try url("com.example.app:/other?state=STATE")))
    #expect(presenter.resume(with: try url(text)))
    #expect(try await task.value == url(text))
  }

  @Test("a page that comes within two seconds is not opened, and the older one stays", arguments: [0, 1_000, 1_999])
  func secondTap(milliseconds: Int) async throws {
    let clock = TestClock(advancesItself: false)
    let presenter = ExternalBrowserPresenter(open: pages.opened, clock: clock)
    let task = Task { try await presenter.present(.test(Self.redirect)) }
    _ = await pages.next()
    await clock.advance(by: .milliseconds(milliseconds))
    await expectError(ConnectorError.self, .userClosedBrowser) {
      try await presenter.present(.test(Self.redirect, state: "second"))
    }
    #expect(!presenter.resume(with: try url(Self.redirect + "?code=x&state=second")))
    #expect(presenter.resume(with: try url(Self.redirect + "?code=x&state=STATE")))
    _ = try await task.value
    // The page is no longer open.
    let next = Task { try await presenter.present(.test(Self.redirect, state: "third")) }
    #expect(await pages.next().redirectURI?.absoluteString == Self.redirect)
    next.cancel()
  }

  @Test("two presenters do not get in each other's way")
  func twoPresenters() async throws {
    let presenters = (1...2).map { _ in ExternalBrowserPresenter(open: pages.opened) }
    for presenter in presenters {
      let task = Task { try await presenter.present(.test(Self.redirect)) }
      _ = await pages.next()
      #expect(presenter.resume(with: try url(Self.redirect + "?code=x&state=STATE")))
      _ = try await task.value
    }
  }

  @Test("a page that comes later ends the older one, whose callback is late", arguments: [2, 60, 599])
  func newerPage(seconds: Int) async throws {
    let clock = TestClock(advancesItself: false)
    let presenter = ExternalBrowserPresenter(open: pages.opened, clock: clock)
    let older = Task { try await presenter.present(.test(Self.redirect, state: "older")) }
    _ = await pages.next()
    await clock.advance(by: .seconds(seconds))
    let newer = Task { try await presenter.present(.test(Self.redirect)) }
    _ = await pages.next()
    await expectError(ConnectorError.self, .userClosedBrowser, saying: "A newer sign-in replaced this page.") {
      try await older.value
    }
    #expect(!presenter.resume(with: try url(Self.redirect + "?code=x&state=older")))
    let callback = try url(Self.redirect + "?code=x&state=STATE")
    #expect(presenter.resume(with: callback))
    #expect(try await newer.value == callback)
  }

  @Test("a URL before, after or twice is answered false")
  func late() async throws {
    let presenter = ExternalBrowserPresenter(open: pages.opened)
    let callback = try url(Self.redirect + "?code=x&state=STATE")
    #expect(!presenter.resume(with: callback))
    let task = Task { try await presenter.present(.test(Self.redirect)) }
    _ = await pages.next()
    #expect(presenter.resume(with: callback))
    #expect(!presenter.resume(with: callback))
    _ = try await task.value
    #expect(!presenter.resume(with: callback))
  }

  @Test("many threads may hand over the same URL: one of them is told true")
  func concurrent() async throws {
    let presenter = ExternalBrowserPresenter(open: pages.opened)
    let callback = try url(Self.redirect + "?code=x&state=STATE")
    let task = Task { try await presenter.present(.test(Self.redirect)) }
    _ = await pages.next()
    let taken = await withTaskGroup(of: Bool.self) { group in
      for _ in 1...100 { group.addTask { presenter.resume(with: callback) } }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(taken == 1)
    #expect(try await task.value == callback)
  }

  @Test("coming back without an answer is the user's closing of the browser")
  func cancels() async throws {
    let presenter = ExternalBrowserPresenter(open: pages.opened)
    let task = Task { try await presenter.present(.test(Self.redirect)) }
    _ = await pages.next()
    presenter.cancel()
    await expectError(ConnectorError.self, .userClosedBrowser) { _ = try await task.value }
    #expect(!presenter.resume(with: try url(Self.redirect + "?code=x&state=STATE")))
  }

  @Test("a cancelled task waits no longer, and its callback is late")
  func taskCancellation() async throws {
    let presenter = ExternalBrowserPresenter(open: pages.opened)
    let task = Task { try await presenter.present(.test(Self.redirect)) }
    _ = await pages.next()
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    #expect(!presenter.resume(with: try url(Self.redirect + "?code=x&state=STATE")))
  }

  @Test("the timeout ends the wait")
  func timeout() async throws {
    let clock = TestClock(advancesItself: false)
    let presenter = ExternalBrowserPresenter(open: pages.opened, timeout: .seconds(60), clock: clock)
    let task = Task { try await presenter.present(.test(Self.redirect)) }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(60))
    await expectError(ConnectorError.self, .timedOut) { _ = try await task.value }
  }

  @Test("a browser that cannot be opened ends the wait")
  func browserFails() async {
    let presenter = ExternalBrowserPresenter(
      open: { _ in throw ConnectorError(own: .presentationFailed, "no browser") })
    await expectError(ConnectorError.self, .presentationFailed) {
      _ = try await presenter.present(.test(Self.redirect))
    }
  }
}
