internal import B2CCore

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
