import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit)
struct ExternalBrowserPresenterTests {
  private static let redirect = "com.example.app:/callback"
  private let pages = PageWatcher()
  private let clock = TestClock(advancesItself: false)
  private let presenter: ExternalBrowserPresenter

  init() {
    presenter = ExternalBrowserPresenter(open: pages.opened, timeout: .seconds(60), clock: clock)
  }

  private func url(_ text: String) throws -> URL {
    try TestSupport.url(text.replacing("STATE", with: PresentationRequest.testState))
  }

  /// The callback of a request with a state.
  private func callback(_ state: String = "STATE") throws -> URL { try url("\(Self.redirect)?code=x&state=\(state)") }

  /// Presents a page and waits until it is open.
  private func present(
    purpose: PresentationRequest.Purpose = .signIn, state: String = PresentationRequest.testState
  ) async -> Task<URL, any Error> {
    let task = Task { try await presenter.present(.test(Self.redirect, purpose: purpose, state: state)) }
    #expect(await pages.next().redirectURI?.absoluteString == Self.redirect)
    return task
  }

  @Test(
    "The app's open-URL callback ends the wait",
    arguments: [
      "com.example.app:/callback?code=x&state=STATE", "COM.example.app:/callback?state=STATE&error=access_denied",
      "com.example.app:/callback#code=x&state=STATE", "com.example.app:/callback?code=x&state=STATE#_=_",
      "com.example.app:/callback?x=y#code=a&state=STATE",
    ])
  func resumes(_ text: String) async throws {
    let task = await present()
    let callback = try url(text)
    #expect(presenter.resume(with: callback))
    #expect(try await task.value == callback)
  }

  @Test(
    "A URL that is not the callback is answered false, and the wait goes on",
    arguments: [
      "com.example.app:/callback", "com.example.app:/callback?code=x", "com.example.app:/callback?code=x&state=wrong",
      "com.example.app:/callback?code=x&state=STATE&state=STATE", "com.example.app:/other?code=x&state=STATE",
      "com.example.other:/callback?code=x&state=STATE", "https://example.com/callback?code=x&state=STATE",
      // The state counts only in the part that the answer is read from (found by fuzzing).
      "com.example.app:/callback?error=access_denied#state=STATE", "com.example.app:/callback?state=t#state=STATE",
      "com.example.app:/callback?code=a#code=b&state=STATE",
      "com.example.app:", "data:,x", "x", "com.example.app:/callback?%zz&state=wrong",
    ])
  func strays(_ text: String) async throws {
    let task = await present()
    #expect(!presenter.resume(with: try url(text)))
    #expect(presenter.resume(with: try callback()))
    _ = try await task.value
  }

  @Test(
    "Any URL at the redirect ends a sign-out, with another state or none",
    arguments: ["com.example.app:/callback", "com.example.app:/callback?state=wrong"])
  func signOut(_ text: String) async throws {
    let task = await present(purpose: .signOut)
    #expect(!presenter.resume(with: try url("com.example.app:/other?state=STATE")))
    #expect(presenter.resume(with: try url(text)))
    #expect(try await task.value == url(text))
  }

  @Test("A page within two seconds of another is not opened, and the older one stays", arguments: [0, 1_000, 1_999])
  func secondTap(milliseconds: Int) async throws {
    let task = await present()
    await clock.advance(by: .milliseconds(milliseconds))
    await expectError(ConnectorError.self, .userClosedBrowser) {
      try await presenter.present(.test(Self.redirect, state: "second"))
    }
    #expect(!presenter.resume(with: try callback("second")))
    #expect(presenter.resume(with: try callback()))
    _ = try await task.value
    // The page is no longer open, so the next one opens.
    await present(state: "third").cancel()
  }

  @Test("Two presenters do not get in each other's way")
  func twoPresenters() async throws {
    let other = ExternalBrowserPresenter(open: pages.opened)
    let otherTask = Task { try await other.present(.test(Self.redirect)) }
    _ = await pages.next()
    let task = await present()
    #expect(try presenter.resume(with: callback()) && other.resume(with: callback()))
    _ = try await (task.value, otherTask.value)
  }

  @Test("A later page ends the older one, whose callback is late", arguments: [2, 59])
  func newerPage(seconds: Int) async throws {
    let older = await present(state: "older")
    await clock.advance(by: .seconds(seconds))
    let newer = await present()
    await expectError(ConnectorError.self, .userClosedBrowser, saying: "A newer sign-in replaced this page.") {
      try await older.value
    }
    #expect(!presenter.resume(with: try callback("older")))
    #expect(presenter.resume(with: try callback()))
    #expect(try await newer.value == callback())
  }

  @Test("A callback counts once: many threads may hand it over, one is told true, and none before or after")
  func once() async throws {
    let (presenter, callback) = (presenter, try callback())
    #expect(!presenter.resume(with: callback))
    let task = await present()
    let taken = await withTaskGroup(of: Bool.self) { group in
      for _ in 1...100 { group.addTask { presenter.resume(with: callback) } }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(taken == 1)
    #expect(try await task.value == callback)
    #expect(!presenter.resume(with: callback))
  }

  /// How a wait ends without a callback.
  enum End: CaseIterable { case cancel, taskCancellation, timeout }

  @Test(
    "A user who comes back without an answer, a cancelled task and the timeout end the wait", arguments: End.allCases)
  func ends(_ end: End) async throws {
    let task = await present()
    switch end {
    case .cancel:
      presenter.cancel()
      await expectError(ConnectorError.self, .userClosedBrowser) { try await task.value }
    case .taskCancellation:
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    case .timeout:
      await clock.waitForSleepers()
      await clock.advance(by: .seconds(60))
      await expectError(ConnectorError.self, .timedOut) { try await task.value }
    }
    #expect(!presenter.resume(with: try callback()))
  }
}
