#if canImport(Security)
  internal import Foundation
  internal import Security

  /// A token cache in the keychain, one generic-password item for each record; the system encrypts it.
  ///
  /// Apps and extensions of one team share it through an access group. All caches of one service and group in a process
  /// share their locks, so any number of connectors use a refresh token once. The keychain offers no lock between
  /// processes: those that may refresh at the same moment should share a ``FileTokenCache`` in their group container.
  public struct KeychainTokenCache: TokenCache, StoreIdentifying {
    private let records: KeychainRecords

    /// The state of every cache over the same service and group.
    package var sharedState: CacheState { records.sharedState }

    /// `true`: the system encrypts keychain items.
    public var isEncrypted: Bool { true }

    /// Creates a cache; the keychain is first accessed when the cache is used.
    ///
    /// - Parameters:
    ///   - accessGroup: The keychain group to share with other apps of the team, `<team id>.<group>`; when `nil`, the
    ///     app's own.
    ///   - service: The items' service, which tells the items of two caches apart.
    ///   - accessibility: When the tokens can be read.
    public init(
      accessGroup: String? = nil, service: String = "B2CConnector.TokenCache",
      accessibility: KeychainAccessibility = .afterFirstUnlock
    ) {
      records = KeychainRecords(
        SecurityKeychainItems(service: service, accessGroup: accessGroup, accessibility: accessibility))
    }

    /// Returns the record of a key.
    ///
    /// - Parameter key: The key to look up.
    /// - Returns: The record, or `nil` when there is none.
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement`` in an unsigned build or without the
    ///   group's entitlement, ``TokenCacheError/Code/unreadable`` while the device is locked,
    ///   ``TokenCacheError/Code/damaged``, ``TokenCacheError/Code/newerVersion``.
    public func record(for key: TokenCacheKey) async throws -> TokenRecord? {
      try await records.record(for: key)
    }

    /// Stores a record, replacing the one that was there.
    ///
    /// - Parameters:
    ///   - record: The record to keep.
    ///   - key: The key to keep it under.
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement``, ``TokenCacheError/Code/unwritable``,
    ///   ``TokenCacheError/Code/newerVersion``; the old record stays then.
    public func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
      try await records.store(record, for: key)
    }

    /// Removes the record of a key, if there is one.
    ///
    /// - Parameter key: The key to remove.
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement``, ``TokenCacheError/Code/unwritable``.
    public func removeRecord(for key: TokenCacheKey) async throws {
      try await records.removeRecord(for: key)
    }

    /// Returns the keys of all records of the service.
    ///
    /// - Returns: Each key once.
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement``, ``TokenCacheError/Code/unreadable``.
    public func keys() async throws -> [TokenCacheKey] {
      try await records.keys()
    }
  }

  extension KeychainTokenCache: InspectableTokenCache {
    /// Adds an item to the keychain and removes it.
    package func proveWritable() async throws {
      try await records.proveWritable()
    }
  }

  /// An encryption key in the keychain, for an ``EncryptedTokenCache`` over files.
  public struct KeychainKey: EncryptionKeySource {
    private let key: StoredKeychainKey

    /// Names the keychain item; a key is created when one is needed and there is none.
    ///
    /// - Parameters:
    ///   - accessGroup: The keychain group to share with other apps of the team; when `nil`, the app's own.
    ///   - service: The item's service, which tells the keys of two caches apart.
    ///   - accessibility: When the key can be read.
    public init(
      accessGroup: String? = nil, service: String = "B2CConnector.EncryptionKeys",
      accessibility: KeychainAccessibility = .afterFirstUnlock
    ) {
      key = StoredKeychainKey(
        SecurityKeychainItems(service: service, accessGroup: accessGroup, accessibility: accessibility))
    }

    /// Returns the key.
    ///
    /// - Returns: The key that seals and opens records.
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement``,
    ///   ``TokenCacheError/Code/encryptionUnavailable``.
    public func encryptionKey() async throws -> EncryptionKey {
      try await key.encryptionKey()
    }
  }

  /// When the tokens in the keychain can be read.
  ///
  /// In all cases the item stays on this device, also when a backup is restored on another.
  public enum KeychainAccessibility: Sendable, Hashable {
    /// From the first unlock after a restart on; background work needs this.
    case afterFirstUnlock
    /// While the device is unlocked.
    case whenUnlocked
    /// While the device is unlocked, and only as long as it has a passcode.
    case whenPasscodeSet

    var attribute: CFString {
      switch self {
      case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
      case .whenUnlocked: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
      case .whenPasscodeSet: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
      }
    }
  }

  /// The generic-password items of one service in the system's keychain.
  ///
  /// Never synchronised: a refresh token on two devices would be used twice. On the Mac the data protection keychain is
  /// used, which works as on the other systems.
  struct SecurityKeychainItems: KeychainItems {
    let service: String
    let accessGroup: String?
    let accessibility: KeychainAccessibility

    var store: KeychainStore { .system(service: service, group: accessGroup) }

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
