internal import B2CCore
package import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

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
  ///   - now: The wall time, for a `Retry-After` that is a date.
  /// - Returns: How long to wait before the next try; `nil` when there must be none.
  package func delay(
    afterAttempt attempt: Int, _ result: Result<HTTPURLResponse, any Error>, now: Date
  ) -> Duration? {
    guard attempt < maximumAttempts else { return nil }
    switch result {
    case .success(let response):
      guard [408, 429, 500, 502, 503, 504].contains(response.statusCode) else { return nil }
      if let seconds = RetryAfter.seconds(in: response, now: now) {
        return .seconds(seconds) <= maximumDelay ? .seconds(seconds) : nil
      }
    case .failure(let error):
      guard let error = error as? ConnectorError, error.isRetryable else { return nil }
    }
    return min(.seconds(1 << min(attempt - 1, 30)), maximumDelay)
  }
}
