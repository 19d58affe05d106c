#if canImport(Security)
  internal import Foundation
  internal import Security

  /// A token cache in the keychain, one generic-password item for each record; the system encrypts it.
  ///
  /// Apps and extensions of one team share it through an access group. All caches of one service and group in a process
  /// share their locks, so any number of connectors use a refresh token once. The keychain offers no lock between
  /// processes: those that may refresh at the same moment should share a ``FileTokenCache`` in their group container.
  ///
  /// A record that was read stays in memory. In the app's own group it is served from there without a call to the
  /// keychain; in another group, and in an extension, after a look at the date of its item. A keychain that says "not
  /// found" is believed only after it has taken a probe item, because a locked one says the same.
  public struct KeychainTokenCache: TokenCache, StoreIdentifying {
    private let records: KeychainRecords

    /// The state of every cache over the same service and group.
    package var sharedState: CacheState { records.sharedState }

    /// Creates a cache; the keychain is first accessed when the cache is used.
    ///
    /// - Parameters:
    ///   - accessGroup: The keychain group to share with other apps of the team, `<team id>.<group>`, which alone is
    ///     searched then. When `nil`, the app's own, `<team id>.<bundle id>`, or where the app is not entitled to it the
    ///     first of its groups; a record that an earlier version has stored in another group of the app moves there at
    ///     its first use. In an extension `nil` is the first of its groups.
    ///   - service: The items' service, which tells the items of two caches apart.
    ///   - accessibility: When the tokens can be read.
    ///   - installationFile: Whether the tokens of a former installation are removed: keychain items usually stay when
    ///     a user deletes the app. A file in Application Support holds a random id, and records in the app's own group
    ///     carry it; a record with another id is removed, one without an id stays and gets it. Nothing is removed when
    ///     the file cannot be read or written, in another group, in an extension, or on tvOS, where it has no effect.
    public init(
      accessGroup: String? = nil, service: String = "B2CConnector.TokenCache",
      accessibility: KeychainAccessibility = .afterFirstUnlock, installationFile: Bool = false
    ) {
      records = KeychainRecords(
        SecurityKeychainItems(name: service, accessibility: accessibility), group: accessGroup,
        installation: installationFile ? .inApplicationSupport(service: service) : nil)
    }

    /// Returns the record of a key.
    ///
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement`` in an unsigned build or without the
    ///   group's entitlement, ``TokenCacheError/Code/unreadable`` while the device is locked,
    ///   ``TokenCacheError/Code/damaged``, ``TokenCacheError/Code/newerVersion``.
    public func record(for key: TokenCacheKey) async throws -> TokenRecord? {
      try await records.record(for: key)
    }

    /// Stores a record, replacing the one that was there.
    ///
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement``, ``TokenCacheError/Code/unwritable``,
    ///   ``TokenCacheError/Code/newerVersion``; ``TokenCacheError/Code/unreadable`` while the device is locked, because
    ///   what is there cannot be looked at. The old record stays then.
    public func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
      try await records.store(record, for: key)
    }

    /// Removes the record of a key, if there is one.
    ///
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement``, ``TokenCacheError/Code/unwritable``.
    public func removeRecord(for key: TokenCacheKey) async throws {
      try await records.removeRecord(for: key)
    }

    /// Returns the keys of all records of the service.
    ///
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement``, ``TokenCacheError/Code/unreadable``.
    public func keys() async throws -> [TokenCacheKey] {
      try await records.keys()
    }

    /// Discards the copy of a record, so that the next call reads its item.
    package func forgetCopy(of key: TokenCacheKey) async throws {
      try await records.forgetCopy(of: key)
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
    ///   - accessGroup: The keychain group to share with other apps of the team; when `nil`, the app's own, as of
    ///     ``KeychainTokenCache``. A key that an earlier version has stored in another group of the app is copied there.
    ///   - service: The item's service, which tells the keys of two caches apart.
    ///   - accessibility: When the key can be read.
    public init(
      accessGroup: String? = nil, service: String = "B2CConnector.EncryptionKeys",
      accessibility: KeychainAccessibility = .afterFirstUnlock
    ) {
      key = StoredKeychainKey(
        SecurityKeychainItems(name: service, accessibility: accessibility), group: accessGroup)
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
#endif
