package import B2CCore
package import Foundation

/// The calls made on the keychain, for the generic-password items of one service.
///
/// The system's keychain implements them in an app, a dictionary in a test.
package protocol KeychainItems: Sendable {
  /// The store that the items are in, for which all caches over it share their locks.
  var store: KeychainStore { get }

  /// Adds an item; `duplicateItem` when there is one of this account.
  func add(_ data: Data, account: String) throws(KeychainStatus)

  /// Changes the data of an item; `itemNotFound` when there is none.
  func update(_ data: Data, account: String) throws(KeychainStatus)

  /// Returns an item's data; `itemNotFound` when there is none.
  func data(account: String) throws(KeychainStatus) -> Data

  /// Removes an item; `itemNotFound` when there is none.
  func remove(account: String) throws(KeychainStatus)

  /// Returns the accounts of all items; `itemNotFound` when there are none.
  func accounts() throws(KeychainStatus) -> [String]
}

extension KeychainItems where Self: AnyObject {
  /// A keychain in memory is known by its identity.
  package var store: KeychainStore { .object(ObjectIdentifier(self)) }
}

/// The identity of a keychain store.
package enum KeychainStore: Sendable {
  /// The items of a service in an access group of the system's keychain.
  case system(service: String, group: String?)
  /// A keychain in memory.
  case object(ObjectIdentifier)
}

/// A result of the keychain other than success (`OSStatus`).
package struct KeychainStatus: Error, RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The system's `errSecItemNotFound`.
  package static let itemNotFound = KeychainStatus(rawValue: -25300)
  /// The system's `errSecDuplicateItem`.
  package static let duplicateItem = KeychainStatus(rawValue: -25299)
  /// The system's `errSecInteractionNotAllowed`.
  package static let interactionNotAllowed = KeychainStatus(rawValue: -25308)
  /// The system's `errSecMissingEntitlement`.
  package static let missingEntitlement = KeychainStatus(rawValue: -34018)
  /// The system's `errSecAuthFailed`.
  package static let authenticationFailed = KeychainStatus(rawValue: -25293)
  /// The system's `errSecUserCanceled`.
  package static let userCanceled = KeychainStatus(rawValue: -128)
  /// The system's `errSecNotAvailable`.
  package static let notAvailable = KeychainStatus(rawValue: -25291)
  /// The system's `errSecDecode`.
  package static let undecodable = KeychainStatus(rawValue: -26275)

  /// The cache's error: with the given code unless the status has its own, and with the call that failed.
  package func error(
    _ code: TokenCacheError.Code, _ action: String, on system: HostSystem = .current
  ) -> TokenCacheError {
    let explanation = explanation(on: system)
    return TokenCacheError(
      self == .missingEntitlement ? .missingEntitlement : code,
      "The keychain refused to \(action): \(explanation.reason) (OSStatus \(rawValue)).",
      recoverySuggestion: explanation.fix, underlying: self)
  }

  private func explanation(on system: HostSystem) -> (reason: String, fix: String?) {
    switch self {
    // An app that is signed to run locally has neither a team nor a profile (Apple's technical note TN3137).
    case .missingEntitlement where system == .mac:
      (
        "the app has no entitlement for it, or is not signed",
        "Choose a team and add Keychain Sharing, with any group, under Signing & Capabilities: without it a Mac app has no "
          + "data protection keychain. Or use FileTokenCache, as programs run from the package and unsigned builds do."
      )
    case .missingEntitlement:
      (
        "the app has no entitlement for it, or is not signed",
        "Sign the app; with an access group, add it under Keychain Sharing, written <team id>.<group>. Programs run "
          + "from the package and unsigned builds have no data protection keychain: use FileTokenCache there."
      )
    case .interactionNotAllowed:
      (
        "the device is locked, or no user can be asked",
        "Try again after the device has been unlocked; tokens are readable from the first unlock after a restart."
      )
    case .notAvailable where system == .device, .authenticationFailed where system == .device:
      (
        "it cannot protect the item, as on a device without a passcode",
        "KeychainAccessibility.whenPasscodeSet needs a passcode: let the user set one, or use another accessibility."
      )
    case .authenticationFailed, .userCanceled:
      ("the user did not allow it", "Try again and allow the app to use its keychain item.")
    case .notAvailable:
      ("there is no keychain", "Services without a user session have none: use FileTokenCache there.")
    case .undecodable:
      ("the item cannot be decrypted", "The item comes from another device; sign in again.")
    default:
      ("see the system's list of result codes", nil)
    }
  }
}

