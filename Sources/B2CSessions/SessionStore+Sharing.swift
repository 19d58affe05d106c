internal import B2CCore
package import B2CTokenCache

extension SessionStore {
  /// The connectors that agree on who is current.
  package struct Client: Hashable, Sendable {
    let authority: String
    let clientID: String
    package let requiredUser: String?

    package init(authority: String, clientID: String, requiredUser: String?) {
      self.authority = authority
      self.clientID = clientID
      self.requiredUser = requiredUser
    }

    package func key(_ userID: String) -> TokenCacheKey {
      TokenCacheKey(authority: authority, clientID: clientID, userID: userID)
    }

    package func isOwn(_ key: TokenCacheKey) -> Bool { key == self.key(key.userID) }

    /// Whether another client's users are this one's, whomever its settings require.
    func hasSameUsers(as other: Client) -> Bool { key("") == other.key("") }

    /// Compares bytes: Swift's own comparison takes two spellings of `é` for one client.
    package static func == (left: Client, right: Client) -> Bool {
      left.hasSameUsers(as: right)
        && left.requiredUser.map { Array($0.utf8) } == right.requiredUser.map { Array($0.utf8) }
    }
  }

  /// The record of one user, with its key.
  package struct Session: Sendable {
    package let key: TokenCacheKey
    package let record: TokenRecord

    package init(key: TokenCacheKey, record: TokenRecord) {
      self.key = key
      self.record = record
    }
  }
}

// MARK: - The refresh lock, and what a cache throws

extension SessionStore {
  /// Runs a refresh while no other caller uses the refresh token of a key, nor another process if the cache can prevent it.
  ///
  /// - Parameters:
  ///   - key: The key whose refresh token is used.
  ///   - limit: How long to wait for both; the work itself is never cancelled.
  ///   - clock: The clock that the wait is measured on.
  ///   - body: The refresh.
  /// - Returns: What the body returns.
  /// - Throws: ``ConnectorError`` with code `timedOut` when the wait is over, and `tokenCache` when the cache cannot lock; what
  ///   the body throws.
  package func withRefreshLock<Value: Sendable>(
    _ key: TokenCacheKey, atMost limit: Duration, on clock: any Clock<Duration>,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let stopwatch = Stopwatch(clock)
    return try await refreshes.withLock(key, timeout: limit, on: clock) {
      guard let shared = cache as? any SharedTokenCache else { return try await body() }
      // The body's errors pass the cache as a value, so that an error caught here is the cache's own.
      let outcome = Monitor<Result<Value, any Error>?>(nil)
      let end = { @Sendable (result: Result<Value, any Error>) in outcome.withLock { $0 = $0 ?? result } }
      // Set by whatever comes first, the work, the cache's error or the end of the wait: a cache that runs the work twice,
      // or late, must not use the token twice.
      let isDecided = Locked(false)
      let locking = Task {
        do {
          try await shared.withRefreshLock(
            for: key,
            RefreshWork {
              guard isDecided.setOnce() else { return }
              do { end(.success(try await body())) } catch { end(.failure(error)) }
            })
          if isDecided.setOnce() { end(.failure(Self.workNotRun)) }
        } catch {
          // Work that has begun tells its own end: what was done under the lock stays done.
          if isDecided.setOnce() { end(.failure(Self.wrapped(error, "locked"))) }
        }
      }
      let waiting = Task {
        try await clock.sleep(for: limit - stopwatch.elapsed)
        guard isDecided.setOnce() else { return }
        end(.failure(KeyedLock<TokenCacheKey>.notFree))
        locking.cancel()
      }
      defer { waiting.cancel() }
      try await outcome.wait { $0 != nil }
      guard let result = outcome.withLock({ $0 }) else { throw Self.workNotRun }
      return try result.get()
    }
  }

  private static var workNotRun: ConnectorError {
    ConnectorError(own: .tokenCache, "The token cache has not run the work that was to be done under its refresh lock.")
  }

  /// Runs a call of the cache; what it throws becomes an error of this package.
  ///
  /// - Parameters:
  ///   - verb: What the cache could not do, as a participle.
  ///   - canLast: Whether an error that lasts means that only a sign-in replaces what cannot be read.
  ///   - body: The call.
  /// - Returns: What the call returns.
  /// - Throws: ``ConnectorError`` with code `tokenCache`; `CancellationError`.
  func failing<Value>(_ verb: String, canLast: Bool = false, _ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch {
      let error = Self.wrapped(error, verb)
      guard canLast, var lasting = error as? ConnectorError, !lasting.isRetryable else { throw error }
      // The package's own caches say it themselves: a keychain that refuses a call may hold a good record.
      if !(cache is StoredTokenCache) { lasting.needsInteraction = true }
      if let position = lasting.recordPosition, position < .max { saw(position) }
      throw lasting
    }
  }

  /// The error of the cache: its own where it is one of this package, else one with its words as far as they may be shown.
  ///
  /// Nothing is known about the errors of a driver, so that they count as passing. A record that cannot be decoded stays so.
  static func wrapped(_ error: any Error, _ verb: String) -> any Error {
    // A driver may throw it by itself.
    if error is CancellationError, Task.isCancelled { return error }
    if let error = error as? ConnectorError, error.code == .tokenCache { return error }
    return ConnectorError(
      own: .tokenCache, "The token cache could not be \(verb).",
      isRetryable: (error as? ConnectorError)?.isRetryable ?? !(error is DecodingError), underlying: error)
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
