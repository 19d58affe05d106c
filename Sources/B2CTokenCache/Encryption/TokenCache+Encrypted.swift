extension TokenCache {
  /// Puts encryption over this cache, whatever it is: also one that was chosen at run time and is known as
  /// `any TokenCache` only.
  ///
  /// The result is an ``EncryptedTokenCache``; where this cache offers exclusive access, so does the result.
  ///
  /// - Parameter keys: Where the encryption keys come from.
  /// - Returns: The encrypted cache.
  public func encrypted(with keys: any EncryptionKeyProvider) -> any TokenCache {
    EncryptedTokenCache(wrapping: self, keys: keys)
  }
}
