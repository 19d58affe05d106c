internal import B2CCore
internal import Foundation

/// Encryption keys in one keychain item: all that does not need the keychain itself.
package struct KeychainKeys: EncryptionKeyProvider {
  private static let account = "encryption-keys"
  private let items: any KeychainItems

  package init(_ items: any KeychainItems) {
    self.items = items
  }

  package func currentKey() async throws -> EncryptionKey {
    if let key = try ring()?.keys.first { return key }
    let fresh = try KeyRing(keys: [.random()]).bytes()
    do throws(KeychainStatus) {
      try items.add(fresh, account: Self.account)
    } catch {
      // Another process was quicker; its key is the one, or records would be sealed with a key that is lost.
      guard error == .duplicateItem else { throw error.error(.encryptionUnavailable, "keep an encryption key") }
    }
    guard let key = try ring()?.keys.first else {
      throw TokenCacheError(.encryptionUnavailable, "The keychain has not kept the encryption key.")
    }
    return key
  }

  package func key(withID id: String) async throws -> EncryptionKey? {
    try ring()?.keys.first { $0.id == id }
  }

  /// Adds a fresh key, which seals from now on; the older ones go on reading.
  package func rotate() async throws -> EncryptionKey {
    _ = try await currentKey()
    let key = EncryptionKey.random()
    let keys = (try ring()?.keys ?? []).filter { $0.id != key.id }
    let bytes = try KeyRing(keys: [key] + keys).bytes()
    do throws(KeychainStatus) {
      try items.put(bytes, account: Self.account)
    } catch {
      throw error.error(.encryptionUnavailable, "keep an encryption key")
    }
    return key
  }

  private func ring() throws -> KeyRing? {
    let data: Data
    do throws(KeychainStatus) {
      data = try items.data(account: Self.account)
    } catch {
      if error == .itemNotFound { return nil }
      throw error.error(.encryptionUnavailable, "read the encryption keys")
    }
    return try KeyRing(data, from: "The keychain item")
  }
}
