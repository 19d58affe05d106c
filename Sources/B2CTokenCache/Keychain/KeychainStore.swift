internal import B2CCore
internal import Foundation

/// The keychain as the place of a cache, without the keychain itself.
///
/// "Not found" is believed only of a keychain that is known to be open: since iOS 15 a locked one says the same before the
/// first unlock. Calls block, and run on the queue of the cache, one at a time.
package struct KeychainStore: RecordStorage {
  /// The account of the item that proves a keychain open; it holds nothing.
  private static let probe = "B2CConnector.probe"

  private let items: any KeychainItems
  /// Items stay readable from the first unlock on, so one proof is enough.
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
      // If there is an item by the time of the second call, another process was first.
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

  /// The account of an item names its key, so none is without one.
  package func removeDamaged(alsoNewer: Bool) {}

  package func name(of key: TokenCacheKey) -> String { "A keychain item" }

  package func takeLock(_ purpose: LockPurpose, _ key: TokenCacheKey) -> LockRelease? { {} }

  /// Asks the keychain about items; `nil` when it knows none, and is known to be open.
  private func askKeychain<Answer>(to action: String, _ call: () throws(KeychainStatus) -> Answer) throws -> Answer? {
    do throws(KeychainStatus) {
      if let answer = try unless(.itemNotFound, call) { return answer }
      // The device may have been unlocked meanwhile, and the second call then finds the item.
      return try proveOpen() ? unless(.itemNotFound, call) : nil
    } catch {
      throw error.cacheError(action)
    }
  }

  /// Makes a call; `nil` when the keychain refuses it for the given reason.
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

  /// Proves that the keychain is open: it takes an item that holds nothing.
  ///
  /// - Returns: Whether it was not known before.
  /// - Throws: The keychain's refusal.
  private func proveOpen() throws(KeychainStatus) -> Bool {
    if isProved.withLock({ $0 }) { return false }
    if try unless(.duplicateItem, addProbe) == nil {
      // It was left over; or another process proves the same at this moment.
      _ = try? items.remove(Self.probe)
      _ = try unless(.duplicateItem, addProbe)
    }
    // If this fails, the next proof removes the item.
    try? items.remove(Self.probe)
    isProved.withLock { $0 = true }
    return true
  }

  private func addProbe() throws(KeychainStatus) { try items.add(Data([0]), account: Self.probe) }
}
