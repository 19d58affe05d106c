internal import B2CCore
package import B2CTokenCache
package import Foundation

/// The keychain's calls over a dictionary, answering as the system does; any call can be made to fail.
package final class DictionaryKeychain: KeychainItems {
  private let items: Locked<[String: Data]>
  private let answer = Locked<KeychainStatus?>(nil)

  package init(_ contents: [String: Data] = [:]) {
    items = Locked(contents)
  }

  /// The data of each account.
  package var contents: [String: Data] { items.withLock { $0 } }

  package func fail(with status: KeychainStatus?) {
    answer.withLock { $0 = status }
  }

  /// What another process does while this one looks away.
  package func plant(_ data: Data, account: String) {
    items.withLock { $0[account] = data }
  }

  package func add(_ data: Data, account: String) throws(KeychainStatus) {
    try refuse()
    let isNew = items.withLock { items in
      guard items[account] == nil else { return false }
      items[account] = data
      return true
    }
    if !isNew { throw .duplicateItem }
  }

  package func update(_ data: Data, account: String) throws(KeychainStatus) {
    try refuse()
    let isThere = items.withLock { items in
      guard items[account] != nil else { return false }
      items[account] = data
      return true
    }
    if !isThere { throw .itemNotFound }
  }

  package func data(account: String) throws(KeychainStatus) -> Data {
    try refuse()
    guard let data = items.withLock({ $0[account] }) else { throw .itemNotFound }
    return data
  }

  package func remove(account: String) throws(KeychainStatus) {
    try refuse()
    guard items.withLock({ $0.removeValue(forKey: account) }) != nil else { throw .itemNotFound }
  }

  package func accounts() throws(KeychainStatus) -> [String] {
    try refuse()
    let accounts = items.withLock { Array($0.keys) }
    if accounts.isEmpty { throw .itemNotFound }
    return accounts
  }

  private func refuse() throws(KeychainStatus) {
    if let status = answer.withLock({ $0 }) { throw status }
  }
}
