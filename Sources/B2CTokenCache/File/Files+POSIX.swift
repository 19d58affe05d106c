#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#endif

#if !canImport(Darwin)
  package import Foundation

  /// The directory of a file cache when none is given: below the XDG state directory.
  package enum DefaultDirectory {
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
  }

  extension FileStatus {
    init(_ status: stat) {
      self.init(
        kind: Kind(rawValue: UInt32(status.st_mode) & UInt32(S_IFMT)), mode: UInt32(status.st_mode) & 0o7777,
        owner: UInt32(status.st_uid),
        stamp: FileStamp(
          device: UInt64(status.st_dev), file: UInt64(status.st_ino), size: Int64(status.st_size),
          seconds: status.st_ctim.tv_sec, nanoseconds: status.st_ctim.tv_nsec))
    }
  }

  func flushToDevice(_ descriptor: Int32) -> Int32 {
    fsync(descriptor)
  }
#endif
