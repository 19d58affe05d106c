package import B2CHTTP

extension RetryPolicy {
  /// A policy with some values, in one expression.
  package init(
    maximumAttempts: Int = 5, baseDelay: Duration = .milliseconds(200), maximumDelay: Duration = .seconds(10),
    throttledDelay: Duration = .seconds(1), retryAfterCap: Duration = .seconds(30), budget: Int = 100,
    statuses: Set<Int> = [408, 429, 500, 502, 503, 504], repeatsThrottledChanges: Bool = true
  ) {
    self.init(maximumAttempts: maximumAttempts)
    self.baseDelay = baseDelay
    self.maximumDelay = maximumDelay
    self.throttledDelay = throttledDelay
    self.retryAfterCap = retryAfterCap
    self.budget = budget
    self.statuses = statuses
    self.repeatsThrottledChanges = repeatsThrottledChanges
  }
}
