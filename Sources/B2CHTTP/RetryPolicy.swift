internal import B2CCore
package import Foundation

/// The rules by which a failed request is sent again.
///
/// Only a request that may be repeated without harm is: `GET` and `HEAD`, and what the caller marks so. Any other is sent
/// again after `429 Too Many Requests` alone; never after a lost connection. RFC 6585 section 4 does not say that a
/// throttled request was not carried out, but servers refuse it before doing anything; where one does not, turn
/// ``repeatsThrottledChanges`` off. The whole, waits included, stays within the request's deadline: when the next try
/// would begin after it, the last answer is returned.
public struct RetryPolicy: Sendable, Hashable {
  /// The most times a request is sent, the first included.
  public var maximumAttempts: Int
  /// The longest wait before the second try; doubled for each further one.
  package var baseDelay = Duration.milliseconds(200)
  /// The longest wait before any try, unless the server asks for more.
  public var maximumDelay = Duration.seconds(10)
  /// `baseDelay` for `429 Too Many Requests` without `Retry-After`; at least half of it is waited.
  package var throttledDelay = Duration.seconds(1)
  /// The longest wait that a server can ask for with `Retry-After`; one that asks for more gets this.
  package var retryAfterCap = Duration.seconds(30)
  /// The retries that all calls of one client or connector share; each success restores one.
  ///
  /// When a server is down for long, calls soon fail at once instead of adding to its load.
  public var budget = 100
  /// The statuses that lead to another try.
  ///
  /// `501` never does, even when it is among them.
  package var statuses: Set = [408, 429, 500, 502, 503, 504]
  /// Whether a request that may not be repeated otherwise, such as `POST`, is sent again after `429`.
  ///
  /// Turn it off for a server that answers `429` to what it has carried out.
  public var repeatsThrottledChanges = true

  /// Creates the standard policy.
  ///
  /// - Parameter maximumAttempts: The most times a request is sent, the first included.
  public init(maximumAttempts: Int = 5) {
    self.maximumAttempts = maximumAttempts
  }

  /// Five tries, waits of up to 0.2, 0.4, 0.8 and 1.6 seconds, more when the server throttles or says so.
  public static let standard = RetryPolicy()

  /// Every request is sent once.
  public static let none = RetryPolicy(maximumAttempts: 1)
}

extension RetryPolicy {
  /// Returns how long to wait before the next try, if there should be one.
  ///
  /// A wait is drawn evenly from zero to a bound that doubles, so that clients that failed together do not come back
  /// together. A wait that the server named is kept to the letter, up to `retryAfterCap`.
  ///
  /// - Parameters:
  ///   - attempt: How many times the request was sent, 1 or more.
  ///   - response: The answer, if there is one.
  ///   - error: The error, if there is no answer.
  ///   - now: The wall time, for a `Retry-After` that is a date.
  ///   - random: Returns a number from 0 up to but not including 1.
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
