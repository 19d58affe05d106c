internal import B2CCore
package import Foundation

/// A transport that repeats what may be repeated, by a policy, within the request's deadline.
package struct RetryingTransport: HTTPTransport {
  private let transport: any HTTPTransport
  private var policy: RetryPolicy
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> Date
  private let onRetry: @Sendable () -> Void

  /// Wraps a transport.
  ///
  /// - Parameters:
  ///   - transport: The transport of each try.
  ///   - policy: The rules for further tries.
  ///   - clock: The clock of waits and deadlines.
  ///   - now: The wall time, for a `Retry-After` that is a date.
  ///   - onRetry: Told each time a request is sent again.
  package init(
    transport: any HTTPTransport, policy: RetryPolicy = RetryPolicy(), clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }, onRetry: @escaping @Sendable () -> Void = {}
  ) {
    self.transport = transport
    self.policy = policy
    self.clock = clock
    self.now = now
    self.onRetry = onRetry
  }

  /// The same transport, which sends every request once.
  package var once: RetryingTransport {
    var copy = self
    copy.policy = .none
    return copy
  }

  /// Sends a request; `GET` and `HEAD` again when they fail in a way that may pass, any other after `429` alone.
  package func send(_ request: TransportRequest) async throws -> TransportResponse {
    var history = RequestHistory()
    return try await send(request, isIdempotent: nil, noting: &history)
  }

  /// Sends a request, again when that does no harm and may help.
  ///
  /// - Parameters:
  ///   - request: What to send; its deadline counts for all tries together.
  ///   - isIdempotent: Whether sending it twice has the effect of sending it once; `nil` goes by the method, and takes
  ///     `GET` and `HEAD` only.
  ///   - history: Told whether a try may have changed something although no success was reported.
  /// - Returns: The last answer.
  /// - Throws: The last ``TransportError``, also with `responseTooLarge` for an answer over the limit, which an app's own
  ///   transport may let pass; `CancellationError` when cancelled, while waiting too.
  package func send(
    _ request: TransportRequest, isIdempotent: Bool?, noting history: inout RequestHistory
  ) async throws -> TransportResponse {
    let mayRepeat = isIdempotent ?? (request.method == .get || request.method == .head)
    let stopwatch = Stopwatch(clock)
    var attempt = 1
    while true {
      let result = await tryOnce(request, within: request.limits.deadline - stopwatch.elapsed)
      if request.mayChangeSomething, Self.leavesOutcomeUnknown(result) { history.outcomeIsUnknown = true }
      guard mayRepeat || (try? result.get().status) == 429,
        let delay = policy.delay(afterAttempt: attempt, result, now: now()),
        stopwatch.elapsed + delay < request.limits.deadline
      else { return try result.get() }
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
      let response = try await transport.send(request)
      let limit = request.limits.maximumBodyBytes
      guard response.body.count <= limit else {
        throw TransportError(.responseTooLarge, "The answer is larger than the \(limit) bytes that are allowed.")
      }
      return .success(response)
    } catch {
      return .failure(error)
    }
  }

  /// Whether the server, or a gateway before it, may have carried the request out although it reports no success.
  ///
  /// A redirect may follow a change that was made (RFC 9110 section 15.4). What an app's transport throws by other types
  /// says nothing of whether the request arrived.
  private static func leavesOutcomeUnknown(_ result: Result<TransportResponse, any Error>) -> Bool {
    switch result {
    case .success(let response):
      let status = response.status
      return [301, 302, 303, 307, 308, 408].contains(status) || (status >= 500 && ![501, 505].contains(status))
    case .failure(let error as TransportError):
      return ![.insecureURL, .invalidRequest, .cannotConnect, .untrustedServer, .closed].contains(error.code)
    case .failure: return true
    }
  }
}

/// What the tries of one call have done so far.
package struct RequestHistory: Sendable {
  /// Whether the server may have carried out a request that changes something although it did not succeed.
  package var outcomeIsUnknown = false
  /// The access tokens that were sent, which no error may show.
  package var bearerTokens: [Secret] = []

  /// Makes the history of a call that has not begun.
  package init() {}
}

extension TransportRequest {
  /// Whether it may change something at the server: any method but the safe `GET`, `HEAD` and `OPTIONS` (RFC 9110 section
  /// 9.2.1).
  package var mayChangeSomething: Bool { !["GET", "HEAD", "OPTIONS"].contains(method.rawValue) }
}
