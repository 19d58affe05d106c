package import Testing

/// Keeps tests that open sockets or files within a common budget of descriptors.
///
/// All test targets run in one process, hundreds of tests at a time, and a process has 256 descriptors on a stock Mac. A test
/// waits until its share is free. The budget is enough for the largest test, and less than what a process and its other tests leave over.
package struct DescriptorBudget: SuiteTrait, TestTrait, TestScoping {
  let count: Int

  package var isRecursive: Bool { true }

  package func scopeProvider(for test: Test, testCase: Test.Case?) -> DescriptorBudget? {
    // Of a suite's share and a test's own the larger one counts: taking one after the other could wait for itself.
    let shares = test.traits.compactMap { ($0 as? DescriptorBudget)?.count }
    return testCase == nil || count != shares.max() ? nil : self
  }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Budget.shared.take(count)
    defer { Task { await Budget.shared.give(back: count) } }
    try await function()
  }
}

extension Trait where Self == DescriptorBudget {
  /// Reserves for each test, while it runs, the most descriptors that it opens at a time.
  package static func descriptors(_ count: Int = 16) -> Self { DescriptorBudget(count: count) }
}

/// A semaphore with shares, first come first served.
private actor Budget {
  static let shared = Budget()
  private static let total = 96

  private var free = total
  private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  func take(_ count: Int) async {
    await withCheckedContinuation { continuation in
      // A test that needs more runs alone.
      waiting.append((min(count, Self.total), continuation))
      admit()
    }
  }

  func give(back count: Int) {
    free += min(count, Self.total)
    admit()
  }

  private func admit() {
    while let first = waiting.first, first.count <= free {
      free -= first.count
      waiting.removeFirst().continuation.resume()
    }
  }
}
