package import Foundation

/// The calls made on the keychain, for the generic-password items of one service.
///
/// The system's keychain implements them in an app, a dictionary in a test.
package protocol KeychainItems: Sendable {
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

  /// The cache's error: with the given code where the status has none of its own, and with what was tried.
  func error(_ code: TokenCacheError.Code, _ action: String) -> TokenCacheError {
    let explanation = explanation
    return TokenCacheError(
      self == .missingEntitlement ? .missingEntitlement : code,
      "The keychain refused to \(action): \(explanation.reason) (OSStatus \(rawValue)).",
      recoverySuggestion: explanation.fix, underlying: self)
  }

  private var explanation: (reason: String, fix: String?) {
    switch self {
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
