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

// MARK: - The errors of a cache

extension SessionStore {
  /// Runs a call of the cache; what it throws becomes an error of this package.
  ///
  /// - Parameters:
  ///   - verb: What the cache could not do, as a participle.
  ///   - canLast: Whether an error that lasts means that only a sign-in replaces what cannot be read.
  ///   - body: The call.
  /// - Returns: What the call returns.
  /// - Throws: ``ConnectorError`` with code `tokenCache`; `CancellationError`.
  func wrappingCacheErrors<Value>(
    _ verb: String, canLast: Bool = false, _ body: () async throws -> Value
  ) async throws -> Value {
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
