internal import B2CCore
package import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

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
  package func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    var history = RequestHistory()
    return try await send(request, limits: limits, isIdempotent: nil, noting: &history)
  }

  /// Sends a request, again when that does no harm and may help.
  ///
  /// - Parameters:
  ///   - request: What to send; nothing is sent that must not be.
  ///   - limits: The limits; the deadline counts for all tries together.
  ///   - isIdempotent: Whether sending it twice has the effect of sending it once; `nil` goes by the method, and takes
  ///     `GET` and `HEAD` only.
  ///   - history: Told whether a try may have changed something although no success was reported.
  /// - Returns: The last answer.
  /// - Throws: ``ConnectorError`` for the last try, also for an answer over the limit, which an app's own transport may let
  ///   pass; `CancellationError` when cancelled, while waiting too.
  package func send(
    _ request: URLRequest, limits: TransportLimits, isIdempotent: Bool?, noting history: inout RequestHistory
  ) async throws -> (Data, HTTPURLResponse) {
    do { try request.validatedOrigin() } catch { throw error.about(request) }
    let mayRepeat = isIdempotent ?? ["GET", "HEAD"].contains(request.method)
    let stopwatch = Stopwatch(clock)
    var attempt = 1
    while true {
      var rest = limits
      rest.deadline -= stopwatch.elapsed
      let result = await tryOnce(request, within: rest, of: limits)
      let head = result.map { $0.1 }
      if request.mayChangeSomething, Self.leavesOutcomeUnknown(head) { history.outcomeIsUnknown = true }
      guard mayRepeat || (try? head.get().statusCode) == 429,
        let delay = policy.delay(afterAttempt: attempt, head, now: now()),
        stopwatch.elapsed + delay < limits.deadline
      else { return try result.get() }
      if delay > .zero { try await clock.sleep(for: delay) }
      try Task.checkCancellation()
      // A process that stood still has waited for longer.
      guard stopwatch.elapsed < limits.deadline else { return try result.get() }
      attempt += 1
      onRetry()
    }
  }

  private func tryOnce(
    _ request: URLRequest, within rest: TransportLimits, of limits: TransportLimits
  ) async -> Result<(Data, HTTPURLResponse), any Error> {
    do {
      let answer = try await transport.send(request, limits: rest)
      guard answer.0.count <= limits.maximumBodyBytes else { throw URLError(.dataLengthExceedsMaximum) }
      return .success(answer)
    } catch {
      switch error {
      // Whatever a transport of the app throws then, such as `URLError.cancelled`.
      case _ where Task.isCancelled: return .failure(CancellationError())
      case let error as URLError: return .failure(ConnectorError(error, request, limits))
      case let error as ConnectorError: return .failure(error.url == nil ? error.about(request) : error)
      case is CancellationError: return .failure(error)
      default: return .failure(ConnectorError(ofCustomPart: error).about(request))
      }
    }
  }

  /// Whether the server, or a gateway before it, may have carried the request out although it reports no success.
  ///
  /// A redirect may follow a change that was made (RFC 9110 section 15.4). What an app's transport throws beside `URLError`
  /// says nothing of whether the request arrived.
  private static func leavesOutcomeUnknown(_ result: Result<HTTPURLResponse, any Error>) -> Bool {
    switch result {
    case .success(let response):
      let status = response.statusCode
      return [301, 302, 303, 307, 308, 408].contains(status) || (status >= 500 && ![501, 505].contains(status))
    case .failure(let error as ConnectorError):
      return error.code != .configuration && (error.underlying as? URLError)?.isBeforeSending != true
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

  /// Returns an error of the call with what is known of its outcome.
  ///
  /// Where another try found no token, only an error of this package can say that the first may have acted.
  package func naming(_ error: any Error) -> any Error {
    guard outcomeIsUnknown, !(error is CancellationError) else { return error }
    var named =
      error as? ConnectorError
      ?? ConnectorError(
        own: .other, "A try may have been carried out, and then \(type(of: error)) was thrown.", underlying: error)
    named.outcomeIsUnknown = true
    return named
  }
}
