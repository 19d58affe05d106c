internal import Foundation

/// A token cache over keychain items, one for each record, without the keychain itself.
package struct KeychainRecords: TokenCache {
  private let items: any KeychainItems

  /// The system encrypts keychain items.
  package var isEncrypted: Bool { true }

  package init(_ items: any KeychainItems) {
    self.items = items
  }

  package func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    let data: Data
    do throws(KeychainStatus) {
      data = try items.data(account: key.canonicalText)
    } catch {
      if error == .itemNotFound { return nil }
      throw error.error(.unreadable, "read a token record")
    }
    switch try RecordFile.record(in: Array(data), for: key) {
    case .success(let record): return record
    case .failure(let damage):
      throw TokenCacheError(
        .damaged, "A keychain item is not a usable token record: \(damage.reason).",
        recoverySuggestion: "Sign in again, which replaces it; the other records are not affected.")
    }
  }

  package func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    let data = Data(try RecordFile(record, for: key).bytes())
    do {
      // A newer version's record is not replaced; a damaged one is.
      _ = try await self.record(for: key)
    } catch let error as TokenCacheError where error.code == .damaged {}
    do throws(KeychainStatus) {
      try put(data, account: key.canonicalText)
    } catch {
      throw error.error(.unwritable, "write a token record")
    }
  }

  package func removeRecord(for key: TokenCacheKey) async throws {
    do throws(KeychainStatus) {
      try items.remove(account: key.canonicalText)
    } catch {
      if error != .itemNotFound { throw error.error(.unwritable, "remove a token record") }
    }
  }

  package func keys() async throws -> [TokenCacheKey] {
    do throws(KeychainStatus) {
      return try items.accounts().compactMap(TokenCacheKey.init(canonicalText:))
    } catch {
      if error == .itemNotFound { return [] }
      throw error.error(.unreadable, "list the token records")
    }
  }

  private func put(_ data: Data, account: String) throws(KeychainStatus) {
    do {
      try items.update(data, account: account)
    } catch  where error == .itemNotFound {
      do {
        try items.add(data, account: account)
      } catch  where error == .duplicateItem {
        // Another process was first.
        try items.update(data, account: account)
      }
    }
  }
}

/// An encryption key in one keychain item, without the keychain itself.
package struct StoredKeychainKey: EncryptionKeySource {
  private static let account = "encryption-key"
  private let items: any KeychainItems

  package init(_ items: any KeychainItems) {
    self.items = items
  }

  package func encryptionKey() async throws -> EncryptionKey {
    if let key = try read() { return key }
    do throws(KeychainStatus) {
      try items.add(StoredEncryptionKey.data(of: .random()), account: Self.account)
    } catch {
      // Another process was first: its key counts, or records would be sealed with a key that is lost.
      guard error == .duplicateItem else { throw error.error(.encryptionUnavailable, "keep an encryption key") }
    }
    if let key = try read() { return key }
    throw TokenCacheError(.encryptionUnavailable, "The keychain has not kept the encryption key.")
  }

  private func read() throws -> EncryptionKey? {
    let data: Data
    do throws(KeychainStatus) {
      data = try items.data(account: Self.account)
    } catch {
      if error == .itemNotFound { return nil }
      throw error.error(.encryptionUnavailable, "read the encryption key")
    }
    return try StoredEncryptionKey.key(in: data, from: "The keychain item")
  }
}
