#if canImport(Darwin)
  internal import Foundation

  /// Where a file cache goes on Apple's systems when nobody says where.
  enum DefaultFolder {
    static func location() throws(TokenCacheError) -> URL {
      let name = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
      do {
        return try FileManager.default
          .url(for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
          .appendingPathComponent(name, isDirectory: true)
          .appendingPathComponent("B2CConnector/Tokens", isDirectory: true)
      } catch {
        throw TokenCacheError(
          .unwritable, "Application Support cannot be found or made.",
          recoverySuggestion: "Give the cache a folder of its own.", underlying: error)
      }
    }

    /// Keeps the folder out of backups, which are read on other machines, and locked until the first unlock.
    ///
    /// Not every volume can do this; the permissions stand in any case.
    static func protect(_ folder: URL) {
      var folder = folder
      var values = URLResourceValues()
      values.isExcludedFromBackup = true
      try? folder.setResourceValues(values)
      try? FileManager.default.setAttributes(
        [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: folder.path)
    }
  }
#endif
