internal import B2CCore
package import Foundation

/// The directory of a file cache when none is given: in Application Support on Apple's systems, elsewhere below the XDG
/// state directory.
package enum DefaultDirectory {
  #if canImport(Darwin)
    package static func location() throws -> URL {
      #if os(tvOS)
        // The simulator would allow it, and the app would then fail on every device.
        throw ConnectorError(
          own: .tokenCache, "An Apple TV has no directory for permanent files of an app.",
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
  #else
    static func location() throws -> URL {
      location(environment: ProcessInfo.processInfo.environment, home: NSHomeDirectory())
    }

    /// XDG Base Directory: a relative path in the variable is to be ignored.
    package static func location(environment: [String: String], home: String) -> URL {
      let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/state"
      return URL(fileURLWithPath: state + "/b2cconnector/tokens", isDirectory: true)
    }

    /// Permissions are all the protection there is.
    static func protect(_: URL) {}

    /// Resolves symbolic links; a path's bytes are its identity here.
    static func canonicalPath(_ path: String) -> [UInt8] {
      guard let resolved = realpath(path, nil) else { return Array(path.utf8) }
      defer { free(resolved) }
      return Array(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
    }
  #endif
}
