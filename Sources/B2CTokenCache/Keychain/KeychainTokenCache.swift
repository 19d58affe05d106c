#if canImport(Security)
  internal import Security

  /// A token cache in the keychain, one generic-password item for each record; the system encrypts it.
  ///
  /// Apps and extensions of one team read it through an access group. The keychain has no lock between processes: one app
  /// refreshes, its extensions read. Within the process all caches of one service and group share their locks, so any
  /// number of connectors use a refresh token once.
  ///
  /// Without a named group, a record that was read stays in memory and is served from there. A keychain that says "not
  /// found" is believed only after it has taken a probe item, because a locked one says the same.
  public struct KeychainTokenCache: SharedTokenCache, StoreIdentifying {
    private let records: KeychainRecords
    private let locked: LocallySharedTokenCache

    /// The state of every cache over the same service and group.
    package var sharedState: CacheState { records.sharedState }

    /// Creates a cache; the keychain is first accessed when the cache is used.
    ///
    /// - Parameters:
    ///   - accessGroup: The keychain group to share with other processes of the team, `<team id>.<group>`, which alone is
    ///     searched then. When `nil`, the system adds items to the first group of the app's entitlements.
    ///   - service: The items' service, which tells the items of two caches apart.
    ///   - accessibility: When the tokens can be read; it applies to items that are added.
    public init(
      accessGroup: String? = nil, service: String = "B2CConnector.TokenCache",
      accessibility: KeychainAccessibility = .afterFirstUnlock
    ) {
      records = KeychainRecords(
        SecurityKeychainItems(service: service, group: accessGroup, accessibility: accessibility))
      locked = LocallySharedTokenCache(records)
    }

    /// Returns the record of a key.
    ///
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement`` in an unsigned build or without the
    ///   group's entitlement, ``TokenCacheError/Code/unreadable`` while the device is locked,
    ///   ``TokenCacheError/Code/damaged``, ``TokenCacheError/Code/newerVersion``.
    public func record(for key: TokenCacheKey) async throws -> TokenRecord? {
      try await locked.record(for: key)
    }

    /// Stores a record, replacing the one that was there.
    ///
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement``, ``TokenCacheError/Code/unwritable``,
    ///   ``TokenCacheError/Code/newerVersion``; ``TokenCacheError/Code/unreadable`` while the device is locked, because
    ///   what is there cannot be looked at; ``TokenCacheError/Code/lockTimedOut`` when another writer does not finish
    ///   within 30 s. The old record stays then.
    public func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
      try await locked.store(record, for: key)
    }

    /// Removes the record of a key, if there is one.
    ///
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement``, ``TokenCacheError/Code/unwritable``,
    ///   ``TokenCacheError/Code/lockTimedOut`` when another writer does not finish within 30 s.
    public func removeRecord(for key: TokenCacheKey) async throws {
      try await locked.removeRecord(for: key)
    }

    /// Returns the keys of all records of the service.
    ///
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement``, ``TokenCacheError/Code/unreadable``.
    public func keys() async throws -> [TokenCacheKey] {
      try await locked.keys()
    }

    /// Changes the record of a key in one step among the callers of this process.
    ///
    /// - Throws: ``TokenCacheError``, as ``record(for:)`` and ``store(_:for:)``; nothing is changed then.
    @discardableResult
    public func update(
      _ key: TokenCacheKey, _ change: @escaping @Sendable (TokenRecord?) -> TokenRecord?
    ) async throws -> TokenRecord? {
      try await locked.update(key, change)
    }

    /// Runs a body while no other caller in this process holds the refresh lock of the same key.
    ///
    /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/lockTimedOut`` when the lock is not free within 30 s;
    ///   `CancellationError` when the task is cancelled while it waits. The body has not run then. Otherwise what the body
    ///   throws.
    public func withRefreshLock<Result: Sendable>(
      for key: TokenCacheKey, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
      try await locked.withRefreshLock(for: key, body)
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
