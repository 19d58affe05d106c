#if canImport(Security)
  internal import B2CCore
  internal import Foundation
  internal import Security

  /// The generic-password items of one service in the system's keychain, in one group or in those of the app.
  ///
  /// Never synchronised: a refresh token on two devices would be used twice. Readable from the first unlock after a restart
  /// on, which background work needs. On the Mac the data protection keychain is
  /// used, which works as on the other systems.
  struct SecurityKeychainItems: KeychainItems {
    let service: String
    /// When `nil`, the system adds to the first group of the app's entitlements and searches all of them.
    let group: String?

    var isShared: Bool { group != nil || Bundle.main.isAppExtension }

    func add(_ data: Data, account: String) throws(KeychainStatus) {
      var item = query(account)
      item[kSecValueData as String] = data
      item[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String
      try check(SecItemAdd(item as CFDictionary, nil))
    }

    func update(_ data: Data, account: String) throws(KeychainStatus) {
      let change: [String: Any] = [kSecValueData as String: data]
      try check(SecItemUpdate(query(account) as CFDictionary, change as CFDictionary))
    }

    func data(_ account: String) throws(KeychainStatus) -> Data {
      var item = query(account)
      item[kSecReturnData as String] = true
      item[kSecMatchLimit as String] = kSecMatchLimitOne as String
      var result: CFTypeRef?
      try check(SecItemCopyMatching(item as CFDictionary, &result))
      guard let data = result as? Data else { throw .undecodable }
      return data
    }

    func remove(_ account: String) throws(KeychainStatus) { try check(SecItemDelete(query(account) as CFDictionary)) }

    func accounts() throws(KeychainStatus) -> [String] {
      var item = query(nil)
      item[kSecReturnAttributes as String] = true
      item[kSecMatchLimit as String] = kSecMatchLimitAll as String
      var result: CFTypeRef?
      try check(SecItemCopyMatching(item as CFDictionary, &result))
      let found = result as? [[String: Any]] ?? []
      return found.compactMap { $0[kSecAttrAccount as String] as? String }
    }

    private func query(_ account: String?) -> [String: Any] {
      var query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword as String, kSecAttrService as String: service,
        kSecAttrSynchronizable as String: false, kSecUseDataProtectionKeychain as String: true,
      ]
      if let account { query[kSecAttrAccount as String] = account }
      if let group { query[kSecAttrAccessGroup as String] = group }
      return query
    }

    private func check(_ status: OSStatus) throws(KeychainStatus) {
      guard status == errSecSuccess else { throw KeychainStatus(rawValue: status) }
    }
  }

  extension TokenCache where Self == StoredTokenCache {
    /// Opens a cache in the keychain, one generic-password item for each record; the system encrypts it.
    ///
    /// Apps and extensions of one team read it through an access group. The keychain has no lock between processes: one app
    /// refreshes, its extensions read. The keychain is first accessed when the cache is used. A keychain that says "not
    /// found" is believed only after it has taken a probe item, because a locked one says the same.
    ///
    /// - Parameter accessGroup: The keychain group to share with other processes of the team, `<team id>.<group>`, which
    ///   alone is searched then. When `nil`, the system adds items to the first group of the app's entitlements.
    /// - Returns: The cache; the one that is open already, if there is one of this group.
    public static func keychain(accessGroup: String? = nil) -> StoredTokenCache {
      OpenCaches.all.object(for: .keychain(group: accessGroup.map { Array($0.utf8) })) {
        StoredTokenCache(KeychainStore(SecurityKeychainItems(service: "B2CConnector.TokenCache", group: accessGroup)))
      }
    }
  }
#endif
