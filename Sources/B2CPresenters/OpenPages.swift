internal import B2CCore
internal import Foundation

/// The pages of one presenter, or of the system's sheet, of which the user sees one at a time.
///
/// A second tap on a button must not open a second page, and a page whose end the system never reports must not block
/// every later sign-in. So a sign-in that begins within two seconds after a page opened ends immediately, and a later
/// one replaces the page.
package final class OpenPages: Sendable {
  /// A page that is about to open, or that is open.
  struct Page: Sendable {
    let id: Int
    let request: PresentationRequest
    let callback = PendingCallback()
  }

  private struct State: Sendable {
    /// The page that the user is meant to see, and the time since it opened.
    var current: (page: Page, age: Stopwatch)?
    /// The pages that may still be on the screen or hold a port, although another page may be current by now.
    var unclosed: Set<Int> = []
    /// The number of the sign-in that opened the latest page.
    var latest = 0
  }

  private static let lastNumber = Locked(0)
  private static let replaced = ConnectorError(own: .userClosedBrowser, "A newer sign-in replaced this page.")

  let clock: any Clock<Duration>
  private let state = Monitor(State())

  package init(clock: any Clock<Duration> = ContinuousClock()) { self.clock = clock }

  /// Returns a number that is higher at each call, so that it shows which of two sign-ins began first.
  package static func nextNumber() -> Int {
    lastNumber.withLock { number in
      number += 1
      return number
    }
  }

  /// Makes a page the current one, and waits until the page that it replaces is closed, for one second at most.
  ///
  /// - Parameter request: The page to show.
  /// - Returns: The page, which the caller must end with ``end(_:isClosed:)``.
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/userClosedBrowser`` if another page opened less than two
  ///   seconds ago, or if a sign-in that began later has opened a page.
  func begin(_ request: PresentationRequest) async throws -> Page {
    let page = Page(id: Self.nextNumber(), request: request)
    let signIn = request.signIn ?? page.id
    let (older, others) = try state.withLock { state in
      // After a forgotten password, a sign-in shows a second page, which must not replace the page of a later sign-in.
      guard signIn >= state.latest else { throw Self.replaced }
      if let current = state.current, current.age.elapsed < .seconds(2) {
        throw ConnectorError(own: .userClosedBrowser, "The page was not opened, because another has just opened.")
      }
      let others = (state.current?.page, state.unclosed)
      state.latest = signIn
      state.current = (page, Stopwatch(clock))
      state.unclosed.insert(page.id)
      return others
    }
    older?.callback.fail(Self.replaced)
    guard !others.isEmpty else { return page }
    try? await withTimeout(.seconds(1), on: clock, throwing: Self.replaced) { [state] in
      try await state.wait { $0.unclosed.isDisjoint(with: others) }
    }
    // If the system has not reported the end of a sheet by now, the next page does not wait for it again.
    if !Task.isCancelled { state.withLock { $0.unclosed.subtract(others) } }
    return page
  }

  /// Starts the two seconds in which a page cannot be replaced.
  ///
  /// - Returns: Whether the page may open, because it is still the current one and its task is not cancelled. Otherwise
  ///   the wait for its callback throws.
  func open(_ page: Page) -> Bool {
    state.withLock { state in
      guard !Task.isCancelled, state.current?.page.id == page.id else { return false }
      state.current = (page, Stopwatch(clock))
      return true
    }
  }

  /// Waits for the end of a page.
  ///
  /// The end is returned as a result, so that the caller can close a listener before it throws the error.
  ///
  /// - Returns: The callback, or ``ConnectorError`` with code ``ErrorCode/timedOut``, the error that ended the page, or
  ///   `CancellationError`.
  func outcome(of page: Page, within timeout: Duration) async -> Result<URL, any Error> {
    let late = ConnectorError(
      own: .timedOut, "The page was not finished within \(timeout.components.seconds) seconds.",
      recoverySuggestion: page.request.purpose == .signIn
        ? "If the page showed an error, compare clientId, redirectUri and scopes with the app registration." : nil,
      // A retry would show the user another page.
      isRetryable: false)
    do {
      return .success(try await withTimeout(timeout, on: clock, throwing: late) { try await page.callback.value() })
    } catch {
      return .failure(error)
    }
  }

  /// Returns the current page if a condition holds, after which no page is current.
  func take(if condition: (PresentationRequest) -> Bool) -> Page? {
    state.withLock { state in
      guard let page = state.current?.page, condition(page.request) else { return nil }
      state.current = nil
      return page
    }
  }

  /// Ends a page whose call no longer waits for it.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - isClosed: Whether the page is gone from the screen. If not, ``close(_:)`` follows later.
  func end(_ page: Page, isClosed: Bool = true) {
    state.withLock { state in
      if state.current?.page.id == page.id { state.current = nil }
      if isClosed { state.unclosed.remove(page.id) }
    }
  }

  /// Notes that a page is no longer on the screen.
  func close(_ page: Page) { state.withLock { _ = $0.unclosed.remove(page.id) } }

  /// Whether a page is no longer on the screen.
  func isClosed(_ page: Page) -> Bool { state.withLock { !$0.unclosed.contains(page.id) } }
}
