internal import B2CCore
internal import Foundation

/// The storage of a cache in the keychain, without the calls to the system's keychain.
///
/// Since iOS 15, a keychain that is locked before the first unlock reports "not found" for existing items. So "not
/// found" is believed only if the keychain is known to be open. The calls block, and run one at a time on the cache's
/// queue.
package struct KeychainStore: RecordStorage {
  /// The account of an empty item, which is added and removed to prove that the keychain is open.
  private static let probe = "B2CConnector.probe"

  private let items: any KeychainItems
  /// Whether the keychain is known to be open, which is proved once because it stays open after the first unlock.
  private let isProved = Locked(false)

  package init(_ items: any KeychainItems) { self.items = items }

  package var isOwn: Bool { !items.isShared }

  package func read(_ key: TokenCacheKey) throws -> (bytes: [UInt8], stamp: FileStamp?)? {
    let account = key.canonicalText
    let data = try askKeychain(to: "read a token record") { () throws(KeychainStatus) in try items.data(account) }
    return data.map { (Array($0), nil) }
  }

  package func stamp(of key: TokenCacheKey) -> FileStamp? { nil }

  package func write(_ bytes: [UInt8], for key: TokenCacheKey) throws {
    let (data, account) = (Data(bytes), key.canonicalText)
    let update: () throws(KeychainStatus) -> Void = { try items.update(data, account: account) }
    let add: () throws(KeychainStatus) -> Void = { try items.add(data, account: account) }
    do throws(KeychainStatus) {
      // Try to update the item, then to add it. If both fail, another process added it in between, so update it.
      if try unless(.itemNotFound, update) == nil, try unless(.duplicateItem, add) == nil { try update() }
    } catch {
      throw error.cacheError("write a token record")
    }
  }

  package func remove(_ key: TokenCacheKey) throws {
    let account = key.canonicalText
    _ = try askKeychain(to: "remove a token record") { () throws(KeychainStatus) in try items.remove(account) }
  }

  package func keys() throws -> (keys: [TokenCacheKey], failures: [ConnectorError]) {
    let accounts = try askKeychain(to: "list the token records") { () throws(KeychainStatus) in try items.accounts() }
    return ((accounts ?? []).compactMap(TokenCacheKey.init(canonicalText:)), [])
  }

  /// Does nothing, because the account of an item is its key, so each item has a key.
  package func removeDamaged(alsoNewer: Bool) {}

  package func name(of key: TokenCacheKey) -> String { "A keychain item" }

  package func takeLock(_ purpose: LockPurpose, _ key: TokenCacheKey) -> LockRelease? { {} }

  /// Asks the keychain about items, and returns `nil` if it has none and is known to be open.
  private func askKeychain<Answer>(to action: String, _ call: () throws(KeychainStatus) -> Answer) throws -> Answer? {
    do throws(KeychainStatus) {
      if let answer = try unless(.itemNotFound, call) { return answer }
      // A locked keychain also reports "not found". If it had to be proved open, the device may have been unlocked after
      // the first call, so ask again.
      return try proveOpen() ? unless(.itemNotFound, call) : nil
    } catch {
      throw error.cacheError(action)
    }
  }

  /// Makes a call, and returns `nil` if the keychain refuses it with the given status.
  private func unless<Answer>(
    _ reason: KeychainStatus, _ call: () throws(KeychainStatus) -> Answer
  ) throws(KeychainStatus) -> Answer? {
    do throws(KeychainStatus) {
      return try call()
    } catch {
      guard error == reason else { throw error }
      return nil
    }
  }

  // MARK: The proof

  /// Proves that the keychain is open by adding an empty item, which a locked keychain refuses.
  ///
  /// - Returns: Whether the proof was new.
  /// - Throws: The status with which the keychain refused the item.
  private func proveOpen() throws(KeychainStatus) -> Bool {
    if isProved.withLock({ $0 }) { return false }
    if try unless(.duplicateItem, addProbe) == nil {
      // The item is left from an earlier proof that was interrupted, or another process makes the same proof right now.
      _ = try? items.remove(Self.probe)
      _ = try unless(.duplicateItem, addProbe)
    }
    // If this fails, the item stays, and the next proof removes it.
    try? items.remove(Self.probe)
    isProved.withLock { $0 = true }
    return true
  }

  private func addProbe() throws(KeychainStatus) { try items.add(Data([0]), account: Self.probe) }
}
