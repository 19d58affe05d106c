package import Foundation

/// The calls to the keychain, for the generic-password items of one service and access group.
///
/// In an app the system's keychain implements them, and in a test a dictionary does.
package protocol KeychainItems: Sendable {
  /// Whether other processes may change the items, which is so in a named access group and in an app extension.
  var isShared: Bool { get }

  /// Adds an item, or throws `duplicateItem` if the account already has one.
  func add(_ data: Data, account: String) throws(KeychainStatus)

  /// Replaces the data of an item, or throws `itemNotFound` if there is none.
  func update(_ data: Data, account: String) throws(KeychainStatus)

  /// Returns the data of an item, or throws `itemNotFound` if there is none.
  func data(_ account: String) throws(KeychainStatus) -> Data

  /// Removes an item, or throws `itemNotFound` if there is none.
  func remove(_ account: String) throws(KeychainStatus)

  /// Returns the accounts of all items, or throws `itemNotFound` if there are none.
  func accounts() throws(KeychainStatus) -> [String]
}
