package import Foundation

/// The calls made on the keychain, for the generic-password items of one service and group.
///
/// The system's keychain implements them in an app, a dictionary in a test.
package protocol KeychainItems: Sendable {
  /// The identity of the items: all caches over the same ones share their state.
  var place: KeychainPlace { get }
  /// Whether items stay readable until the next restart once they were: those for after the first unlock.
  var staysOpen: Bool { get }
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

extension KeychainItems where Self: AnyObject {
  /// A keychain in memory is known by its identity.
  package var place: KeychainPlace { .object(ObjectIdentifier(self)) }
}

/// The identity of keychain items.
package enum KeychainPlace: Hashable, Sendable {
  /// The items of a service in the system's keychain, in a group if one is named.
  case system(service: String, group: String?)
  /// A keychain in memory.
  case object(ObjectIdentifier)
}
