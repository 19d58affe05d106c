internal import B2CCore
internal import Foundation

/// The token cache as the engine uses it: errors typed, changes that could not be written made at the next call.
struct RecordCache: Sendable {
  private let cache: any SharedTokenCache
  // A rotated refresh token that a full disk refused is the only good one: it waits here for the next call.
  private let pending = Locked<[TokenCacheKey: Pending]>([:])

  /// A change that could not be written; the number tells it from one that has grown meanwhile.
  private struct Pending: Sendable {
    let number: Int
    let change: Change
  }

  /// Returns the record as it shall be; `nil` when the record is not the one the change was meant for.
  typealias Change = @Sendable (TokenRecord) -> TokenRecord?

  init(_ cache: any TokenCache) {
    self.cache = cache as? any SharedTokenCache ?? LocallySharedTokenCache(cache)
  }

  /// Reads a record; a change that could not be written lately is written first, and served from memory while it cannot.
  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    if pending.withLock({ $0[key] != nil }) {
      do {
        _ = try await apply({ $0 }, to: key)
      } catch let error as OAuthError where error.code == .tokenCache {
        let old = try await mappingErrors("read") { try await cache.record(for: key) }
        return old.flatMap { old in pending.withLock { $0[key] }?.change(old) ?? old }
      }
    }
    return try await mappingErrors("read") { try await cache.record(for: key) }
  }

  func keys() async throws -> [TokenCacheKey] {
    try await mappingErrors("listed") { try await cache.keys() }
  }

  /// Writes a record, whatever is there.
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    pending.withLock { $0[key] = nil }
    try await mappingErrors("written") { try await cache.store(record, for: key) }
  }

  /// Removes a record.
  func remove(_ key: TokenCacheKey) async throws {
    pending.withLock { $0[key] = nil }
    try await mappingErrors("changed") { try await cache.removeRecord(for: key) }
  }

  /// Changes a record in one atomic step; a change of `nil` writes nothing.
  ///
  /// - Parameters:
  ///   - key: The record's key.
  ///   - isRepeatable: Whether a change that the cache refused is made at the next call.
  ///   - change: Returns the record as it shall be.
  /// - Returns: Whether the record is as the change wants it.
  /// - Throws: ``OAuthError`` with code `tokenCache`; `CancellationError`.
  @discardableResult
  func update(_ key: TokenCacheKey, isRepeatable: Bool = false, _ change: @escaping Change) async throws -> Bool {
    do {
      return try await apply(change, to: key)
    } catch {
      // Lock, read or write: whichever failed, what the change holds exists nowhere else.
      if isRepeatable { postpone(change, to: key) }
      throw error
    }
  }

  private func postpone(_ change: @escaping Change, to key: TokenCacheKey) {
    pending.withLock { pending in
      let earlier = pending[key]
      pending[key] = Pending(number: (earlier?.number ?? 0) + 1) { record in
        change(earlier?.change(record) ?? record)
      }
    }
  }

  /// Applies a change after those that are still to be written.
  private func apply(_ change: @escaping Change, to key: TokenCacheKey) async throws -> Bool {
    let earlier = pending.withLock { $0[key] }
    let hasApplied = Locked(false)
    _ = try await mappingErrors("written") {
      try await cache.update(key) { stored in
        guard let stored else { return nil }
        // After a sign-out or a new sign-in an earlier change no longer finds its record.
        let old = earlier?.change(stored) ?? stored
        let new = change(old)
        hasApplied.withLock { $0 = new != nil }
        return new ?? old
      }
    }
    // A change that another call has postponed meanwhile is not among those that were written.
    pending.withLock { if $0[key]?.number == earlier?.number { $0[key] = nil } }
    return hasApplied.withLock { $0 }
  }

  /// Runs a body while no other caller uses the refresh token of a key, nor another process if the cache can prevent it.
  func withRefreshLock<Value: Sendable>(
    for key: TokenCacheKey, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    // The body's errors pass the cache as values, so that an error caught here is the cache's own.
    let outcome: Result<Value, any Error> = try await mappingErrors("locked") {
      try await cache.withRefreshLock(for: key) {
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
