#if canImport(Security)
  internal import Foundation
  internal import Security

  /// The generic-password items of one service in the system's keychain.
  ///
  /// Never synchronised: a refresh token on two devices would be used twice. On the Mac the data protection keychain is
  /// used, which works as on the other systems.
  struct SecurityKeychainItems: KeychainItems {
    let service: String
    let accessGroup: String?
    let accessibility: KeychainAccessibility

    func add(_ data: Data, account: String) throws(KeychainStatus) {
      var item = query(account)
      item[kSecValueData as String] = data
      item[kSecAttrAccessible as String] = accessibility.attribute as String
      try check(SecItemAdd(item as CFDictionary, nil))
    }

    func update(_ data: Data, account: String) throws(KeychainStatus) {
      let changes: [String: Any] = [
        kSecValueData as String: data, kSecAttrAccessible as String: accessibility.attribute as String,
      ]
      try check(SecItemUpdate(query(account) as CFDictionary, changes as CFDictionary))
    }

    func data(account: String) throws(KeychainStatus) -> Data {
      var item = query(account)
      item[kSecReturnData as String] = true
      item[kSecMatchLimit as String] = kSecMatchLimitOne as String
      var result: CFTypeRef?
      try check(SecItemCopyMatching(item as CFDictionary, &result))
      guard let data = result as? Data else { throw .undecodable }
      return data
    }

    func remove(account: String) throws(KeychainStatus) {
      try check(SecItemDelete(query(account) as CFDictionary))
    }

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
      if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
      return query
    }

    private func check(_ status: OSStatus) throws(KeychainStatus) {
      guard status == errSecSuccess else { throw KeychainStatus(rawValue: status) }
    }
  }
#endif
