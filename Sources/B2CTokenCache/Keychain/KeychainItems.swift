package import Foundation

/// The calls made on the keychain, for the generic-password items of one service and group.
///
/// The system's keychain implements them in an app, a dictionary in a test.
package protocol KeychainItems: Sendable {
  /// Whether other processes may change the items: those of a named group, and all that an extension sees.
  var isShared: Bool { get }

  /// Adds an item; `duplicateItem` when there is one of this account.
  func add(_ data: Data, account: String) throws(KeychainStatus)

  /// Replaces the data of an item; `itemNotFound` when there is none.
  func update(_ data: Data, account: String) throws(KeychainStatus)

  /// Returns the data of an item; `itemNotFound` when there is none.
  func data(_ account: String) throws(KeychainStatus) -> Data

  /// Removes an item; `itemNotFound` when there is none.
  func remove(_ account: String) throws(KeychainStatus)

  /// Returns the accounts of all items; `itemNotFound` when there are none.
  func accounts() throws(KeychainStatus) -> [String]
}
