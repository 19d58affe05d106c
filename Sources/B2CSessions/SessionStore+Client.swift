internal import B2CCore
package import B2CTokenCache

extension SessionStore {
  /// The identity of all connectors that have the same users and the same current user.
  package struct Client: Hashable, Sendable {
    package let authority: String
    package let clientID: String
    package let requiredUser: String?
    /// Whether the authority is one of Microsoft's, which ignore upper and lower case in GUIDs.
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

    /// Returns a user id as it is stored, with the GUIDs of Microsoft's authorities in lower case.
    package func folded(_ userID: String) -> String {
      // A stored id has no uppercase letters, so it needs no work (row 1 of the benchmarks).
      guard isMicrosoft, ASCIIText.hasUppercase(userID), let dot = userID.lastIndex(of: "."),
        let tenant = GUID.folded(userID[userID.index(after: dot)...])
      else { return userID }
      return GUID.folded(userID[..<dot]).map { $0 + "." + tenant } ?? userID
    }

    func isOwn(_ key: TokenCacheKey) -> Bool { hasSameUsers(as: key.authority, key.clientID) }

    /// Whether another client has the same users, even if its settings require another one.
    func hasSameUsers(as other: Client) -> Bool { hasSameUsers(as: other.authority, other.clientID) }

    private func hasSameUsers(as authority: String, _ clientID: String) -> Bool {
      ASCIIText.isSame(self.authority, authority) && ASCIIText.isSame(self.clientID, clientID)
    }

    /// Compares bytes, because Swift's own comparison treats two spellings of `é` as equal.
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
  /// The stores of the caches in use.
  ///
  /// This is the module's only global state, because connectors that were created separately share nothing else.
  private static let stores = LivingObjects<ObjectIdentifier, SessionStore>()

  /// Returns the store of a cache, which all connectors with the same cache object share.
  package static func of(_ cache: any TokenCache) -> SessionStore {
    // A store keeps its cache alive, so no other cache can get the same address.
    stores.object(for: ObjectIdentifier(cache)) { SessionStore(cache) }
  }
}
