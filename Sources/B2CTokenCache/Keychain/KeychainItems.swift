internal import B2CCore
package import Foundation

/// The calls made on the keychain, for the generic-password items of one service.
///
/// The system's keychain implements them in an app, a dictionary in a test. A group of `nil` is the system's: an item is
/// added to the first group of the app's entitlements, and searches and removals go over all of them.
package protocol KeychainItems: Sendable {
  /// The service, which all caches over it share their locks and copies for.
  var service: KeychainService { get }
  /// Whether items stay readable until the next restart once they were: those for after the first unlock.
  var staysOpen: Bool { get }
  /// The protected items beside them; `nil` where the system has none.
  var protected: (any ProtectedKeychainItems)? { get }

  /// Adds an item; `duplicateItem` when there is one of this account in the group.
  ///
  /// - Returns: The group that the item is in.
  func add(_ data: Data, account: String, mark: String, in group: String?) throws(KeychainStatus) -> String

  /// Changes an item; `itemNotFound` when there is none.
  func update(_ account: String, in group: String, to change: KeychainChange) throws(KeychainStatus)

  /// Returns an item with its data; `itemNotFound` when there is none.
  func item(_ account: String, in group: String) throws(KeychainStatus) -> KeychainItem

  /// Returns an item without its data; `itemNotFound` when there is none.
  func attributes(_ account: String, in group: String?) throws(KeychainStatus) -> KeychainAttributes

  /// Removes an item; `itemNotFound` when there is none.
  func remove(_ account: String, in group: String?) throws(KeychainStatus)

  /// Returns all items without their data; `itemNotFound` when there are none.
  func list(in group: String?) throws(KeychainStatus) -> [KeychainAttributes]
}

extension KeychainItems {
  package var protected: (any ProtectedKeychainItems)? { nil }
}

extension KeychainItems where Self: AnyObject {
  /// A keychain in memory is known by its identity.
  package var service: KeychainService { .object(ObjectIdentifier(self)) }
}

/// The identity of the items of a service.
package enum KeychainService: Hashable, Sendable {
  /// A service of the system's keychain.
  case system(String)
  /// A keychain in memory.
  case object(ObjectIdentifier)
}

/// An item without its data.
package struct KeychainAttributes: Sendable {
  package let account: String
  package let group: String
  /// A short text beside the data that says whose the item is; empty for none.
  package let mark: String
  package let modified: Date?

  package init(account: String, group: String, mark: String, modified: Date?) {
    self.account = account
    self.group = group
    self.mark = mark
    self.modified = modified
  }
}

/// An item with its data.
package struct KeychainItem: Sendable {
  package let attributes: KeychainAttributes
  package let data: Data

  package init(attributes: KeychainAttributes, data: Data) {
    self.attributes = attributes
    self.data = data
  }
}

/// New values of an item; what is `nil` stays as it is.
package struct KeychainChange: Sendable {
  package var data: Data?
  package var mark: String?
  /// Another group, which the item moves to in one step.
  package var group: String?

  package init(data: Data? = nil, mark: String? = nil, group: String? = nil) {
    self.data = data
    self.mark = mark
    self.group = group
  }
}

/// The process that uses the keychain.
package struct KeychainProcess: Sendable {
  package var bundleID: String?
  package var isExtension: Bool
  package var now: @Sendable () -> Date

  package init(bundleID: String?, isExtension: Bool = false, now: @escaping @Sendable () -> Date = { Date() }) {
    self.bundleID = bundleID
    self.isExtension = isExtension
    self.now = now
  }

  /// This process.
  package static var current: KeychainProcess {
    KeychainProcess(bundleID: Bundle.main.bundleIdentifier, isExtension: Bundle.main.isAppExtension)
  }

  /// Whether a group is that of this app alone, `<team>.<bundle id>`.
  func isOwn(_ group: String) -> Bool {
    ownGroup(besides: group) == group
  }

  /// The app's own group, by the team that another of its groups begins with.
  func ownGroup(besides group: String) -> String? {
    // An app group begins with no team: `group.<bundle id>` is shared, whatever it is named after.
    guard let bundleID, let team = group.split(separator: ".").first, team != "group" else { return nil }
    return "\(team).\(bundleID)"
  }
}
