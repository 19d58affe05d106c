/// Where an encrypted cache gets its keys.
///
/// The newest key seals; older ones stay known for as long as records are sealed with them. That is all there is to
/// rotation.
public protocol EncryptionKeyProvider: Sendable {
  /// Gives the key that new records are sealed with.
  ///
  /// - Returns: The newest key.
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/encryptionUnavailable``, or the provider's own error,
  ///   when there is none; nothing is written then.
  func currentKey() async throws -> EncryptionKey

  /// Gives the key of a name, as a sealed record has it.
  ///
  /// - Parameter id: The key's name.
  /// - Returns: The key, or `nil` when no key of this name is known.
  /// - Throws: ``TokenCacheError``, or the provider's own error, when the keys cannot be had at all.
  func key(withID id: String) async throws -> EncryptionKey?
}
