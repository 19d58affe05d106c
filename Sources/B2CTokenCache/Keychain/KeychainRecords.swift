internal import B2CCore
internal import Foundation

/// A token cache over keychain items, one for each record, without the keychain itself.
///
/// "Not found" is believed only of a keychain that is known to be open: since iOS 15 a locked one says the same before the
/// first unlock. Calls block, and run on the queue of the state, one at a time.
package struct KeychainRecords: StoreIdentifying {
  /// The account of the item that proves a keychain open; it holds nothing.
  private static let probe = "B2CConnector.probe"

  private let items: any KeychainItems
  private let memory: KeychainMemory
  /// The state of every cache over the same items.
  package let sharedState: CacheState

  package init(_ items: any KeychainItems) {
    self.items = items
    sharedState = CacheRegistry.state(of: .keychain(items.place))
    memory = sharedState.keychain ?? KeychainMemory()
  }

  package func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    if servesCopies, let copy = memory.copy(of: key) { return copy }
    return try await sharedState.onQueue { [self] in try read(key) }
  }

  package func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try await sharedState.onQueue { [self] in
      do throws(TokenCacheError) {
        // A newer version's record is not replaced; a damaged one is.
        _ = try read(key)
      } catch {
        guard error.code == .damaged else { throw error }
      }
      let data = Data(try RecordFile(record, for: key).bytes())
      memory.keep(nil, of: key)
      do throws(KeychainStatus) {
        try put(data, key.canonicalText)
      } catch {
        throw error.error(.unwritable, "write a token record")
      }
      if servesCopies { memory.keep(record, of: key) }
    }
  }

  package func removeRecord(for key: TokenCacheKey) async throws {
    try await sharedState.onQueue { [self] in
      memory.keep(nil, of: key)
      let account = key.canonicalText
      do throws(KeychainStatus) {
        if try removeItem(account) { return }
        if try proveOpen() { _ = try removeItem(account) }
      } catch {
        throw error.error(.unwritable, "remove a token record")
      }
    }
  }

  package func keys() async throws -> [TokenCacheKey] {
    try await sharedState.onQueue { [self] in
      do throws(KeychainStatus) {
        var accounts = try listedAccounts()
        if accounts.isEmpty, try proveOpen() { accounts = try listedAccounts() }
        let keys = accounts.compactMap(TokenCacheKey.init(canonicalText:))
        memory.keepCopies(of: keys)
        return keys
      } catch {
        throw error.error(.unreadable, "list the token records")
      }
    }
  }

  /// An item that a locked device hides is not served from memory either.
  private var servesCopies: Bool { items.staysOpen && !items.isShared }

  // MARK: Items

  // The functions below block, and run on the queue.

  private func read(_ key: TokenCacheKey) throws(TokenCacheError) -> TokenRecord? {
    let found: Data?
    do throws(KeychainStatus) {
      let account = key.canonicalText
      // What became readable meanwhile is found the second time.
      if let data = try itemData(account) { found = data } else { found = try proveOpen() ? itemData(account) : nil }
    } catch {
      throw error.error(.unreadable, "read a token record")
    }
    guard let found else { return nil }
    do throws(TokenCacheError) {
      let record = try RecordFile.record(in: Array(found), for: key)
      if servesCopies { memory.keep(record, of: key) }
      return record
    } catch {
      guard error.code == .damaged else { throw error }
      throw TokenCacheError(
        .damaged, "A keychain item is not a usable token record: \(error.message).",
        recoverySuggestion: "Sign in again, which replaces it; the other records are not affected.")
    }
  }

  /// Changes an item, or adds it.
  private func put(_ data: Data, _ account: String) throws(KeychainStatus) {
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

  private func itemData(_ account: String) throws(KeychainStatus) -> Data? {
    do throws(KeychainStatus) {
      return try items.data(account)
    } catch {
      guard error == .itemNotFound else { throw error }
      return nil
    }
  }

  private func removeItem(_ account: String) throws(KeychainStatus) -> Bool {
    do throws(KeychainStatus) {
      try items.remove(account)
      return true
    } catch {
      guard error == .itemNotFound else { throw error }
      return false
    }
  }

  private func listedAccounts() throws(KeychainStatus) -> [String] {
    do throws(KeychainStatus) {
      return try items.accounts()
    } catch {
      guard error == .itemNotFound else { throw error }
      return []
    }
  }

  // MARK: The proof

  /// Proves that the keychain is open: it takes an item that holds nothing.
  ///
  /// - Returns: Whether it was not known before.
  /// - Throws: The keychain's refusal.
  private func proveOpen() throws(KeychainStatus) -> Bool {
    if items.staysOpen, memory.isProved { return false }
    do {
      try addProbe()
    } catch  where error == .duplicateItem {
      // It was left over; or another process proves the same at this moment.
      _ = try? items.remove(Self.probe)
      do {
        try addProbe()
      } catch  where error == .duplicateItem {}
    }
    // One that stays is removed by the next proof.
    try? items.remove(Self.probe)
    if items.staysOpen { memory.isProved = true }
    return true
  }

  private func addProbe() throws(KeychainStatus) {
    try items.add(Data([0]), account: Self.probe)
  }
}
