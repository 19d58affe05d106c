package import B2CCore
package import B2CTestKit
package import B2CTokenCache
package import Foundation

/// A cache that counts its calls by name.
package final class CountingCache: WrappingCache {
  package let inner: any TokenCache
  private let counts = Locked<[String: Int]>([:])

  package init(_ inner: any TokenCache = FourMethodCache()) { self.inner = inner }

  /// The calls since the last look.
  package func takeCounts() -> [String: Int] {
    counts.withLock { counts in
      defer { counts = [:] }
      return counts
    }
  }

  package func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    count("record")
    return try await inner.record(for: key)
  }

  package func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    count("store")
    try await inner.store(record, for: key)
  }

  package func removeRecord(for key: TokenCacheKey) async throws {
    count("removeRecord")
    try await inner.removeRecord(for: key)
  }

  package func keys() async throws -> [TokenCacheKey] {
    count("keys")
    return try await inner.keys()
  }

  private func count(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
}

/// A cache whose disk can be full, unreadable or slow.
package final class FailingCache: WrappingCache {
  package init() {}

  package let failsToStore = Locked(false)
  package let failsToList = Locked(false)
  /// The error of a read, if the record cannot be read.
  package let readFailure = Locked<@Sendable (TokenCacheKey) -> (any Error & Sendable)?>({ _ in nil })
  /// The error of a removal, if the record cannot be removed.
  package let removeFailure = Locked<@Sendable (TokenCacheKey) -> ConnectorError?>({ _ in nil })
  /// The gate that a read waits at.
  package let readGate = Locked<TestGate?>(nil)
  /// The gate that a store waits at, after so many others.
  package let storeGate = Locked<(after: Int, gate: TestGate)?>(nil)
  package let inner: any TokenCache = FourMethodCache()

  package func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    if let gate = readGate.withLock({ $0 }) { try await gate.wait() }
    if let failure = readFailure.withLock({ $0 })(key) { throw failure }
    return try await inner.record(for: key)
  }

  package func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    let gate = storeGate.withLock { storeGate -> TestGate? in
      guard let (after, gate) = storeGate else { return nil }
      storeGate = after > 1 ? (after - 1, gate) : nil
      return after == 1 ? gate : nil
    }
    try await gate?.wait()
    guard !failsToStore.withLock({ $0 }) else { throw ConnectorError(.tokenCache, "The disk is full.") }
    try await inner.store(record, for: key)
  }

  package func removeRecord(for key: TokenCacheKey) async throws {
    if let failure = removeFailure.withLock({ $0 })(key) { throw failure }
    try await inner.removeRecord(for: key)
  }

  package func keys() async throws -> [TokenCacheKey] {
    if failsToList.withLock({ $0 }) { throw ConnectorError(.tokenCache, "The folder is gone.", isRetryable: true) }
    return try await inner.keys()
  }
}

/// A cache whose record another process replaces right after it was read.
package final class SwappingCache: WrappingCache {
  package init() {}

  private struct Swap {
    let record: TokenRecord
    let key: TokenCacheKey
    var reads: Int
  }

  private let pending = Locked<Swap?>(nil)
  package let inner: any TokenCache = FourMethodCache()

  /// Replaces the record of a key once it was read so many times.
  package func swap(to record: TokenRecord, for key: TokenCacheKey, afterReads reads: Int) {
    pending.withLock { $0 = Swap(record: record, key: key, reads: reads) }
  }

  package func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    let record = try await inner.record(for: key)
    let due = pending.withLock { pending -> Swap? in
      pending?.reads -= 1
      guard let swap = pending, swap.reads == 0 else { return nil }
      pending = nil
      return swap
    }
    if let due { try await inner.store(due.record, for: due.key) }
    return record
  }
}

/// A cache whose replacement is refused once, because another process signs the user out meanwhile.
package final class ContendedCache: WrappingSharedCache {
  package init() {}

  package let isContended = Locked(false)
  package let shared = SharedMemoryCache()

  package func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async -> Bool {
    let startsAgain = isContended.withLock { isContended in
      defer { isContended = false }
      return isContended
    }
    if startsAgain { await shared.removeRecord(for: key) }
    return await shared.replace(key, expecting: stamp, with: record)
  }
}

/// A shared cache that refuses each replacement, or reports an error for one that it has done.
package final class StubbornCache: WrappingSharedCache {
  package init() {}

  package let refuses = Locked(false)
  package let failsAfterwards = Locked(false)
  /// The number of replacements that were asked for.
  package let replacements = Locked(0)
  package let shared = SharedMemoryCache()

  package func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async throws -> Bool {
    replacements.withLock { $0 += 1 }
    guard !refuses.withLock({ $0 }) else { return false }
    let isDone = await shared.replace(key, expecting: stamp, with: record)
    guard !failsAfterwards.withLock({ $0 }) else { throw ConnectorError(.tokenCache, "The connection broke.") }
    return isDone
  }
}

/// A cache whose driver obeys the cancellation of the task that calls it.
package final class ObedientCache: WrappingCache {
  package init() {}

  /// The gate that a removal waits at.
  package let removeGate = Locked<TestGate?>(nil)
  package let inner: any TokenCache = FourMethodCache()

  package func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    try Task.checkCancellation()
    return try await inner.record(for: key)
  }

  package func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try Task.checkCancellation()
    try await inner.store(record, for: key)
  }

  package func removeRecord(for key: TokenCacheKey) async throws {
    if let gate = removeGate.withLock({ $0 }) { try await gate.wait() }
    try Task.checkCancellation()
    try await inner.removeRecord(for: key)
  }

  package func keys() async throws -> [TokenCacheKey] {
    try Task.checkCancellation()
    return try await inner.keys()
  }
}
