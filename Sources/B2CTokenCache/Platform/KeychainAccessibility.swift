#if canImport(Security)
  internal import Security

  /// When the tokens in the keychain can be read.
  ///
  /// All ways keep the item on this device: it moves to no other, not even through a backup.
  public enum KeychainAccessibility: Sendable, Hashable {
    /// From the first unlock after a restart on; background work needs this.
    case afterFirstUnlock
    /// While the device is unlocked.
    case whenUnlocked
    /// While the device is unlocked, and only as long as it has a passcode.
    case whenPasscodeSet

    var attribute: CFString {
      switch self {
      case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
      case .whenUnlocked: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
      case .whenPasscodeSet: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
      }
    }
  }
#endif
