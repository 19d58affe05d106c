internal import B2CCore
internal import Foundation

/// The token cache as the engine uses it: errors typed, and changes to one key one after another.
struct GrantCache: Sendable {
  private let cache: any TokenCache
  // Turns for a cache that offers none: nothing is stored in it.
  private let ownTurns = InMemoryTokenCache()
  // A rotated refresh token that a full disk refused is the only good one: it waits here for the next call.
  private let pending = Locked<[TokenCacheKey: Change]>([:])

  /// Gives the record as it shall be; `nil` when the record is not the one the change was meant for.
  typealias Change = @Sendable (TokenRecord) -> TokenRecord?

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
  /// - Parameters:
  ///   - key: The record's key.
  ///   - isRepeatable: Whether a change that the cache would not take is made at the next call.
  ///   - change: What to make of the record.
  /// - Returns: Whether the record is as the change wants it.
  /// - Throws: ``OAuthError`` with code `tokenCache`; `CancellationError`.
  @discardableResult
  func update(_ key: TokenCacheKey, isRepeatable: Bool = false, _ change: @escaping Change) async throws -> Bool {
    do {
      return try await exclusively(key) { try await apply(change, to: key) }
    } catch {
      // Lock, read or write: whichever failed, what the change holds exists nowhere else.
      if isRepeatable { pending.withLock { $0[key] = change } }
      throw error
    }
  }

  private func writePending(_ key: TokenCacheKey) async throws {
    try await exclusively(key) {
      guard let change = pending.withLock({ $0[key] }) else { return }
      // After a sign-out or a new sign-in the change finds no record of its own any more.
      _ = try await apply(change, to: key)
      pending.withLock { $0[key] = nil }
    }
  }

  private func apply(_ change: Change, to key: TokenCacheKey) async throws -> Bool {
    guard let old = try await mappingErrors("read", { try await cache.record(for: key) }), let new = change(old)
    else { return false }
    if new != old { try await mappingErrors("written") { try await cache.store(new, for: key) } }
    return true
  }

  /// Runs a body while nobody else spends the refresh token of a key: no caller here, and no other process if the cache
  /// can keep them away.
  ///
  /// The key held is not the record's own, so that a sign-out need not wait for a request under way.
  func whileSpending<Value: Sendable>(
    _ key: TokenCacheKey, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await exclusively(key.forSpending, body)
  }

  private func exclusively<Value: Sendable>(
    _ key: TokenCacheKey, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let shared: any ExclusiveTokenCache = cache as? any ExclusiveTokenCache ?? ownTurns
    // The body's errors pass the cache as values, so that an error caught here is the cache's own.
    let outcome: Result<Value, any Error> = try await mappingErrors("locked") {
      try await shared.withExclusiveAccess(to: key) {
        do {
          return .success(try await body())
        } catch {
          return .failure(error)
        }
      }
    }
    return try outcome.get()
  }

  private func mappingErrors<Value>(_ verb: String, _ body: () async throws -> Value) async throws -> Value {
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
