internal import Foundation

/// A token cache over keychain items, one for each record: all that does not need the keychain itself.
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
    return try Self.parse(data, key)
  }

  package func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    let data = Data(try RecordFile(record, for: key).bytes())
    try await refuseNewer(key)
    do throws(KeychainStatus) {
      try items.put(data, account: key.canonicalText)
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

  /// A newer version's record is not written over; a damaged one is.
  private func refuseNewer(_ key: TokenCacheKey) async throws {
    do {
      _ = try await record(for: key)
    } catch let error as TokenCacheError where error.code == .damaged {
      return
    }
  }

  private static func parse(_ data: Data, _ key: TokenCacheKey) throws -> TokenRecord {
    let file: RecordFile
    do {
      file = try JSONDecoder().decode(RecordFile.self, from: data)
    } catch let error as TokenCacheError {
      throw error
    } catch {
      throw damaged
    }
    guard file.key == key else { throw damaged }
    return file.record
  }

  private static let damaged = TokenCacheError(
    .damaged, "A keychain item is no token record of its key.",
    recoverySuggestion: "Remove the record, or sign in again, which replaces it; the other records are not touched.")
}
