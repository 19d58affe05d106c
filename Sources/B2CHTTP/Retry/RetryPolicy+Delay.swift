package import Foundation

extension RetryPolicy {
  /// Decides on another try from what the last one brought: an answer or an error.
  ///
  /// A wait is drawn evenly from zero to a bound that doubles, so that clients that failed together do not come back
  /// together. A wait that the server named is kept to the letter, up to ``retryAfterCap``.
  ///
  /// - Parameters:
  ///   - attempt: How many times the request was sent, 1 or more.
  ///   - response: The answer, if there is one.
  ///   - error: The error, if there is no answer.
  ///   - now: The wall time, for a `Retry-After` that is a date.
  ///   - random: Gives a number from 0 up to but not including 1.
  /// - Returns: How long to wait before the next try; `nil` when there must be none.
  package func delay(
    afterAttempt attempt: Int, response: TransportResponse?, error: (any Error)?, now: Date, random: () -> Double
  ) -> Duration? {
    guard attempt < maximumAttempts else { return nil }
    guard let response else {
      guard let error = error as? TransportError, error.isRetryable else { return nil }
      return bound(baseDelay, attempt) * random()
    }
    guard statuses.contains(response.status), response.status != 501 else { return nil }
    if let seconds = RetryAfter.seconds(in: response.headers, now: now) {
      return seconds < retryAfterCap.inSeconds ? .seconds(seconds) : retryAfterCap
    }
    if response.status == 429 {
      // A server that throttles says how to be answered: by waiting. A wait near zero would only be refused again.
      return bound(throttledDelay, attempt) * (0.5 + random() / 2)
    }
    return bound(baseDelay, attempt) * random()
  }

  /// The base doubled for each attempt after the first, up to the maximum.
  private func bound(_ base: Duration, _ attempt: Int) -> Duration {
    var bound = base
    for _ in 1..<max(1, attempt) where bound < maximumDelay {
      bound *= 2
    }
    return min(bound, maximumDelay)
  }
}
