/// Encryption over any token cache: AES-256-GCM, a fresh nonce for each write.
///
/// The wrapped cache keeps records that hold nothing but ciphertext. Each is bound to its key, so records cannot be
/// swapped, and carries the name of the encryption key, so keys can be rotated. Without a key nothing is written, and a
/// record that is not encrypted is an error: plaintext is neither written nor taken.
///
/// Keys of records stay readable in the wrapped cache: who has signed in where is not hidden, only the tokens and claims.
public struct EncryptedTokenCache<Wrapped: TokenCache>: TokenCache {
  let wrapped: Wrapped
  private let encryptionKeys: any EncryptionKeyProvider

  /// `true`.
  public var isEncrypted: Bool { true }

  /// Puts encryption over a cache.
  ///
  /// - Parameters:
  ///   - wrapped: The cache that keeps the ciphertext. It has to keep unknown members of records, as the conformance
  ///     suite checks.
  ///   - keys: Where the encryption keys come from.
  public init(wrapping wrapped: Wrapped, keys: any EncryptionKeyProvider) {
    self.wrapped = wrapped
    encryptionKeys = keys
  }

  /// Reads and decrypts the record of a key.
  ///
  /// - Parameter key: The key to look up.
  /// - Returns: The record, or `nil` when there is none.
  /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/decryptionFailed`` when the record was tampered with, belongs
  ///   to another key, is not encrypted or was sealed with a key that is not known; the provider's error when there are
  ///   no keys; the wrapped cache's error.
  public func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    guard let carrier = try await wrapped.record(for: key) else { return nil }
    return try await open(carrier, for: key).record
  }

  /// Encrypts a record and writes it, in place of the one that was there.
  ///
  /// - Parameters:
  ///   - record: What to keep.
  ///   - key: The key to keep it under.
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/encryptionUnavailable``, or the provider's error, when
  ///   there is no key to encrypt with; the wrapped cache's error.
  public func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    let sealed = try SealedRecord(record, for: key, with: try await encryptionKeys.currentKey())
    try await wrapped.store(sealed.carrier, for: key)
  }

  /// Removes the record of a key; no encryption key is needed for it.
  ///
  /// - Parameter key: The key to remove.
  /// - Throws: The wrapped cache's error.
  public func removeRecord(for key: TokenCacheKey) async throws {
    try await wrapped.removeRecord(for: key)
  }

  /// Lists the keys of all records.
  ///
  /// - Returns: Each key once.
  /// - Throws: The wrapped cache's error.
  public func keys() async throws -> [TokenCacheKey] {
    try await wrapped.keys()
  }

  /// Encrypts one record anew if an older key sealed it.
  ///
  /// - Returns: Whether it was an older key's.
  func reseal(_ key: TokenCacheKey) async throws -> Bool {
    let current = try await encryptionKeys.currentKey()
    guard let carrier = try await wrapped.record(for: key) else { return false }
    let opened = try await open(carrier, for: key)
    guard opened.keyID != current.id else { return false }
    try await store(opened.record, for: key)
    return true
  }

  private func open(
    _ carrier: TokenRecord, for key: TokenCacheKey
  ) async throws -> (record: TokenRecord, keyID: String) {
    guard let sealed = SealedRecord(in: carrier) else {
      throw TokenCacheError(
        .decryptionFailed, "A record in the encrypted cache is not encrypted, or its header is damaged.",
        recoverySuggestion:
          "Remove it and store it again through the encrypted cache. If the app wrote none, find out what did.")
    }
    guard let encryptionKey = try await encryptionKeys.key(withID: sealed.keyID) else {
      throw TokenCacheError(
        .decryptionFailed, "A record is sealed with the key \(sealed.keyID), which the key provider does not know.",
        recoverySuggestion: "Keep old keys until every record is sealed with the new one.")
    }
    return (try sealed.open(for: key, with: encryptionKey), sealed.keyID)
  }
}
