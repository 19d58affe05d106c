internal import Foundation

/// The token cache of an app that supplies none.
enum DefaultCache {
  /// Returns the keychain, or else private files in the user's state directory.
  static func make() throws -> any TokenCache {
    #if canImport(Security)
      StoredTokenCache.keychain()
    #else
      try StoredTokenCache.files()
    #endif
  }
}
