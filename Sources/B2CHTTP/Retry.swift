internal import B2CCore
package import Foundation

/// The rules by which a failed request is sent again.
///
/// A request is repeated after a lost connection, a timeout, and the statuses 408, 429, 500, 502, 503 and 504, but only one
/// that may be repeated without harm: `GET` and `HEAD`, and what the caller marks so. Any other is sent again after
/// `429 Too Many Requests` alone, which servers send before they do anything. The wait is what the server names in
/// `Retry-After`, else one second, doubled for each further try. The whole, waits included, stays within the request's
/// deadline: when the next try would begin after it, the last answer is returned.
public struct RetryPolicy: Sendable, Hashable {
  /// The most times a request is sent, the first included.
  public var maximumAttempts: Int
  /// The longest wait before any try; when the server asks for more, its answer is returned at once.
  public var maximumDelay: Duration

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - maximumAttempts: The most times a request is sent, the first included.
  ///   - maximumDelay: The longest wait before any try.
  public init(maximumAttempts: Int = 3, maximumDelay: Duration = .seconds(10)) {
    self.maximumAttempts = maximumAttempts
    self.maximumDelay = maximumDelay
  }

  /// Every request is sent once.
  public static let none = RetryPolicy(maximumAttempts: 1)
}

extension RetryPolicy {
  /// Returns how long to wait before the next try, if there should be one.
  ///
  /// - Parameters:
  ///   - attempt: How many times the request was sent, 1 or more.
  ///   - result: The answer or the error.
  /// - Returns: How long to wait before the next try; `nil` when there must be none.
  package func delay(afterAttempt attempt: Int, _ result: Result<HTTPURLResponse, any Error>) -> Duration? {
    guard attempt < maximumAttempts else { return nil }
    switch result {
    case .success(let response):
      guard [408, 429, 500, 502, 503, 504].contains(response.statusCode) else { return nil }
      if let seconds = RetryAfter.seconds(in: response) {
        return .seconds(seconds) <= maximumDelay ? .seconds(seconds) : nil
      }
    case .failure(let error):
      guard (error as? ConnectorError)?.isRetryable == true else { return nil }
    }
    return min(.seconds(1 << min(attempt - 1, 30)), maximumDelay)
  }
}

/// The wait that a server asks for (RFC 9110 section 10.2.3).
package enum RetryAfter {
  /// The longest wait that is reported: a day, so that an app may turn the seconds into an integer.
  private static let maximum = 86_400.0

  /// The wait in seconds, from a number of seconds or from a date; `nil` when there is none or it is not valid.
  ///
  /// A date is measured from the answer's own `Date`, so that a wrong clock on this side does not matter. A date in the
  /// past means no wait, and a wait of more than a day a day.
  package static func seconds(in response: HTTPURLResponse) -> Double? {
    let field = { response.value(forHTTPHeaderField: $0)?.trimmingCharacters(in: .whitespaces) ?? "" }
    let text = field("Retry-After")
    guard !text.allSatisfy("0123456789.".contains) else { return Double(text).map { min($0, maximum) } }
    guard let date = Dates.headerField(text), let sent = Dates.headerField(field("Date")) else { return nil }
    return min(max(0, date.timeIntervalSince(sent)), maximum)
  }
}