/// A token cache over keychain items, one for each record, without the keychain itself.
package struct KeychainRecords: TokenCache, StoreIdentifying {
  private let items: any KeychainItems
  /// The state of every cache over the same service and group.
  package let sharedState: CacheState

  /// The system encrypts keychain items.
  package var isEncrypted: Bool { true }

  package init(_ items: any KeychainItems) {
    self.items = items
    sharedState =
      switch items.store {
      case .system(let service, let group): CacheRegistry.state(of: .keychain(service: service, group: group))
      case .object(let id): CacheRegistry.state(of: .object(id))
      }
  }

  package func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    let data: Data
    do throws(KeychainStatus) {
      data = try items.data(account: key.canonicalText)
    } catch {
      if error == .itemNotFound { return nil }
      throw error.error(.unreadable, "read a token record")
    }
    do throws(TokenCacheError) {
      return try RecordFile.record(in: Array(data), for: key)
    } catch {
      guard error.code == .damaged else { throw error }
      throw TokenCacheError(
        .damaged, "A keychain item is not a usable token record: \(error.message).",
        recoverySuggestion: "Sign in again, which replaces it; the other records are not affected.")
    }
  }

  package func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    let data = Data(try RecordFile(record, for: key).bytes())
    do {
      // A newer version's record is not replaced; a damaged one is.
      _ = try await self.record(for: key)
    } catch let error as TokenCacheError where error.code == .damaged {}
    do throws(KeychainStatus) {
      try put(data, account: key.canonicalText)
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

  private func put(_ data: Data, account: String) throws(KeychainStatus) {
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
}

/// An encryption key in one keychain item, without the keychain itself.
package struct StoredKeychainKey: EncryptionKeySource {
  private static let account = "encryption-key"
  private let items: any KeychainItems

  package init(_ items: any KeychainItems) {
    self.items = items
  }

  package func encryptionKey() async throws -> EncryptionKey {
    if let key = try read() { return key }
    do throws(KeychainStatus) {
      try items.add(StoredEncryptionKey.data(of: .random()), account: Self.account)
    } catch {
      // Another process was first: its key counts, or records would be sealed with a key that is lost.
      guard error == .duplicateItem else { throw error.error(.encryptionUnavailable, "keep an encryption key") }
    }
    if let key = try read() { return key }
    throw TokenCacheError(.encryptionUnavailable, "The keychain has not kept the encryption key.")
  }

  private func read() throws -> EncryptionKey? {
    let data: Data
    do throws(KeychainStatus) {
      data = try items.data(account: Self.account)
    } catch {
      if error == .itemNotFound { return nil }
      throw error.error(.encryptionUnavailable, "read the encryption key")
    }
    return try StoredEncryptionKey.key(in: data, from: "The keychain item")
  }
}

extension KeychainRecords: InspectableTokenCache {
  /// Not the text of a key, so that the item is never listed as a record.
  private static let probe = "write-probe"

  /// Adds an item and removes it.
  package func proveWritable() async throws {
    do throws(KeychainStatus) {
      do {
        try items.add(Data(), account: Self.probe)
      } catch  where error == .duplicateItem {
        // Left by a process that ended in between: the keychain was open then, and removing it shows that it is now.
      }
      try items.remove(account: Self.probe)
    } catch {
      // Another process removed it first.
      if error != .itemNotFound { throw error.error(.unwritable, "add and remove an item") }
    }
  }
}
