internal import B2CCore
internal import Foundation

/// The token cache as the engine uses it: errors typed, and changes to one key one after another.
struct GrantCache: Sendable {
  private let cache: any TokenCache
  // Turns for a cache that offers none: nothing is stored in it.
  private let ownTurns = InMemoryTokenCache()
  // A rotated refresh token that a full disk refused is the only good one: it waits here for the next call.
  private let pending = Locked<[TokenCacheKey: PendingWrite]>([:])

  private struct PendingWrite: Sendable {
    let replaced: TokenRecord
    let record: TokenRecord
  }

  init(_ cache: any TokenCache) {
    self.cache = cache
  }

  /// Reads a record; one that could not be written lately is written first.
  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    if pending.withLock({ $0[key] != nil }) { try await writePending(key) }
    return try await mappingErrors("read") { try await cache.record(for: key) }
  }

  func keys() async throws -> [TokenCacheKey] {
    try await mappingErrors("listed") { try await cache.keys() }
  }

  /// Writes a record, whatever is there.
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    pending.withLock { $0[key] = nil }
    try await exclusively(key) { try await mappingErrors("written") { try await cache.store(record, for: key) } }
  }

  /// Removes a record.
  func remove(_ key: TokenCacheKey) async throws {
    pending.withLock { $0[key] = nil }
    try await exclusively(key) { try await mappingErrors("changed") { try await cache.removeRecord(for: key) } }
  }

  /// Reads a record, changes it and writes it back, with nobody in between; a change of `nil` writes nothing.
  ///
  /// - Returns: Whether something was written.
  @discardableResult
  func update(
    _ key: TokenCacheKey, _ change: @escaping @Sendable (TokenRecord) -> TokenRecord?
  ) async throws -> Bool {
    try await exclusively(key) {
      guard let old = try await mappingErrors("read", { try await cache.record(for: key) }), let new = change(old)
      else { return false }
      guard new != old else { return true }
      do {
        try await mappingErrors("written") { try await cache.store(new, for: key) }
      } catch {
        pending.withLock { $0[key] = PendingWrite(replaced: old, record: new) }
        throw error
      }
      return true
    }
  }

  private func writePending(_ key: TokenCacheKey) async throws {
    try await exclusively(key) {
      guard let waiting = pending.withLock({ $0[key] }) else { return }
      if try await mappingErrors("read", { try await cache.record(for: key) }) == waiting.replaced {
        try await mappingErrors("written") { try await cache.store(waiting.record, for: key) }
      }
      pending.withLock { $0[key] = nil }
    }
  }

  /// Runs a body while nobody else spends the refresh token of a key: no caller here, and no other process if the cache
  /// can keep them away.
  ///
  /// The key held is not the record's own, so that a sign-out need not wait for a request under way.
  func whileSpending<Result: Sendable>(
    _ key: TokenCacheKey, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await exclusively(key.forSpending, body)
  }

  private func exclusively<Result: Sendable>(
    _ key: TokenCacheKey, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let shared: any ExclusiveTokenCache = cache as? any ExclusiveTokenCache ?? ownTurns
    do {
      return try await shared.withExclusiveAccess(to: key, body)
    } catch let error as TokenCacheError {
      throw Self.wrapped(error, "locked")
    }
  }

  private func mappingErrors<Result>(_ verb: String, _ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error where !(error is CancellationError) && !(error is OAuthError) {
      throw Self.wrapped(error, verb)
    }
  }

  private static func wrapped(_ error: any Error, _ verb: String) -> OAuthError {
    let detail = (error as? TokenCacheError).map { ": " + $0.message } ?? "."
    return OAuthError(
      .tokenCache, "The token cache could not be \(verb)" + detail,
      recoverySuggestion: (error as? TokenCacheError)?.recoverySuggestion, underlying: error)
  }
}
