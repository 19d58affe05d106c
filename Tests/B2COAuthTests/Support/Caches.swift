import B2CCore
import B2CTestKit
import B2CTokenCache

/// A cache of the four methods alone: nobody is kept away.
final class UnlockedCache: TokenCache {
  private let records = Locked<[TokenCacheKey: TokenRecord]>([:])

  func record(for key: TokenCacheKey) async throws -> TokenRecord? { records.withLock { $0[key] } }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { records.withLock { $0[key] = record } }
  func removeRecord(for key: TokenCacheKey) async throws { records.withLock { $0[key] = nil } }
  func keys() async throws -> [TokenCacheKey] { records.withLock { Array($0.keys) } }
}

/// A cache whose disk can be full, unreadable or slow.
final class FailingCache: TokenCache {
  let failsToStore = Locked(false)
  let failsToList = Locked(false)
  /// Why a record cannot be read, if it cannot.
  let readFailure = Locked<@Sendable (TokenCacheKey) -> TokenCacheError?>({ _ in nil })
  /// What a read waits for.
  let readGate = Locked<TestGate?>(nil)
  private let inner = UnlockedCache()

  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    if let gate = readGate.withLock({ $0 }) { try await gate.wait() }
    if let failure = readFailure.withLock({ $0 })(key) { throw failure }
    return try await inner.record(for: key)
  }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    guard !failsToStore.withLock({ $0 }) else { throw TokenCacheError(.unwritable, "The disk is full.") }
    try await inner.store(record, for: key)
  }

  func removeRecord(for key: TokenCacheKey) async throws { try await inner.removeRecord(for: key) }

  func keys() async throws -> [TokenCacheKey] {
    guard !failsToList.withLock({ $0 }) else { throw TokenCacheError(.unreadable, "The folder is gone.") }
    return try await inner.keys()
  }
}
