/// Encryption keys from a closure: a key service, a hardware module, an environment of the caller's own.
public struct ClosureKeyProvider: EncryptionKeyProvider {
  private let keys: @Sendable () async throws -> [EncryptionKey]

  /// Makes a provider.
  ///
  /// - Parameter keys: Gives all known keys, the newest first. It is asked at every read and write, so it should remember
  ///   what takes long to fetch.
  public init(_ keys: @escaping @Sendable () async throws -> [EncryptionKey]) {
    self.keys = keys
  }

  /// Gives the first key of the closure.
  ///
  /// - Returns: The newest key.
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/encryptionUnavailable`` when the closure gives none or
  ///   throws.
  public func currentKey() async throws -> EncryptionKey {
    guard let key = try await allKeys().first else {
      throw TokenCacheError(.encryptionUnavailable, "The key provider gave no key; nothing was written.")
    }
    return key
  }

  /// Gives the closure's key of a name.
  ///
  /// - Parameter id: The key's name.
  /// - Returns: The key, or `nil` when the closure does not give it.
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/encryptionUnavailable`` when the closure throws.
  public func key(withID id: String) async throws -> EncryptionKey? {
    try await allKeys().first { $0.id == id }
  }

  private func allKeys() async throws -> [EncryptionKey] {
    do {
      return try await keys()
    } catch let error as CancellationError {
      throw error
    } catch {
      throw TokenCacheError(.encryptionUnavailable, "The key provider failed.", underlying: error)
    }
  }
}
