package import Foundation

/// The few calls that are made on the keychain, for the generic-password items of one service.
///
/// The system's keychain stands behind it in an app, a dictionary in a test.
package protocol KeychainItems: Sendable {
  /// Adds an item; `duplicateItem` when there is one of this account.
  func add(_ data: Data, account: String) throws(KeychainStatus)

  /// Changes the data of an item; `itemNotFound` when there is none.
  func update(_ data: Data, account: String) throws(KeychainStatus)

  /// Reads an item's data; `itemNotFound` when there is none.
  func data(account: String) throws(KeychainStatus) -> Data

  /// Removes an item; `itemNotFound` when there is none.
  func remove(account: String) throws(KeychainStatus)

  /// Lists the accounts of all items; `itemNotFound` when there are none.
  func accounts() throws(KeychainStatus) -> [String]
}

extension KeychainItems {
  /// Writes an item, whether or not there is one.
  func put(_ data: Data, account: String) throws(KeychainStatus) {
    do {
      try update(data, account: account)
    } catch  where error == .itemNotFound {
      do {
        try add(data, account: account)
      } catch  where error == .duplicateItem {
        // Another process was quicker.
        try update(data, account: account)
      }
    }
  }
}
