internal import B2CCore

/// How many repetitions are left to all calls of one client together.
final class RetryBudget: Sendable {
  private let capacity: Int
  private let left: Locked<Int>

  init(_ capacity: Int) {
    self.capacity = max(0, capacity)
    left = Locked(max(0, capacity))
  }

  /// Takes one repetition; `false` when none is left.
  func take() -> Bool {
    left.withLock { left in
      guard left > 0 else { return false }
      left -= 1
      return true
    }
  }

  /// Gives one back after a success.
  func giveBack() {
    left.withLock { $0 = min(capacity, $0 + 1) }
  }
}
