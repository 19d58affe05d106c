#if canImport(Security)
  internal import Foundation

  /// A token cache in the keychain, one generic-password item for each record; the system encrypts it.
  ///
  /// Apps and extensions of one team share it through an access group. The keychain offers no lock, so a refresh token is
  /// spent once within a process; processes that share the group should share a ``FileTokenCache`` in their group
  /// container when they refresh at the same moment.
  public struct KeychainTokenCache: TokenCache {
    private let records: KeychainRecords

    /// `true`: the system encrypts keychain items.
    public var isEncrypted: Bool { true }

    /// Makes a cache; the keychain is first asked when the cache is used.
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

    /// Reads the record of a key.
    ///
    /// - Parameter key: The key to look up.
    /// - Returns: The record, or `nil` when there is none.
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement`` in an unsigned build or without the
    ///   group's entitlement, ``TokenCacheError/Code/unreadable`` while the device is locked,
    ///   ``TokenCacheError/Code/damaged``, ``TokenCacheError/Code/newerVersion``.
    public func record(for key: TokenCacheKey) async throws -> TokenRecord? {
      try await records.record(for: key)
    }

    /// Writes a record, in place of the one that was there.
    ///
    /// - Parameters:
    ///   - record: What to keep.
    ///   - key: The key to keep it under.
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement``, ``TokenCacheError/Code/unwritable``,
    ///   ``TokenCacheError/Code/newerVersion``; the old record stays then.
    public func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
      try await records.store(record, for: key)
    }

    /// Removes the record of a key; nothing happens when there is none.
    ///
    /// - Parameter key: The key to remove.
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement``, ``TokenCacheError/Code/unwritable``.
    public func removeRecord(for key: TokenCacheKey) async throws {
      try await records.removeRecord(for: key)
    }

    /// Lists the keys of all records of the service.
    ///
    /// - Returns: Each key once.
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement``, ``TokenCacheError/Code/unreadable``.
    public func keys() async throws -> [TokenCacheKey] {
      try await records.keys()
    }
  }
#endif
