import B2CTokenCache
import Foundation

/// What `--broken` puts in the memory cache's place: it keeps the first record of a user and says that it keeps later ones.
struct ForgetfulTokenCache: SharedTokenCache {
  private let kept = InMemoryTokenCache()

  func record(for key: TokenCacheKey) async throws -> TokenRecord? { await kept.record(for: key) }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    if await kept.record(for: key) == nil { await kept.store(record, for: key) }
  }

  func removeRecord(for key: TokenCacheKey) async throws { await kept.removeRecord(for: key) }

  func keys() async throws -> [TokenCacheKey] { await kept.keys() }

  func update(
    _ key: TokenCacheKey, _ change: @escaping @Sendable (TokenRecord?) -> TokenRecord?
  ) async throws -> TokenRecord? {
    let new = change(await kept.record(for: key))
    if let new { try await store(new, for: key) } else { try await removeRecord(for: key) }
    return new
  }

  func withRefreshLock<Result: Sendable>(
    for key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await kept.withRefreshLock(for: key, body)
  }
}
