#if canImport(Security)
  internal import B2CCore
  internal import Foundation
  internal import Security

  /// The generic-password items of one service in the system's keychain, in one access group or in all of the app's.
  ///
  /// Items are not synchronized, because a refresh token on two devices would be used twice. They can be read from the
  /// first unlock after a restart on, because the app may run in the background. On the Mac, the data protection
  /// keychain is used, which works as on the other systems.
  struct SecurityKeychainItems: KeychainItems {
    let service: String
    /// The access group, or `nil` to add items to the first group of the app's entitlements and to search all of them.
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
    /// Opens a cache in the keychain, with one generic-password item for each record, which the system encrypts.
    ///
    /// The apps and extensions of one team share it through an access group. The keychain has no lock between
    /// processes, so only one app may refresh tokens, and its extensions read. The keychain is not accessed before the
    /// cache is used. Before the first unlock, a locked keychain reports "not found" for existing items, so the cache
    /// believes that only after the keychain has accepted a test item.
    ///
    /// - Parameter accessGroup: The keychain access group to share, in the form `<team id>.<group>`. Only this group is
    ///   searched. With `nil`, the default, the system adds items to the first group of the app's entitlements and
    ///   searches all of them.
    /// - Returns: The cache. If the process has already opened this group, it is the same object.
    public static func keychain(accessGroup: String? = nil) -> StoredTokenCache {
      OpenCaches.all.object(for: .keychain(group: accessGroup.map { Array($0.utf8) })) {
        StoredTokenCache(KeychainStore(SecurityKeychainItems(service: "B2CConnector.TokenCache", group: accessGroup)))
      }
    }
  }
#endif
