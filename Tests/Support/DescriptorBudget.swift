import Foundation
package import Testing

/// Keeps tests that open sockets or files within a common budget of descriptors.
///
/// All test targets run in one process, hundreds of tests at a time, and a process has 256 descriptors on a stock Mac. A test
/// waits until its share is free.
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
    do {
      try await function()
      Budget.shared.give(back: count)
    } catch {
      Budget.shared.give(back: count)
      throw error
    }
  }
}

extension Trait where Self == DescriptorBudget {
  /// Reserves for each test, while it runs, the most descriptors that it opens at a time.
  package static func descriptors(_ count: Int = 16) -> Self { DescriptorBudget(count: count) }
}

/// A semaphore with shares, first come first served.
private final class Budget: @unchecked Sendable {
  static let shared = Budget()
  private static let total = 128

  private let lock = NSLock()
  private var free = total
  private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  func take(_ count: Int) async {
    precondition(count <= Self.total, "No test may need more than \(Self.total) descriptors.")
    await withCheckedContinuation { continuation in
      lock.withLock { waiting.append((count, continuation)) }
      admit()
    }
  }

  func give(back count: Int) {
    lock.withLock { free += count }
    admit()
  }

  private func admit() {
    let admitted = lock.withLock {
      var admitted: [CheckedContinuation<Void, Never>] = []
      while let first = waiting.first, first.count <= free {
        free -= first.count
        admitted.append(waiting.removeFirst().continuation)
      }
      return admitted
    }
    for continuation in admitted { continuation.resume() }
  }
}