/// A transport that repeats what may be repeated, by a policy, within the request's deadline.
package struct RetryingTransport: Sendable {
  private let transport: any HTTPTransport
  private let policy: RetryPolicy
  let clock: any Clock<Duration>
  /// Told each time a request is sent again, with the code of what the try before it brought.
  let onRetry: @Sendable (ErrorCode) async -> Void

  /// Wraps a transport.
  ///
  /// - Parameters:
  ///   - transport: The transport of each try.
  ///   - policy: The rules for further tries.
  ///   - clock: The clock of waits and deadlines.
  ///   - onRetry: Told each time a request is sent again, with the code of what the try before it brought.
  package init(
    transport: any HTTPTransport, policy: RetryPolicy = RetryPolicy(), clock: any Clock<Duration> = ContinuousClock(),
    onRetry: @escaping @Sendable (ErrorCode) async -> Void = { _ in }
  ) {
    self.transport = transport
    self.policy = policy
    self.clock = clock
    self.onRetry = onRetry
  }

  /// Sends a request, again when that does no harm and may help.
  ///
  /// - Parameters:
  ///   - request: The request. Plain http to another machine is refused before anything is sent.
  ///   - limits: The limits; the deadline counts for all tries together.
  ///   - isIdempotent: Whether sending it twice has the effect of sending it once; `nil` goes by the method, and takes
  ///     `GET` and `HEAD` only.
  ///   - history: Told whether a try may have changed something although no success was reported.
  /// - Returns: The last answer.
  /// - Throws: ``ConnectorError`` for the last try, also for an answer over the limit, which an app's own transport may let
  ///   pass; `CancellationError` when cancelled, while waiting too.
  package func send(
    _ request: URLRequest, limits: TransportLimits, isIdempotent: Bool? = nil, noting history: inout RequestHistory
  ) async throws -> (Data, HTTPURLResponse) {
    do { try request.validatedOrigin() } catch { throw error.about(request) }
    // A refresh token that is sent and not waited for would be lost.
    guard limits.deadline > .zero else { throw ConnectorError(URLError(.timedOut), request, limits) }
    let mayRepeat = isIdempotent ?? ["GET", "HEAD"].contains(request.method)
    let stopwatch = Stopwatch(clock)
    var attempt = 1
    while true {
      var rest = limits
      rest.deadline -= stopwatch.elapsed
      let result = await tryOnce(request, within: rest, of: limits)
      let head = result.map { $0.1 }
      if request.mayChangeSomething, Self.leavesOutcomeUnknown(head) { history.outcomeIsUnknown = true }
      guard mayRepeat || (try? head.get().statusCode) == 429, let delay = policy.delay(afterAttempt: attempt, head),
        stopwatch.elapsed + delay < limits.deadline
      else { return try result.get() }
      if delay > .zero { try await clock.sleep(for: delay) }
      try Task.checkCancellation()
      // A process that stood still has waited for longer.
      guard stopwatch.elapsed < limits.deadline else { return try result.get() }
      attempt += 1
      await onRetry(Self.code(of: head))
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
      // Whatever a transport of the app throws then, such as `URLError.cancelled`.
      guard !Task.isCancelled else { return .failure(CancellationError()) }
      // A transport may cancel a request by itself, for example when it is shut down.
      let failure = error is CancellationError ? URLError(.cancelled) : error as? URLError
      let known = failure.map { ConnectorError($0, request, limits) } ?? error as? ConnectorError
      let named = known ?? ConnectorError(ofCustomPart: error)
      return .failure(named.url == nil ? named.about(request) : named)
    }
  }

  private static func code(of result: Result<HTTPURLResponse, any Error>) -> ErrorCode {
    switch result {
    case .success(let response): ErrorCode(temporaryStatus: response.statusCode) ?? .server
    case .failure(let error): (error as? ConnectorError)?.code ?? .other
    }
  }

  /// Whether the server, or a gateway before it, may have carried the request out although it reports no success.
  ///
  /// A redirect may follow a change that was made (RFC 9110 section 15.4). Any error of an app's transport that is no
  /// `URLError` does not say whether the request arrived.
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

/// The effects that the tries of one call have had so far.
package struct RequestHistory: Sendable {
  /// Whether the server may have carried out a request that changes something although it did not succeed.
  package var outcomeIsUnknown = false
  /// The access tokens that were sent, which no error may show.
  package var bearerTokens: [Secret] = []

  /// Makes the history of a call that has not begun.
  package init() {}

  /// Returns an error of the call with what is known of its outcome.
  ///
  /// If another try found no token, only an error of this package can say that the first try may have acted. A
  /// `CancellationError` comes from a part of the app here, because the caller checks first whether the task was
  /// cancelled.
  package func naming(_ error: any Error) -> any Error {
    guard outcomeIsUnknown || error is CancellationError else { return error }
    var named = error as? ConnectorError ?? ConnectorError(ofCustomPart: error)
    named.outcomeIsUnknown = outcomeIsUnknown || named.outcomeIsUnknown
    return named
  }
}
