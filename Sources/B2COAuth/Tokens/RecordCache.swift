internal import B2CCore
internal import Foundation

/// The token cache as the engine uses it: errors typed, and changes that it has refused read and written as its own.
///
/// Waiting changes, locks and observers belong to the cache: every client over it uses the same ones.
struct RecordCache: Sendable {
  /// The state that every client of the cache shares.
  let state: CacheState
  private let cache: any SharedTokenCache
  private let clock: any Clock<Duration>

  /// Returns the record as it shall be; `nil` when the record is not the one the change was meant for.
  typealias Change = @Sendable (TokenRecord) -> TokenRecord?

  init(_ cache: any TokenCache, clock: any Clock<Duration>) {
    self.cache = cache.shared(on: clock)
    self.clock = clock
    state = CacheRegistry.state(of: cache)
  }

  /// Reads a record, with the change that waits for it: it is newer than what is stored, unless another process has stored
  /// another record meanwhile.
  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    let waiting = state.waiting.entry(for: key)
    do {
      let stored = try await mappingErrors("read") { try await cache.record(for: key) }
      return waiting.map { $0.change.applied(to: stored) } ?? stored
    } catch let error as ConnectorError {
      if case .removal = waiting?.change { return nil }
      throw error
    }
  }

  func keys() async throws -> [TokenCacheKey] {
    try await mappingErrors("listed") { try await cache.keys() }
  }

  /// Returns a number that differs after another process has changed the cache; `nil` when it cannot tell.
  func changeStamp() async -> Int? {
    // A cache that cannot be read says so when it is read.
    try? await cache.changeStamp()
  }

  /// Writes the record of a sign-in, whatever is there; when that fails, everything is as before.
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    let waiting = state.waiting.entry(for: key)
    try await mappingErrors("written") { try await cache.store(record, for: key) }
    // One that is added meanwhile finds another record than its own, and is dropped.
    if let waiting { state.waiting.forget(key, waiting) }
  }

  /// A removal that has failed.
  struct RemovalFailure: Error {
    /// ``ConnectorError`` with code `tokenCache`; `CancellationError`, and then the record stays.
    let reason: any Error
    /// Whether a record was there, or may have been: it could not be read.
    let concernsRecord: Bool
  }

  /// Removes a record; where the cache refuses, it counts as removed here and is removed as soon as it can be.
  ///
  /// - Parameters:
  ///   - key: The record's key.
  ///   - dates: Where the record cannot be read either, one of a sign-in after this stays when it is removed later.
  /// - Throws: ``RemovalFailure``.
  func remove(_ key: TokenCacheKey, signedInUpTo dates: SignInDates) async throws(RemovalFailure) {
    let ended: WaitingChanges.Ended?
    do {
      ended = try await cache.record(for: key).map { .only($0.signInDates) }
    } catch {
      ended = .upTo(dates)
    }
    do {
      let waiting = state.waiting.entry(for: key)
      try await mappingErrors("changed") { try await cache.removeRecord(for: key) }
      if let waiting { state.waiting.forget(key, waiting) }
    } catch let error as ConnectorError {
      state.waiting.add(for: key, to: cache, on: clock) { waiting in
        if let ended { return .removal(ended) }
        // The record is gone, and its removal perhaps not on the device; no other one is to follow it.
        if case .removal = waiting { return nil }
        return .removal(.only(dates))
      }
      throw RemovalFailure(reason: error, concernsRecord: ended != nil)
    } catch {
      throw RemovalFailure(reason: error, concernsRecord: ended != nil)
    }
  }

  /// Removes a record that does not exist, and with it whatever earlier removals have left to do.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache`; `CancellationError`.
  func removeNothing(at key: TokenCacheKey) async throws {
    try await mappingErrors("changed") { try await cache.removeRecord(for: key) }
  }

  /// Changes a record in one atomic step; a change of `nil` writes nothing.
  ///
  /// - Parameters:
  ///   - key: The record's key.
  ///   - base: The record that the change was made for, where a change that the cache refuses shall wait for it: what the
  ///     change holds exists nowhere else.
  ///   - holdsRefreshLock: Whether the base was read under the key's refresh lock, so that nothing newer can wait.
  ///   - change: Returns the record as it shall be.
  /// - Returns: Whether the record is as the change wants it.
  /// - Throws: ``ConnectorError`` with code `tokenCache`; `CancellationError`.
  @discardableResult
  func update(
    _ key: TokenCacheKey, waitingWith base: TokenRecord? = nil, holdsRefreshLock: Bool = false,
    _ change: @escaping Change
  ) async throws -> Bool {
    let waiting = state.waiting.entry(for: key)
    let hasApplied = Locked(false)
    do {
      try await mappingErrors("written") {
        _ = try await cache.update(key) { stored in
          // A cache may call this again, with another record or with none: what counts is the last time.
          hasApplied.withLock { $0 = false }
          guard let old = waiting.map({ $0.change.applied(to: stored) }) ?? stored else { return nil }
          let new = change(old)
          hasApplied.withLock { $0 = new != nil }
          return new ?? old
        }
      }
    } catch {
      if let base { wait(key, base, replacesOthers: holdsRefreshLock, change) }
      throw error
    }
    // A change that another call has added meanwhile is not among those that were written.
    if let waiting { state.waiting.forget(key, waiting) }
    return hasApplied.withLock { $0 }
  }

  private func wait(_ key: TokenCacheKey, _ base: TokenRecord, replacesOthers: Bool, _ change: Change) {
    state.waiting.add(for: key, to: cache, on: clock) { waiting in
      if case .removal = waiting { return nil }
      if case .record(let record, let bases) = waiting {
        // Either may be what is stored by now: one that counted as refused may have been written all the same.
        if let new = change(record) { return .record(new, replacing: bases + [record]) }
        // What waits belongs to a record that another process has replaced, unless it is newer than the base.
        guard replacesOthers else { return nil }
      }
      return change(base).map { .record($0, replacing: [base]) }
    }
  }

  /// Tries once to write every change that waits for the cache.
  func writeWaitingChanges() async {
    await state.waiting.writeAll()
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
    } catch let error where !(error is CancellationError) {
      throw ErrorCode.tokenCache ~= error ? error : Self.wrapped(error, verb)
    }
  }

  private static func wrapped(_ error: any Error, _ verb: String) -> ConnectorError {
    let detail = (error as? TokenCacheError).map { ": " + $0.message } ?? "."
    return ConnectorError(
      own: .tokenCache, "The token cache could not be \(verb)" + detail,
      recoverySuggestion: (error as? TokenCacheError)?.recoverySuggestion,
      isRetryable: (error as? TokenCacheError)?.isRetryable, underlying: error)
  }
}
