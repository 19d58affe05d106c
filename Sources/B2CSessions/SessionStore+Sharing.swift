internal import B2CCore
package import B2CTokenCache

extension SessionStore {
  /// The connectors that agree on who is current.
  package struct Client: Hashable, Sendable {
    package let authority: String
    package let clientID: String
    package let requiredUser: String?
    /// Whether the authority is one of Microsoft's, which ignore the case of GUIDs.
    package let isMicrosoft: Bool

    package init(authority: String, clientID: String, requiredUser: String?, isMicrosoft: Bool) {
      self.authority = authority
      self.clientID = clientID
      self.requiredUser = requiredUser
      self.isMicrosoft = isMicrosoft
    }

    package func key(_ userID: String) -> TokenCacheKey {
      TokenCacheKey(authority: authority, clientID: clientID, userID: folded(userID))
    }

    /// Returns the user id that a caller means, GUIDs of Microsoft's authorities in any case.
    package func folded(_ userID: String) -> String {
      // An id that was folded before is taken as it is (row 1 of the benchmarks).
      guard isMicrosoft, ASCIIText.hasUppercase(userID), let dot = userID.lastIndex(of: "."),
        let tenant = GUID.folded(userID[userID.index(after: dot)...])
      else { return userID }
      return GUID.folded(userID[..<dot]).map { $0 + "." + tenant } ?? userID
    }

    func isOwn(_ key: TokenCacheKey) -> Bool { hasSameUsers(as: key.authority, key.clientID) }

    /// Whether another client's users are this one's, whomever its settings require.
    func hasSameUsers(as other: Client) -> Bool { hasSameUsers(as: other.authority, other.clientID) }

    private func hasSameUsers(as authority: String, _ clientID: String) -> Bool {
      ASCIIText.isSame(self.authority, authority) && ASCIIText.isSame(self.clientID, clientID)
    }

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
