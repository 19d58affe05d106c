internal import B2CCore
package import Foundation

/// A transport that repeats what may be repeated, by a policy, within the request's deadline.
package struct RetryingTransport: HTTPTransport {
  private let transport: any HTTPTransport
  private let policy: RetryPolicy
  private let budget: RetryBudget
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> Date
  private let random: @Sendable () -> Double
  private let onRetry: @Sendable () -> Void

  /// Wraps a transport.
  ///
  /// - Parameters:
  ///   - transport: The transport of each try.
  ///   - policy: The rules for further tries.
  ///   - budget: The remaining retries, shared with other transports; a separate one when `nil`.
  ///   - clock: The clock of waits and deadlines.
  ///   - now: The wall time, for a `Retry-After` that is a date.
  ///   - random: Returns a number from 0 up to but not including 1.
  ///   - onRetry: Told each time a request is sent again.
  package init(
    transport: any HTTPTransport, policy: RetryPolicy = .standard, budget: RetryBudget? = nil,
    clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() },
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
    onRetry: @escaping @Sendable () -> Void = {}
  ) {
    self.transport = transport
    self.policy = policy
    self.budget = budget ?? RetryBudget(policy.budget)
    self.clock = clock
    self.now = now
    self.random = random
    self.onRetry = onRetry
  }

  /// Sends a request; `GET` and `HEAD` again when they fail in a way that may pass, any other after `429` alone.
  package func send(_ request: TransportRequest) async throws -> TransportResponse {
    try await send(request, isIdempotent: nil)
  }

  /// Sends a request, again when that does no harm and may help.
  ///
  /// A request that is not idempotent is sent again only when the server has said that it did not carry it out.
  ///
  /// - Parameters:
  ///   - request: What to send; its deadline counts for all tries together.
  ///   - isIdempotent: Whether sending it twice has the effect of sending it once; `nil` goes by the method, and takes
  ///     `GET` and `HEAD` only.
  /// - Returns: The last answer.
  /// - Throws: The last ``TransportError``; `CancellationError` when cancelled, while waiting too.
  package func send(_ request: TransportRequest, isIdempotent: Bool?) async throws -> TransportResponse {
    let mayRepeat = isIdempotent ?? (request.method == .get || request.method == .head)
    guard mayRepeat || policy.repeatsThrottledChanges, policy.maximumAttempts > 1 else {
      return try await transport.send(request)
    }
    let stopwatch = Stopwatch(clock)
    var attempt = 1
    while true {
      let result = await tryOnce(request, within: request.limits.deadline - stopwatch.elapsed)
      if case .failure(let error) = result, !(error is TransportError) { throw error }
      let response = try? result.get()
      let isHarmless = mayRepeat || response?.status == 429
      let delay = policy.delay(
        afterAttempt: attempt, response: response, error: Self.error(of: result), now: now(), random: random)
      guard isHarmless, let delay, stopwatch.elapsed + delay < request.limits.deadline, budget.take() else {
        if let response, (200..<400).contains(response.status) { budget.restore() }
        return try result.get()
      }
      if delay > .zero { try await clock.sleep(for: delay) }
      try Task.checkCancellation()
      attempt += 1
      onRetry()
    }
  }

  private func tryOnce(
    _ request: TransportRequest, within time: Duration
  ) async -> Result<TransportResponse, any Error> {
    var request = request
    request.limits.deadline = time
    do {
      return .success(try await transport.send(request))
    } catch {
      return .failure(error)
    }
  }

  private static func error(of result: Result<TransportResponse, any Error>) -> (any Error)? {
    if case .failure(let error) = result { error } else { nil }
  }
}

/// The remaining retries, shared by all calls of a connector.
///
/// When a server is down for long, calls soon fail at once instead of adding to its load.
package final class RetryBudget: Sendable {
  private let capacity: Int
  private let left: Locked<Int>

  /// Makes a full budget.
  ///
  /// - Parameter capacity: The most retries; each success restores one.
  package init(_ capacity: Int) {
    self.capacity = max(0, capacity)
    left = Locked(max(0, capacity))
  }

  /// Takes one retry; `false` when none is left.
  func take() -> Bool {
    left.withLock { left in
      guard left > 0 else { return false }
      left -= 1
      return true
    }
  }

  /// Restores one retry after a success.
  func restore() {
    left.withLock { $0 = min(capacity, $0 + 1) }
  }
}
