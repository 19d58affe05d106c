import B2CCore
import B2CTokenCache

/// A cache of the four methods alone: nobody is kept away.
final class UnlockedCache: TokenCache {
  private let records = Locked<[TokenCacheKey: TokenRecord]>([:])

  func record(for key: TokenCacheKey) async throws -> TokenRecord? { records.withLock { $0[key] } }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { records.withLock { $0[key] = record } }
  func removeRecord(for key: TokenCacheKey) async throws { records.withLock { $0[key] = nil } }
  func keys() async throws -> [TokenCacheKey] { records.withLock { Array($0.keys) } }
}

/// A cache whose disk can be full.
final class FailingCache: TokenCache {
  let failsToStore = Locked(false)
  private let inner = UnlockedCache()

  func record(for key: TokenCacheKey) async throws -> TokenRecord? { try await inner.record(for: key) }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    guard !failsToStore.withLock({ $0 }) else { throw TokenCacheError(.unwritable, "The disk is full.") }
    try await inner.store(record, for: key)
  }

  func removeRecord(for key: TokenCacheKey) async throws { try await inner.removeRecord(for: key) }
  func keys() async throws -> [TokenCacheKey] { try await inner.keys() }
}
