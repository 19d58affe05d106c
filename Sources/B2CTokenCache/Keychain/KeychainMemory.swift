internal import B2CCore

/// The state that all caches over the same keychain items share within the process.
final class KeychainMemory: Sendable {
  private struct Content: Sendable {
    /// Whether the keychain was proved open for items that stay readable then.
    var isProved = false
    /// Without a named group a call for a token costs no keychain call (benchmark row 18).
    var copies: [TokenCacheKey: TokenRecord] = [:]
  }

  private let content = Locked(Content())

  var isProved: Bool {
    get { content.withLock { $0.isProved } }
    set { content.withLock { $0.isProved = newValue } }
  }

  func copy(of key: TokenCacheKey) -> TokenRecord? {
    content.withLock { $0.copies[key] }
  }

  /// Keeps a copy in place of the one that was there; none for `nil`.
  func keep(_ copy: TokenRecord?, of key: TokenCacheKey) {
    content.withLock { $0.copies[key] = copy }
  }

  /// Discards the copies of records that a listing does not name.
  func keepCopies(of keys: [TokenCacheKey]) {
    let keys = Set(keys)
    content.withLock { content in content.copies = content.copies.filter { keys.contains($0.key) } }
  }
}
