package import B2CCore

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
  /// The system's `errSecNoAccessForItem`.
  package static let noAccessForItem = KeychainStatus(rawValue: -25243)
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
