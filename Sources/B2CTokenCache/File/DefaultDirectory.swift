internal import B2CCore
package import Foundation

/// The default directory of a file cache, in Application Support on Apple platforms, else in the XDG state directory.
package enum DefaultDirectory {
  #if canImport(Darwin)
    package static func location() throws -> URL {
      #if os(tvOS)
        // The simulator would allow the directory, but the app would then fail on every device.
        throw ConnectorError(
          own: .tokenCache, "An Apple TV has no directory for permanent files of an app.",
          recoverySuggestion: "Use .keychain(), which is the default.")
      #else
        let name = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        return URL.applicationSupportDirectory.appendingPathComponent(name + "/B2CConnector/Tokens", isDirectory: true)
      #endif
    }

    /// Excludes the directory from backups, which other machines can read, and encrypts it until the first unlock.
    ///
    /// Errors are ignored, because not every volume supports this, and permissions protect the directory in any case.
    static func protect(_ directory: URL) {
      var directory = directory
      var values = URLResourceValues()
      values.isExcludedFromBackup = true
      try? directory.setResourceValues(values)
      try? FileManager.default.setAttributes(
        [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: directory.path)
    }

    /// Returns the path without symbolic links and in the volume's own spelling, because most volumes ignore case.
    static func canonicalPath(_ path: String) -> [UInt8] {
      let resolved = URL(fileURLWithPath: path, isDirectory: true).resolvingSymlinksInPath()
      let canonical = try? resolved.resourceValues(forKeys: [.canonicalPathKey]).canonicalPath
      return Array((canonical ?? resolved.path).utf8)
    }
  #else
    static func location() throws -> URL {
      location(environment: ProcessInfo.processInfo.environment, home: NSHomeDirectory())
    }

    /// Returns the directory below `XDG_STATE_HOME`, which is ignored if it is a relative path, as the XDG
    /// specification says.
    package static func location(environment: [String: String], home: String) -> URL {
      let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/state"
      return URL(fileURLWithPath: state + "/b2cconnector/tokens", isDirectory: true)
    }

    /// Does nothing, because only the permissions protect a directory on this system.
    static func protect(_: URL) {}

    /// Returns the path without symbolic links, whose bytes identify the directory on this system.
    static func canonicalPath(_ path: String) -> [UInt8] {
      guard let resolved = realpath(path, nil) else { return Array(path.utf8) }
      defer { free(resolved) }
      return Array(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
    }
  #endif
}
