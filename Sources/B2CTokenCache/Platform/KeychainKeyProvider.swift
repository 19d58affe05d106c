#if canImport(Security)
  internal import Foundation

  /// Encryption keys in the keychain, for an ``EncryptedTokenCache`` over files.
  public struct KeychainKeyProvider: EncryptionKeyProvider {
    private let keys: KeychainKeys

    /// Makes a provider; a first key is made when one is needed and there is none.
    ///
    /// - Parameters:
    ///   - accessGroup: The keychain group to share with other apps of the team; when `nil`, the app's own.
    ///   - service: The item's service, which tells the keys of two caches apart.
    ///   - accessibility: When the keys can be read.
    public init(
      accessGroup: String? = nil, service: String = "B2CConnector.EncryptionKeys",
      accessibility: KeychainAccessibility = .afterFirstUnlock
    ) {
      keys = KeychainKeys(
        SecurityKeychainItems(service: service, accessGroup: accessGroup, accessibility: accessibility))
    }

    /// Gives the newest key.
    ///
    /// - Returns: The key that new records are sealed with.
    /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/missingEntitlement``,
    ///   ``TokenCacheError/Code/encryptionUnavailable``.
    public func currentKey() async throws -> EncryptionKey {
      try await keys.currentKey()
    }

    /// Gives the key of a name.
    ///
    /// - Parameter id: The key's name.
    /// - Returns: The key, or `nil` when it is not known.
    /// - Throws: As ``currentKey()``.
    public func key(withID id: String) async throws -> EncryptionKey? {
      try await keys.key(withID: id)
    }

    /// Adds a fresh key, which seals from now on; the older ones go on reading.
    ///
    /// - Returns: The new key.
    /// - Throws: As ``currentKey()``.
    @discardableResult
    public func rotate() async throws -> EncryptionKey {
      try await keys.rotate()
    }
  }
#endif
