import B2CConnector
import B2CCore
import Foundation
import TestSupport
import Testing

extension ConnectorError {
  /// The end of a sheet that the user has closed.
  fileprivate static let closed = WebAuthenticationCallback.customScheme("com.example.app").error(
    code: 1, userInfo: [:])
}

@MainActor
@Suite(.hangLimit)
struct WebAuthenticationFlowTests {
  /// A sheet that a test holds in its hand.
  private final class Sheet: WebAuthenticationSession {
    let callback: WebAuthenticationCallback
    let request: PresentationRequest
    private let starts: Bool
    private let atOnce: WebAuthenticationOutcome?
    private(set) var completion: (@Sendable (WebAuthenticationOutcome) -> Void)?
    private(set) var isCancelled = false

    init(
      _ callback: WebAuthenticationCallback, _ request: PresentationRequest, starts: Bool,
      atOnce: WebAuthenticationOutcome?
    ) {
      self.callback = callback
      self.request = request
      self.starts = starts
      self.atOnce = atOnce
    }

    func start(_ completion: @escaping @Sendable (WebAuthenticationOutcome) -> Void) -> Bool {
      self.completion = completion
      if let atOnce { completion(atOnce) }
      return starts
    }

    func cancel() {
      isCancelled = true
      completion?(.failure(.closed))
    }
  }

  /// Gives the sheets that a flow makes, as they are shown.
  private final class Sheets {
    private let stream = AsyncStream<Sheet>.makeStream()
    private let starts: Bool
    private let atOnce: WebAuthenticationOutcome?

    init(starts: Bool = true, atOnce: WebAuthenticationOutcome? = nil) {
      self.starts = starts
      self.atOnce = atOnce
    }

    var flow: WebAuthenticationFlow {
      WebAuthenticationFlow(supportsHTTPSCallbacks: true, pages: OpenPages(clock: LeapingClock())) {
        [stream, starts, atOnce] callback, request in
        let sheet = Sheet(callback, request, starts: starts, atOnce: atOnce)
        stream.continuation.yield(sheet)
        return sheet
      }
    }

    func next() async throws -> Sheet {
      var iterator = stream.stream.makeAsyncIterator()
      return try #require(await iterator.next())
    }
  }

  private let callback = URL(fileURLWithPath: "/callback")

  /// Starts a flow and gives its task with the sheet it shows.
  private func start(
    _ request: PresentationRequest = .test("com.example.app:/cb")
  ) async throws -> (Task<URL, any Error>, Sheet) {
    let sheets = Sheets()
    let flow = sheets.flow
    let task = Task { try await flow.run(request) }
    let sheet = try await sheets.next()
    try await yielding { sheet.completion != nil }
    return (task, sheet)
  }

  @Test("shows the page with the callback and the wish for an ephemeral session")
  func shows() async throws {
    let (task, sheet) = try await start(.test("com.example.app:/cb", ephemeral: true))
    #expect(sheet.request.url.host == "login.example")
    #expect(sheet.callback == .customScheme("com.example.app"))
    #expect(sheet.request.prefersEphemeralSession)
    sheet.completion?(.success(callback))
    #expect(try await task.value == callback)
    #expect(!sheet.isCancelled)
  }

  @Test("a sheet waits for an active window, for two seconds at most", arguments: [0, 1, 19, 21, 1_000])
  func inactiveWindow(looks: Int) async throws {
    let (clock, seen) = (LeapingClock(), Locked(0))
    let outcome = WebAuthenticationOutcome.success(callback)
    let flow = WebAuthenticationFlow(
      supportsHTTPSCallbacks: true, pages: OpenPages(clock: clock),
      isWindowActive: { _ in
        seen.withLock { seen in
          seen += 1
          return seen > looks
        }
      },
      makeSession: {
        guard seen.withLock({ $0 > looks }) else { throw ConnectorError(own: .presentationFailed, "no window") }
        return Sheet($0, $1, starts: true, atOnce: outcome)
      })
    if looks < 21 {
      #expect(try await flow.run(.test("com.example.app:/cb")) == callback)
    } else {
      await expectError(ConnectorError.self, .presentationFailed, saying: "no window") {
        try await flow.run(.test("com.example.app:/cb"))
      }
    }
    #expect(clock.sleeps == Array(repeating: .milliseconds(100), count: min(looks, 20)))
  }

