internal import B2CCore
package import Foundation

/// The rules by which a failed request is sent again.
///
/// A request is sent again after a lost connection, a timeout, and the statuses 408, 429, 500, 502, 503 and 504, but
/// only if repeating it does no harm. `GET` and `HEAD` do none, nor do requests that the caller marks as idempotent.
/// Any other request is only sent again after `429 Too Many Requests`, which servers send before they do anything.
///
/// The wait before the next try is the server's `Retry-After`, or otherwise one second, which doubles with each try.
/// All tries and waits together stay within the request's deadline. If the next try would begin after the deadline, the
/// last response is returned.
public struct RetryPolicy: Sendable, Hashable {
  /// The largest number of times that a request is sent, including the first.
  public var maximumAttempts: Int
  /// The longest wait before a try.
  ///
  /// If the server asks for a longer one, its response is returned immediately.
  public var maximumDelay: Duration

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - maximumAttempts: The largest number of times that a request is sent, including the first, by default 3.
  ///   - maximumDelay: The longest wait before a try, by default 10 seconds.
  public init(maximumAttempts: Int = 3, maximumDelay: Duration = .seconds(10)) {
    self.maximumAttempts = maximumAttempts
    self.maximumDelay = maximumDelay
  }

  /// A policy that sends every request only once.
  public static let none = RetryPolicy(maximumAttempts: 1)
}

extension RetryPolicy {
  /// Returns the wait before the next try.
  ///
  /// - Parameters:
  ///   - attempt: How many times the request has been sent so far.
  ///   - result: The response or error of the latest try.
  /// - Returns: The wait, or `nil` if the request must not be sent again.
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

/// The wait that a server asks for in `Retry-After` (RFC 9110 section 10.2.3).
package enum RetryAfter {
  /// The longest wait that is reported, which is one day, so that an app can convert the seconds to an integer.
  private static let maximum = 86_400.0

  /// Returns the wait in seconds, or `nil` if the response has no valid `Retry-After`.
  ///
  /// A date is compared with the response's own `Date`, so that a wrong clock of this device does not matter. A date in
  /// the past means no wait. A wait of more than a day counts as one day.
  package static func seconds(in response: HTTPURLResponse) -> Double? {
    let field = { response.value(forHTTPHeaderField: $0)?.trimmingCharacters(in: .whitespaces) ?? "" }
    let text = field("Retry-After")
    guard !text.allSatisfy("0123456789.".contains) else { return Double(text).map { min($0, maximum) } }
    guard let date = Dates.headerField(text), let sent = Dates.headerField(field("Date")) else { return nil }
    return min(max(0, date.timeIntervalSince(sent)), maximum)
  }
}

/// A transport that sends a request again by a policy, within the request's deadline.
package struct RetryingTransport: Sendable {
  private let transport: any HTTPTransport
  private let policy: RetryPolicy
  let clock: any Clock<Duration>
  /// Called before a request is sent again, with the error code of the previous try.
  let onRetry: @Sendable (ErrorCode) async -> Void

  /// Creates a transport.
  ///
  /// - Parameters:
  ///   - transport: The transport for each try.
  ///   - policy: The rules by which a request is sent again.
  ///   - clock: The clock for waits and deadlines.
  ///   - onRetry: Called before a request is sent again, with the error code of the previous try.
  package init(
    transport: any HTTPTransport, policy: RetryPolicy = RetryPolicy(), clock: any Clock<Duration> = ContinuousClock(),
    onRetry: @escaping @Sendable (ErrorCode) async -> Void = { _ in }
  ) {
    self.transport = transport
    self.policy = policy
    self.clock = clock
    self.onRetry = onRetry
  }

  /// Sends a request, and sends it again if that does no harm and may help.
  ///
  /// - Parameters:
  ///   - request: The request. Plain http to another machine is refused before anything is sent.
  ///   - limits: The limits, whose deadline is for all tries together.
  ///   - isIdempotent: Whether sending the request twice has the same effect as sending it once. With `nil`, the
  ///     default, only `GET` and `HEAD` count as idempotent.
  ///   - history: Records whether a try without a successful response may have changed something.
  /// - Returns: The last response.
  /// - Throws: ``ConnectorError`` for the last try, and for a body over the limit, which an app's own transport may let
  ///   pass; `CancellationError` if the task is cancelled, even during a wait.
  package func send(
    _ request: URLRequest, limits: TransportLimits, isIdempotent: Bool? = nil, noting history: inout RequestHistory
  ) async throws -> (Data, HTTPURLResponse) {
    do { try request.validatedOrigin() } catch { throw error.about(request) }
    // Without time to wait for the response, a refresh token would be used up and its successor lost, so send nothing.
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
      // If the process was suspended during the wait, the deadline may have passed.
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
      // The task was cancelled, so the transport's own error for that (`URLError.cancelled`) does not matter.
      guard !Task.isCancelled else { return .failure(CancellationError()) }
      // In a task that is not cancelled, this means that the transport itself cancelled the request, as at its
      // shutdown.
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

  /// Whether a server or gateway may have carried out the request although the try did not succeed.
  ///
  /// A redirect may follow a change (RFC 9110 section 15.4). If an app's own transport throws something else than a
  /// `URLError`, it is unknown whether the request arrived.
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

/// The effects of the tries of one call so far.
package struct RequestHistory: Sendable {
  /// Whether a try that did not succeed may have changed something at the server.
  package var outcomeIsUnknown = false
  /// The access tokens that were sent, which no error message may contain.
  package var bearerTokens: [Secret] = []

  /// Creates the history of a call that has sent nothing.
  package init() {}

  /// Returns an error of the call with its unknown outcome noted.
  ///
  /// An error of the app's own code cannot carry the note, so it is wrapped in a ``ConnectorError``. A
  /// `CancellationError` here also comes from the app's code, because the caller has already checked whether the task
  /// was cancelled.
  package func naming(_ error: any Error) -> any Error {
    guard outcomeIsUnknown || error is CancellationError else { return error }
    var named = error as? ConnectorError ?? ConnectorError(ofCustomPart: error)
    named.outcomeIsUnknown = outcomeIsUnknown || named.outcomeIsUnknown
    return named
  }
}
