import B2CConnector
import Foundation
import TestSupport
import Testing

/// What a sheet of the system is given, and what its end means; ``SignInSheetTests`` has several sheets.
@MainActor
@Suite(.hangLimit)
struct WebAuthenticationFlowTests {
  /// A sheet that the system does not show, or ends immediately.
  private final class EndedSheet: WebAuthenticationSession {
    private let outcome: WebAuthenticationOutcome?
    private let starts: Bool

    init(_ outcome: WebAuthenticationOutcome?, starts: Bool = true) {
      (self.outcome, self.starts) = (outcome, starts)
    }

    func start(_ completion: @escaping @Sendable (WebAuthenticationOutcome) -> Void) -> Bool {
      if let outcome { completion(outcome) }
      return starts
    }

    func cancel() {}
  }

  private let request = PresentationRequest.test("com.example.app:/cb")
  private let callback = URL(fileURLWithPath: "/callback")
  private let clock = LeapingClock()

  /// A flow whose windows are active or not, on a clock that leaps.
  private func flow(
    isWindowActive: @escaping @MainActor @Sendable (PresentationRequest) -> Bool = { _ in true },
    _ makeSession: @escaping WebAuthenticationFlow.MakeSession
  ) -> WebAuthenticationFlow {
    WebAuthenticationFlow(
      supportsHTTPSCallbacks: true, pages: OpenPages(clock: clock), isWindowActive: isWindowActive,
      makeSession: makeSession)
  }

  @Test(
    "A sheet has the page, its callback and the wish for an ephemeral session, and goes when the task is cancelled",
    arguments: [
      ("Com.Example.App:/cb", WebAuthenticationCallback.customScheme("com.example.app"), true),
      ("https://app.example.com/a/b", .https(host: "app.example.com", path: "/a/b"), false),
      ("https://app.example.com", .https(host: "app.example.com", path: "/"), false),
    ], [true, false])
  func shows(
    _ row: (redirectURI: String, callback: WebAuthenticationCallback, isEphemeral: Bool), isCancelled: Bool
  ) async throws {
    let (screen, callbacks) = (FakeScreen(), Recorder<WebAuthenticationCallback>())
    let flow = flow {
      callbacks.record($0)
      return FakeSheet($1, on: screen)
    }
    let task = Task { try await flow.run(.test(row.redirectURI, ephemeral: row.isEphemeral)) }
    let sheet = try await screen.next()
    #expect(sheet.request.url.host == "login.example" && callbacks.values == [row.callback])
    #expect(sheet.request.prefersEphemeralSession == row.isEphemeral)
    if isCancelled {
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    } else {
      try await sheet.finish(by: CannedPresenter { _ in row.redirectURI + "?code=x" })
      #expect(try await task.value.absoluteString == row.redirectURI + "?code=x")
    }
    #expect(sheet.isCancelled == isCancelled)
  }

  @Test("A task that is cancelled already shows nothing")
  func cancelledBefore() async {
    let flow = flow { _, _ in throw ConnectorError(own: .presentationFailed, "shown") }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await flow.run(request)
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }

  @Test("A sheet waits for an active window, for two seconds at most", arguments: [0, 1, 19, 21, 1_000])
  func inactiveWindow(looks: Int) async throws {
    let (seen, callback) = (Recorder<Bool>(), callback)
    let flow = flow { _ in
      seen.record(seen.values.count >= looks)
      return seen.values.last == true
    } _: { _, _ in
      guard seen.values.last == true else { throw ConnectorError(own: .presentationFailed, "no window") }
      return EndedSheet(.success(callback))
    }
    if looks < 21 {
      #expect(try await flow.run(request) == callback)
    } else {
      await expectError(ConnectorError.self, .presentationFailed, saying: "no window") { try await flow.run(request) }
    }
    #expect(clock.sleeps == Array(repeating: .milliseconds(100), count: min(looks, 20)))
  }

  @Test("A window that the system calls invalid gets a second try, once it is active", arguments: [0, 1, 5])
  func invalidWindow(looks: Int) async throws {
    let invalid = WebAuthenticationCallback.customScheme("com.example.app").error(code: 3, userInfo: [:])
    let outcomes = Locked<[WebAuthenticationOutcome]>([.failure(invalid), .success(callback)])
    let seen = Locked(0)
    let flow = flow { _ in
      seen.withLock { seen in
        seen += 1
        // The first look finds an active window, which is about to resign.
        return seen == 1 || seen > looks + 1
      }
    } _: { _, _ in
      EndedSheet(outcomes.withLock { $0.removeFirst() })
    }
    #expect(try await flow.run(request) == callback)
    #expect(clock.sleeps == [.milliseconds(500)] + Array(repeating: .milliseconds(100), count: looks))
  }

