internal import B2CCore
internal import B2CTokenCache

extension SessionStore {
  /// The connectors that agree on who is current.
  struct Client: Hashable, Sendable {
    let authority: String
    let clientID: String
    let requiredUser: String?

    func key(_ userID: String) -> TokenCacheKey {
      TokenCacheKey(authority: authority, clientID: clientID, userID: userID)
    }

    func isOwn(_ key: TokenCacheKey) -> Bool { key == self.key(key.userID) }
  }

  /// The record of one user, with its key.
  struct Session: Sendable {
    let key: TokenCacheKey
    let record: TokenRecord
  }
}

// MARK: - The refresh lock, and what a cache throws

extension SessionStore {
  /// Runs a refresh while no other caller uses the refresh token of a key, nor another process if the cache can prevent it.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache` when the lock is not free in time; what the body throws.
  func withRefreshLock<Value: Sendable>(
    _ key: TokenCacheKey, on clock: any Clock<Duration>, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await refreshes.withLock(key, timeout: .seconds(30), on: clock) {
      guard let shared = cache as? any SharedTokenCache else { return try await body() }
      // Its errors pass the cache as a value, so that an error caught here is the cache's own.
      let outcome = Locked<Result<Value, any Error>?>(nil)
      let hasRun = Locked(false)
      do {
        try await shared.withRefreshLock(
          for: key,
          RefreshWork {
            // A cache that runs it twice must not use the token twice.
            let isFirst = hasRun.withLock { hasRun in
              defer { hasRun = true }
              return !hasRun
            }
            guard isFirst else { return }
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
          })
      } catch {
        // What was done under the lock stays done.
        if outcome.withLock({ $0 == nil }) { throw Self.wrapped(error, "locked") }
      }
      guard let outcome = outcome.withLock({ $0 }) else {
        throw ConnectorError(
          own: .tokenCache, "The token cache has not run the work that was to be done under its refresh lock.")
      }
      return try outcome.get()
    }
  }

  /// Runs a call of the cache; what it throws becomes an error of this package.
  func failing<Value>(_ verb: String, _ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch {
      throw Self.wrapped(error, verb)
    }
  }

  /// The error of the cache: its own where it is one of this package, else one with its words as far as they may be shown.
  static func wrapped(_ error: any Error, _ verb: String) -> any Error {
    // A driver may throw it by itself.
    if error is CancellationError, Task.isCancelled { return error }
    if let error = error as? ConnectorError, error.code == .tokenCache { return error }
    return ConnectorError(
      own: .tokenCache, "The token cache could not be \(verb).",
      isRetryable: (error as? ConnectorError)?.isRetryable ?? false, underlying: error)
  }
}

// MARK: - Finding the store of a cache

extension SessionStore {
  /// The stores of the caches that are in use: the one global state of the module, because nothing else is common to two
  /// connectors that were made apart.
  private static let stores = LivingObjects<ObjectIdentifier, SessionStore>()

  /// Returns the store of a cache: the same for every connector over the same object.
  package static func of(_ cache: any TokenCache) -> SessionStore {
    // A store keeps its cache alive, so that no other one can have its address.
    stores.object(for: ObjectIdentifier(cache)) { SessionStore(cache) }
  }
}
