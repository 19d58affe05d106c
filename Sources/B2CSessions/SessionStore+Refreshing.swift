internal import B2CCore
package import B2CTokenCache
package import Foundation

/// Refreshes: when one may begin, and one at a time for each user.
extension SessionStore {
  /// Whether a token that has not expired may be renewed: at most once a minute, and not before the server wants it.
  package func mayTry(_ flight: TokenFlight, now: Date) -> Bool {
    // A clock that was set back holds nothing back.
    state.withLock {
      $0.tried[flight.withoutClaims]?.contains(now) != true && $0.waits[flight.key]?.contains(now) != true
    }
  }

  /// Notes that a token is being renewed.
  package func noteTry(_ flight: TokenFlight, now: Date) {
    state.withLock { $0.tried.hold(flight.withoutClaims, now: now, seconds: 60) }
  }

  /// Notes that the server or the user wants no further refresh of a user for a time, in seconds; a minute at least.
  package func noteWait(_ key: TokenCacheKey, now: Date, seconds: TimeInterval = 60) {
    state.withLock { $0.waits.hold(key, now: now, seconds: max(seconds, 60)) }
  }

  /// Waits for the refreshes under way, then tries once to write what the cache has refused.
  package func close(_ wait: Wait) async {
    await flights.wait(atMost: wait.limit, on: wait.clock)
    await writeAllPending(wait)
  }

  /// Runs a refresh while no other refresh of a user is under way, in this process or, with a shared cache, in another one.
  ///
  /// - Parameters:
  ///   - key: The key whose refresh token is used.
  ///   - wait: How long to wait for both; the work itself is never cancelled.
  ///   - body: The refresh.
  /// - Returns: What the body returns.
  /// - Throws: ``ConnectorError`` with code `timedOut` when the wait is over, and `tokenCache` when the cache cannot lock; what
  ///   the body throws.
  package func withRefreshLock<Value: Sendable>(
    _ key: TokenCacheKey, _ wait: Wait, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let stopwatch = Stopwatch(wait.clock)
    return try await refreshes.withLock(key, timeout: wait.limit, on: wait.clock, throwing: Self.notFree) {
      guard let shared = cache as? any SharedTokenCache else { return try await body() }
      // The body's errors pass the cache as a value, so that an error caught here is the cache's own.
      let outcome = Monitor<Result<Value, any Error>?>(nil)
      let end = { @Sendable (result: Result<Value, any Error>) in outcome.withLock { $0 = result } }
      let hasReturned = Monitor(false)
      // Set by whatever comes first, the work, the cache's error or the end of the wait: a cache that runs the work twice,
      // or late, must not use the token twice.
      let isDecided = Locked(false)
      let locking = Task {
        do {
          try await shared.withRefreshLock(
            for: key,
            RefreshWork {
              guard isDecided.setOnce() else { return }
              do { end(.success(try await body())) } catch { end(.failure(error)) }
            })
          if isDecided.setOnce() { end(.failure(Self.workNotRun)) }
        } catch {
          // Work that has begun tells its own end: what was done under the lock stays done.
          if isDecided.setOnce() { end(.failure(Self.wrapped(error, "locked"))) }
        }
        hasReturned.withLock { $0 = true }
      }
      let waiting = Task {
        try await wait.clock.sleep(for: wait.limit - stopwatch.elapsed)
        guard isDecided.setOnce() else { return }
        end(.failure(Self.notFree))
        locking.cancel()
        hasReturned.withLock { $0 = true }
      }
      defer { waiting.cancel() }
      try await outcome.wait { $0 != nil }
      // The next refresh begins when the cache has given its lock back. One that hangs there is not waited for.
      try? await withTimeout(
        wait.limit, on: wait.clock, tolerance: .milliseconds(100), throwing: CancellationError()
      ) { try await hasReturned.wait { $0 } }
      return try outcome.withLock { $0 ?? .failure(Self.workNotRun) }.get()
    }
  }

  private static var notFree: ConnectorError {
    ConnectorError(
      own: .timedOut, "Another refresh of this user did not end in time.", recoverySuggestion: "Try again later.")
  }

  private static var workNotRun: ConnectorError {
    ConnectorError(own: .tokenCache, "The token cache has not run the work that was to be done under its refresh lock.")
  }
}

extension Dictionary where Value == ClosedRange<Date> {
  /// Notes a time from now on for a key; one that lasts longer stays, unless the clock was set back.
  fileprivate mutating func hold(_ key: Key, now: Date, seconds: TimeInterval) {
    // A server for many users does not keep what is over.
    if count >= 1_024 { self = filter { $0.value.contains(now) } }
    let end = now.addingTimeInterval(seconds)
    self[key] = now...Swift.max(end, self[key].flatMap { $0.contains(now) ? $0.upperBound : nil } ?? end)
  }
}
