package import B2CCore

/// An `OSStatus` of the keychain other than success.
package struct KeychainStatus: Error, RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

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

  /// Returns the cache's error, which says which action the keychain refused and what helps.
  package func cacheError(_ action: String) -> ConnectorError {
    let reason: String
    var fix: String?
    switch self {
    // This is also the status for a Mac app that is "signed to run locally", which has no team and no profile (Apple's
    // technical note TN3137).
    case .missingEntitlement:
      reason = "the app has no entitlement for it, or is not signed"
      fix =
        "Sign the app. Add an access group under Keychain Sharing, written <team id>.<group>. A Mac app needs a "
        + "team and Keychain Sharing with any group. Unsigned builds and programs run from the package have no data "
        + "protection keychain: use `.files()` there."
    case .interactionNotAllowed:
      reason = "the device is locked, or no user can be asked"
      fix = "Try again after the device was unlocked. After a restart, one unlock is enough to read tokens."
    case .authenticationFailed, .userCanceled:
      reason = "the user did not allow it, or the device has no passcode"
      fix = "Try again and allow the app to use its keychain item."
    case .notAvailable:
      reason = "there is no keychain, or the device has no passcode"
      fix = "Use `.files()` in a service without a user session, which has no keychain."
    case .undecodable:
      reason = "the item cannot be decrypted"
      fix = "Sign in again, because the item comes from another device."
    default: reason = "the system's list of result codes explains it"
    }
    return ConnectorError(
      own: .tokenCache, "The keychain refused to \(action): \(reason) (OSStatus \(rawValue)).",
      recoverySuggestion: fix, isRetryable: self == .interactionNotAllowed, underlying: self)
  }
}
