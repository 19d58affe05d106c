internal import B2CCore
package import B2CTokenCache
package import Foundation

/// Decides when a refresh may begin, and runs one at a time for each user.
extension SessionStore {
  /// Whether a token that has not expired may be renewed.
  ///
  /// This is the case at most once a minute, and not while the server or the user wants no refresh.
  package func mayTry(_ flight: TokenFlight, now: Date) -> Bool {
    // A time that begins in the future does not count, so a clock that was set back delays no refresh.
    state.withLock {
      $0.tried[flight.withoutClaims]?.contains(now) != true && $0.waits[flight.key]?.contains(now) != true
    }
  }

  /// Notes that a token is being renewed.
  package func noteTry(_ flight: TokenFlight, now: Date) {
    state.withLock { $0.tried.hold(flight.withoutClaims, now: now, seconds: 60) }
  }

  /// Notes that the server or the user wants no refresh of a user for some seconds, which count as a minute at least.
  package func noteWait(_ key: TokenCacheKey, now: Date, seconds: TimeInterval = 60) {
    state.withLock { $0.waits.hold(key, now: now, seconds: max(seconds, 60)) }
  }

  /// Waits for the refreshes in flight, then tries once to write the records that the cache refused to store.
  package func close(_ wait: Wait) async {
    await flights.wait(atMost: wait.limit, on: wait.clock)
    await writeAllPending(wait)
  }

  /// Runs a refresh while no other refresh of this user runs, in this process or, with a shared cache, in another one.
  ///
  /// - Parameters:
  ///   - key: The key whose refresh token is used.
  ///   - wait: How long to wait for the other refreshes. The work itself is never cancelled.
  ///   - body: The refresh.
  /// - Returns: The result of the body.
  /// - Throws: ``ConnectorError`` with code `timedOut` if another refresh does not end in time, or `tokenCache` if the
  ///   cache cannot lock; the error of the body.
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
      // The work, the cache's error and the end of the wait compete to set this, and only the first of them counts. A
      // cache that runs the work twice or too late must not use the refresh token twice.
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
          // Work that has begun reports its own result, because its changes remain even if the cache fails afterwards.
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
      // The next refresh begins after the cache has released its lock. If the cache hangs there, do not wait for ever.
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
    ConnectorError(own: .tokenCache, "The token cache's `withRefreshLock` did not run its work.")
  }
}

extension Dictionary where Value == ClosedRange<Date> {
  /// Holds a key for some seconds from now on, or longer if it is held longer already and the clock was not set back.
  fileprivate mutating func hold(_ key: Key, now: Date, seconds: TimeInterval) {
    // Expired entries are dropped, so that a server with many users does not collect them.
    if count >= 1_024 { self = filter { $0.value.contains(now) } }
    let end = now.addingTimeInterval(seconds)
    self[key] = now...Swift.max(end, self[key].flatMap { $0.contains(now) ? $0.upperBound : nil } ?? end)
  }
}