  @Test(
    "A sheet that does not start is a failure, for the reason that it gives, and no end of the user's",
    arguments: [
      (nil, "The system did not show the sign-in sheet.", "Call from an app that is in the foreground"),
      (FakeScreen.closed, "The system did not show the sign-in sheet.", "Call from an app that is in the foreground"),
      (ConnectorError(.presentationFailed, "no window.", recoverySuggestion: "pass one"), "no window.", "pass one"),
    ] as [(ConnectorError?, String, String)])
  func doesNotStart(_ reason: ConnectorError?, _ words: String, _ suggestion: String) async throws {
    let flow = flow { _, _ in EndedSheet(reason.map { .failure($0) }, starts: false) }
    let error = try await #require(throws: ConnectorError.self) { try await flow.run(request) }
    #expect(error.code == .presentationFailed && error.message.contains(words))
    #expect(error.recoverySuggestion?.hasPrefix(suggestion) == true)
  }

  /// The system's end of a sheet, and what it means.
  struct End: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let systemCode: Int?
    /// The system's words.
    var reason: String?
    var redirectURI = "https://app.example.com/cb"
    var code = ErrorCode.presentationFailed
    let words: String
    var suggestion: String?
  }

  /// The system's words for an https callback without an association.
  private nonisolated static let unassociated =
    "Application with identifier ABCDE12345.com.example.app is not associated with domain app.example.com. Using HTTPS"
    + " callbacks requires Associated Domains using the `webcredentials` service type for app.example.com."
  private nonisolated static let unknown = "neither a callback nor a known error"

  nonisolated static let ends: [End] = [
    End(testDescription: "closed", systemCode: 1, code: .userClosedBrowser, words: "The user closed"),
    End(
      testDescription: "no association", systemCode: 1, reason: unassociated, words: unassociated,
      suggestion: "Add webcredentials:app.example.com to Associated Domains, and the app to the host's "
        + "apple-app-site-association"),
    End(
      testDescription: "custom scheme", systemCode: 1, reason: unassociated, redirectURI: "com.example.app:/cb",
      words: "is not associated"),
    End(
      testDescription: "a URL", systemCode: 1, reason: "Cannot open https://login.example/?code=canary",
      words: "the system refused it.", suggestion: "webcredentials:app.example.com"),
    End(
      testDescription: "a token", systemCode: 1, reason: "Refused: access_token=canary-0123456789abcdef",
      words: "Refused", suggestion: "webcredentials:app.example.com"),
    End(testDescription: "no window", systemCode: 2, words: "the window", suggestion: "anchor"),
    // A window in the background is tried once more.
    End(
      testDescription: "background window", systemCode: 3, reason: unassociated, words: "the window",
      suggestion: "foreground"),
    End(testDescription: "unknown code", systemCode: 9, reason: unassociated, words: unknown),
    End(testDescription: "no known error", systemCode: nil, words: unknown),
  ]

  @Test("A cancel of the user has no failure reason; a refusal has one, and says what to add", arguments: ends)
  func end(_ end: End) async throws {
    let userInfo: [String: Any] = end.reason.map { [NSLocalizedFailureReasonErrorKey: $0] } ?? [:]
    let flow = flow { callback, _ in EndedSheet(.failure(callback.error(code: end.systemCode, userInfo: userInfo))) }
    let error = try await #require(throws: ConnectorError.self) { try await flow.run(.test(end.redirectURI)) }
    #expect(error.code == end.code)
    #expect(error.message.contains(end.words), "\(error)")
    #expect((error.recoverySuggestion == nil) == (end.suggestion == nil), "\(error)")
    #expect(error.recoverySuggestion?.contains(end.suggestion ?? "") ?? true, "\(error)")
    #expect(!"\(error)".contains("canary"))
  }

  @Test("Only a text is a failure reason")
  func otherDetails() {
    let callback = WebAuthenticationCallback.https(host: "app.example.com", path: "/cb")
    for userInfo in [
      [NSLocalizedDescriptionKey: "Cancelled.", NSUnderlyingErrorKey: CocoaError(.userCancelled)],
      [NSLocalizedFailureReasonErrorKey: 7],
    ] as [[String: Any]] {
      #expect(callback.error(code: 1, userInfo: userInfo).code == .userClosedBrowser)
    }
  }
}