  @Test("a window that the system calls invalid gets a second try, once it is active", arguments: [0, 1, 5])
  func invalidWindow(looks: Int) async throws {
    let (clock, seen) = (LeapingClock(), Locked(0))
    let invalid = WebAuthenticationCallback.customScheme("com.example.app").error(code: 3, userInfo: [:])
    let outcomes = Locked<[WebAuthenticationOutcome]>([.failure(invalid), .success(callback)])
    let flow = WebAuthenticationFlow(
      supportsHTTPSCallbacks: true, pages: OpenPages(clock: clock),
      isWindowActive: { _ in
        seen.withLock { seen in
          seen += 1
          // The first look finds an active window, which is about to resign.
          return seen == 1 || seen > looks + 1
        }
      },
      makeSession: { Sheet($0, $1, starts: true, atOnce: outcomes.withLock { $0.removeFirst() }) })
    #expect(try await flow.run(.test("com.example.app:/cb")) == callback)
    #expect(clock.sleeps == [.milliseconds(500)] + Array(repeating: .milliseconds(100), count: looks))
  }

  @Test("an https redirect is waited for by host and path, and cookies are shared unless asked otherwise")
  func https() async throws {
    let (task, sheet) = try await start(.test("https://app.example.com/cb"))
    #expect(sheet.callback == .https(host: "app.example.com", path: "/cb"))
    #expect(!sheet.request.prefersEphemeralSession)
    sheet.completion?(.success(callback))
    _ = try await task.value
  }

  @Test("cancelling the task takes the sheet away")
  func cancellation() async throws {
    let (task, sheet) = try await start()
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    #expect(sheet.isCancelled)
  }

  @Test("a task that is cancelled already shows nothing")
  func cancelledBefore() async {
    let flow = WebAuthenticationFlow(supportsHTTPSCallbacks: true) { _, _ in
      throw ConnectorError(own: .presentationFailed, "shown")
    }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await flow.run(.test("com.example.app:/cb"))
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }

  @Test("a sheet that does not start is a failure, and is taken for no end of the user's", arguments: [true, false])
  func doesNotStart(isClosed: Bool) async {
    let flow = Sheets(starts: false, atOnce: isClosed ? .failure(.closed) : nil).flow
    let error = await #expect(throws: ConnectorError.self) { _ = try await flow.run(.test("com.example.app:/cb")) }
    #expect(error?.code == .presentationFailed)
    #expect(error?.message == "The system did not show the sign-in sheet.")
  }

  @Test("a sheet that does not start and says why is a failure for that reason")
  func doesNotStartAndSaysWhy() async {
    let failure = ConnectorError(own: .presentationFailed, "no window.", recoverySuggestion: "pass one")
    let flow = Sheets(starts: false, atOnce: .failure(failure)).flow
    let error = await #expect(throws: ConnectorError.self) { _ = try await flow.run(.test("com.example.app:/cb")) }
    #expect(error?.code == .presentationFailed)
    #expect(error?.message.contains("no window.") == true)
    #expect(error?.recoverySuggestion == "pass one")
  }

  @Test("a redirect URI that the sheet cannot serve shows nothing")
  func mismatch() async {
    let flow = WebAuthenticationFlow(supportsHTTPSCallbacks: false) { _, _ in
      throw ConnectorError(own: .presentationFailed, "shown")
    }
    await expectError(ConnectorError.self, .unsupportedRedirectURI) {
      _ = try await flow.run(.test("https://app.example.com/cb"))
    }
  }
}
