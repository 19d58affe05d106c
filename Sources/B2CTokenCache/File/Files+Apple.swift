#if canImport(Darwin)
  internal import B2CCore
  internal import Darwin
  internal import Foundation

  /// The directory of a file cache on Apple's systems when none is given.
  enum DefaultDirectory {
    static func location() throws -> URL {
      #if os(tvOS)
        // The simulator would allow it, and the app would then fail on every device.
        throw ConnectorError(
          own: .tokenCache, "An Apple TV gives an app no directory that keeps files: Application Support is read-only.",
          recoverySuggestion: "Use .keychain(), which is the default.")
      #else
        let name = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        return URL.applicationSupportDirectory.appendingPathComponent(name + "/B2CConnector/Tokens", isDirectory: true)
      #endif
    }

    /// Keeps the directory out of backups, which are read on other machines, and locked until the first unlock.
    ///
    /// Not every volume can do this; the permissions hold in any case.
    static func protect(_ directory: URL) {
      var directory = directory
      var values = URLResourceValues()
      values.isExcludedFromBackup = true
      try? directory.setResourceValues(values)
      try? FileManager.default.setAttributes(
        [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: directory.path)
    }

    /// Resolves symbolic links and takes the name as the volume spells it, since most volumes ignore case.
    static func canonicalPath(_ path: String) -> [UInt8] {
      let resolved = URL(fileURLWithPath: path, isDirectory: true).resolvingSymlinksInPath()
      let canonical = try? resolved.resourceValues(forKeys: [.canonicalPathKey]).canonicalPath
      return Array((canonical ?? resolved.path).utf8)
    }
  }

  extension FileStatus {
    init(_ status: stat) {
      self.init(
        kind: Kind(rawValue: UInt32(status.st_mode & S_IFMT)), mode: UInt32(status.st_mode & 0o7777),
        owner: status.st_uid,
        stamp: FileStamp(
          device: UInt64(bitPattern: Int64(status.st_dev)), file: UInt64(status.st_ino), size: Int64(status.st_size),
          seconds: status.st_ctimespec.tv_sec, nanoseconds: status.st_ctimespec.tv_nsec))
    }
  }

  /// On Apple's systems `fsync` leaves the data in the drive's own memory; this asks the drive to write it too.
  func flushToDevice(_ descriptor: Int32) -> Int32 {
    let result = fcntl(descriptor, F_FULLFSYNC)
    // Network and some external volumes do not know the call.
    return result >= 0 ? result : fsync(descriptor)
  }
#endif
