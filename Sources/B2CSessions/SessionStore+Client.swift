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
