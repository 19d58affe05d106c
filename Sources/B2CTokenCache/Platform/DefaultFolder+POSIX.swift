#if !canImport(Darwin)
  package import Foundation

  /// Where a file cache goes when nobody says where: the XDG state directory.
  package enum DefaultFolder {
    static func location() throws(TokenCacheError) -> URL {
      location(environment: ProcessInfo.processInfo.environment, home: NSHomeDirectory())
    }

    /// XDG Base Directory: a relative path in the variable is to be ignored.
    package static func location(environment: [String: String], home: String) -> URL {
      let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/state"
      return URL(fileURLWithPath: state + "/b2cconnector/tokens", isDirectory: true)
    }

    /// Permissions are all the protection there is.
    static func protect(_: URL) {}
  }
#endif
