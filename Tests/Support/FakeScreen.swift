package import B2COAuth
package import Foundation

/// The system's part of sign-in sheets: one at a time, and none while another one is being dismissed.
@MainActor
package final class FakeScreen: Sendable {
  /// The system's behavior when a sheet is cancelled.
  package enum Dismissal: Sendable {
    /// The sheet goes, and its completion is called.
    case reported
    /// The sheet goes, and its completion is never called.
    case silent
    /// The sheet goes when the test calls ``finishDismissal()``.
    case slow
  }

  package var dismissal: Dismissal
  package private(set) var shown: FakeSheet?
  /// The sheets that the user has seen.
  package private(set) var count = 0
  /// The number of sheets that the system refused to show.
  package private(set) var refusals = 0
  private var dismissed: FakeSheet?
  private let appearances = AsyncStream<FakeSheet>.makeStream()

  package init(dismissal: Dismissal = .reported) { self.dismissal = dismissal }

  /// Waits until a sheet appears that no call has returned before.
  package func next() async throws -> FakeSheet {
    for await sheet in appearances.stream { return sheet }
    throw CancellationError()
  }

  /// Ends the dismissal of a sheet.
  package func finishDismissal() {
    let sheet = dismissed
    dismissed = nil
    sheet?.complete(with: .failure(Self.closed))
  }

  /// The end of a sheet that the user or the app has closed.
  package nonisolated static let closed = WebAuthenticationCallback.customScheme("com.example.app").error(
    code: 1, userInfo: [:])

  fileprivate func show(_ sheet: FakeSheet) -> Bool {
    guard shown == nil, dismissed == nil else {
      refusals += 1
      return false
    }
    shown = sheet
    count += 1
    appearances.continuation.yield(sheet)
    return true
  }

  fileprivate func remove(_ sheet: FakeSheet, _ dismissal: Dismissal, _ outcome: WebAuthenticationOutcome) {
    guard shown === sheet else { return }
    shown = nil
    switch dismissal {
    case .reported: sheet.complete(with: outcome)
    case .silent: break
    case .slow: dismissed = sheet
    }
  }
}

@MainActor
package final class FakeSheet: WebAuthenticationSession {
  package let request: PresentationRequest
  package private(set) var isCancelled = false
  /// The flow's completion handler; a test may call it on any thread.
  package private(set) var completion: (@Sendable (WebAuthenticationOutcome) -> Void)?
  private let screen: FakeScreen

  package init(_ request: PresentationRequest, on screen: FakeScreen) {
    self.request = request
    self.screen = screen
  }

  package func start(_ completion: @escaping @Sendable (WebAuthenticationOutcome) -> Void) -> Bool {
    self.completion = completion
    return screen.show(self)
  }

  package func cancel() {
    isCancelled = true
    screen.remove(self, screen.dismissal, .failure(FakeScreen.closed))
  }

  /// The user does what a script says, and the page redirects.
  package func finish(by script: any SignInPresenter) async throws {
    let url = try await script.present(request)
    screen.remove(self, .reported, .success(url))
  }

  package func close() { screen.remove(self, .reported, .failure(FakeScreen.closed)) }

  /// The sheet goes, and nobody is told, as after an incoming call.
  package func vanish() { screen.remove(self, .silent, .failure(FakeScreen.closed)) }

  fileprivate func complete(with outcome: WebAuthenticationOutcome) { completion?(outcome) }
}

/// A presenter that shows the sheets of a ``FakeScreen``.
package struct SheetPresenter: SignInPresenter {
  private let flow: WebAuthenticationFlow

  package init(
    _ screen: FakeScreen, pages: OpenPages,
    isWindowActive: @escaping @MainActor @Sendable (PresentationRequest) -> Bool = { _ in true }
  ) {
    flow = WebAuthenticationFlow(supportsHTTPSCallbacks: true, pages: pages, isWindowActive: isWindowActive) {
      FakeSheet($1, on: screen)
    }
  }

  package func present(_ request: PresentationRequest) async throws -> URL { try await flow.run(request) }
}
