#if canImport(Security)
  public import Foundation
  internal import Security

  /// A token cache in the keychain, one generic-password item for each record; the system encrypts it.
  ///
  /// Apps and extensions of one team share it through an access group. The keychain has no lock between processes: those
  /// that share a group name a directory for locks, ``init(accessGroup:lockedIn:service:accessibility:)``. Without one the
  /// cache is shared within the process only: all caches of one service there share their locks, so any number of
  /// connectors use a refresh token once.
  ///
  /// A record that was read stays in memory. In the app's own group it is served from there without a call to the
  /// keychain; with a directory for locks, in another group, and in an extension, after a look at the date of its item. A
  /// keychain that says "not found" is believed only after it has taken a probe item, because a locked one says the same.
  ///
  /// With a ``KeychainProtection`` the refresh token is in a second item, which the system gives out only after the user
  /// has agreed: a renewal asks, all else does not.
  public struct KeychainTokenCache: SharedTokenCache, StoreIdentifying {
    private let keychain: SharedKeychain

    /// The state of every cache over the same service and group.
    package var sharedState: CacheState { keychain.sharedState }

    /// Creates a cache for this process; the keychain is first accessed when the cache is used.
    ///
    /// - Parameters:
    ///   - accessGroup: The keychain group, `<team id>.<group>`, which alone is
    ///     searched then. When `nil`, the app's own, `<team id>.<bundle id>`, or where the app is not entitled to it the
    ///     first of its groups; a record that an earlier version has stored in another group of the app moves there at
    ///     its first use. In an extension `nil` is the first of its groups.
    ///   - service: The items' service, which tells the items of two caches apart.
    ///   - accessibility: When the tokens can be read.
    ///   - protection: How the user agrees to each renewal of an access token; when `nil`, without a question. A record
    ///     that was stored with another value goes on working, and takes this one when its next token is stored.
    ///   - installationFile: Whether the tokens of a former installation are removed: keychain items usually stay when
    ///     a user deletes the app. A file in Application Support holds a random id, and records in the app's own group
    ///     carry it; a record with another id is removed, one without an id stays and gets it. Nothing is removed when
    ///     the file cannot be read or written, in another group, in an extension, or on tvOS, where it has no effect.
    public init(
      accessGroup: String? = nil, service: String = "B2CConnector.TokenCache",
      accessibility: KeychainAccessibility = .afterFirstUnlock, protection: KeychainProtection? = nil,
      installationFile: Bool = false
    ) {
      keychain = SharedKeychain(
        KeychainRecords(
          SecurityKeychainItems(name: service, accessibility: accessibility, protection: protection),
          group: accessGroup, installation: installationFile ? .inApplicationSupport(service: service) : nil))
    }

    /// Creates a cache that the processes of one team share, an app with its extensions: all use a refresh token once.
    ///
    /// The tokens are in the keychain alone. The directory gets a directory `B2CConnector.locks` with two empty files for
    /// each record, which the processes lock; what a file may hold for a while is the time limit of a request whose
    /// process was suspended. Neither the keychain nor the directory is accessed before the cache is used.
    ///
    /// - Parameters:
    ///   - accessGroup: The keychain group that all the processes are entitled to, `<team id>.<group>`.
    ///   - directory: A directory that exists and that all the processes reach: the container of their app group. All of
    ///     them name the same one.
    ///   - service: The items' service, which tells the items of two caches apart; the same in all processes.
    ///   - accessibility: When the tokens can be read.
    ///   - protection: How the user agrees to each renewal of an access token; when `nil`, without a question. All
    ///     processes give the same. An open question holds the refresh lock, for which the others wait at most 30 s.
    public init(
      accessGroup: String, lockedIn directory: URL, service: String = "B2CConnector.TokenCache",
      accessibility: KeychainAccessibility = .afterFirstUnlock, protection: KeychainProtection? = nil
    ) {
      keychain = SharedKeychain(
        KeychainRecords(
          SecurityKeychainItems(name: service, accessibility: accessibility, protection: protection),
          group: accessGroup, process: .current.sharing),
        lockedIn: directory)
    }

    /// Returns the record of a key; the user is not asked, so a protected refresh token is not in it.
    ///
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement`` in an unsigned build or without the
    ///   group's entitlement, ``TokenCacheError/Code/unreadable`` while the device is locked,
    ///   ``TokenCacheError/Code/damaged``, ``TokenCacheError/Code/newerVersion``; of a directory for locks
    ///   ``TokenCacheError/Code/unwritable`` when it is not there, cannot be used, or is on a network or cloud volume, and
    ///   ``TokenCacheError/Code/insecurePermissions`` when another user could replace it.
    public func record(for key: TokenCacheKey) async throws -> TokenRecord? {
      try await keychain.record(for: key)
    }

    /// Stores a record, replacing the one that was there; the user is not asked.
    ///
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement``, ``TokenCacheError/Code/unwritable``,
    ///   ``TokenCacheError/Code/newerVersion``; ``TokenCacheError/Code/authenticationNotSetUp`` where the refresh token
    ///   is to be protected and the device cannot; ``TokenCacheError/Code/unreadable`` while the device is locked, because
    ///   what is there cannot be looked at; ``TokenCacheError/Code/lockTimedOut`` when another writer does not finish within
    ///   30 s; of a directory for locks as ``record(for:)``. The old record stays then.
    public func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
      try await keychain.store(record, for: key)
    }

    /// Removes the record of a key, if there is one.
    ///
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement``, ``TokenCacheError/Code/unwritable``,
    ///   ``TokenCacheError/Code/lockTimedOut`` when another writer does not finish within 30 s; of a directory for locks as
    ///   ``record(for:)``.
    public func removeRecord(for key: TokenCacheKey) async throws {
      try await keychain.removeRecord(for: key)
    }

    /// Returns the keys of all records of the service.
    ///
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement``, ``TokenCacheError/Code/unreadable``; of a
    ///   directory for locks as ``record(for:)``.
    public func keys() async throws -> [TokenCacheKey] {
      try await keychain.keys()
    }

    /// Changes the record of a key in one step: atomic among all processes that name the directory for locks, without one
    /// among the callers of this process.
    ///
    /// The item itself is read, and no copy in memory.
    ///
    /// - Throws: ``TokenCacheError``, as ``record(for:)`` and ``store(_:for:)``; nothing is changed then.
    @discardableResult
    public func update(
      _ key: TokenCacheKey, _ change: @escaping @Sendable (TokenRecord?) -> TokenRecord?
    ) async throws -> TokenRecord? {
      try await keychain.update(key, change)
    }

    /// Runs a body while no other caller holds the refresh lock of the same key: in any process that names the directory
    /// for locks, without one in this process.
    ///
    /// A renewal holds it also while the user is asked for a protected refresh token. A file is unlocked before the system
    /// suspends the process, as that of a ``FileTokenCache`` is.
    ///
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/lockTimedOut`` when the lock is not free within 30 s; of a
    ///   directory for locks as ``record(for:)``; `CancellationError` when the task is cancelled while it waits. The body
    ///   has not run then. Otherwise what the body throws.
    public func withRefreshLock<Result: Sendable>(
      for key: TokenCacheKey, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
      try await keychain.withRefreshLock(for: key, body)
    }

    /// Discards the copy of a record, so that the next call reads its item.
    package func forgetCopy(of key: TokenCacheKey) async throws {
      try await keychain.forgetCopy(of: key)
    }
  }

  extension KeychainTokenCache: InspectableTokenCache {
    /// Adds an item to the keychain and removes it.
    package func proveWritable() async throws {
      try await keychain.proveWritable()
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
