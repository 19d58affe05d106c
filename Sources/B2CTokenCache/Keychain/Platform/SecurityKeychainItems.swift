#if canImport(Security)
  internal import Foundation
  internal import Security

  /// The generic-password items of one service in the system's keychain.
  ///
  /// Never synchronised: a refresh token on two devices would be used twice. On the Mac the data protection keychain is
  /// used, which works as on the other systems.
  struct SecurityKeychainItems: KeychainItems {
    let name: String
    let accessibility: KeychainAccessibility
    var protection: KeychainProtection? = nil

    #if os(iOS) || os(macOS) || os(visionOS)
      var protected: (any ProtectedKeychainItems)? {
        SecurityProtectedItems(name: name + ".protected", accessibility: accessibility, protection: protection)
      }
    #endif

    var service: KeychainService { .system(name) }
    var staysOpen: Bool { accessibility == .afterFirstUnlock }

    func add(_ data: Data, account: String, mark: String, in group: String?) throws(KeychainStatus) -> String {
      var item = query(account, group)
      item[kSecValueData as String] = data
      item[kSecAttrGeneric as String] = Data(mark.utf8)
      item[kSecAttrAccessible as String] = accessibility.attribute as String
      item[kSecReturnAttributes as String] = true
      var result: CFTypeRef?
      try check(SecItemAdd(item as CFDictionary, &result))
      if let added = result as? [String: Any], let group = added[kSecAttrAccessGroup as String] as? String {
        return group
      }
      return try attributes(account, in: group).group
    }

    func update(_ account: String, in group: String, to change: KeychainChange) throws(KeychainStatus) {
      var changes: [String: Any] = [:]
      if let data = change.data {
        changes[kSecValueData as String] = data
        changes[kSecAttrAccessible as String] = accessibility.attribute as String
      }
      if let mark = change.mark { changes[kSecAttrGeneric as String] = Data(mark.utf8) }
      if let group = change.group { changes[kSecAttrAccessGroup as String] = group }
      try check(SecItemUpdate(query(account, group) as CFDictionary, changes as CFDictionary))
    }

    func item(_ account: String, in group: String) throws(KeychainStatus) -> KeychainItem {
      let found = try first(account, group, withData: true)
      guard let attributes = Self.attributes(found), let data = found[kSecValueData as String] as? Data else {
        throw .undecodable
      }
      return KeychainItem(attributes: attributes, data: data)
    }

    func attributes(_ account: String, in group: String?) throws(KeychainStatus) -> KeychainAttributes {
      guard let attributes = Self.attributes(try first(account, group, withData: false)) else { throw .undecodable }
      return attributes
    }

    func remove(_ account: String, in group: String?) throws(KeychainStatus) {
      try check(SecItemDelete(query(account, group) as CFDictionary))
    }

    func list(in group: String?) throws(KeychainStatus) -> [KeychainAttributes] {
      var item = query(nil, group)
      item[kSecReturnAttributes as String] = true
      item[kSecMatchLimit as String] = kSecMatchLimitAll as String
      var result: CFTypeRef?
      try check(SecItemCopyMatching(item as CFDictionary, &result))
      let found = result as? [[String: Any]] ?? []
      return found.compactMap(Self.attributes)
    }

    private func first(
      _ account: String, _ group: String?, withData: Bool
    ) throws(KeychainStatus) -> [String: Any] {
      var item = query(account, group)
      item[kSecReturnAttributes as String] = true
      if withData { item[kSecReturnData as String] = true }
      item[kSecMatchLimit as String] = kSecMatchLimitOne as String
      var result: CFTypeRef?
      try check(SecItemCopyMatching(item as CFDictionary, &result))
      guard let found = result as? [String: Any] else { throw .undecodable }
      return found
    }

    private static func attributes(_ found: [String: Any]) -> KeychainAttributes? {
      guard let account = found[kSecAttrAccount as String] as? String,
        let group = found[kSecAttrAccessGroup as String] as? String
      else { return nil }
      let mark = (found[kSecAttrGeneric as String] as? Data).map { String(decoding: $0, as: UTF8.self) }
      return KeychainAttributes(
        account: account, group: group, mark: mark ?? "", modified: found[kSecAttrModificationDate as String] as? Date)
    }

    private func query(_ account: String?, _ group: String?) -> [String: Any] {
      var query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword as String, kSecAttrService as String: name,
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
#endif
