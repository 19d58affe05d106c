internal import B2CCore
internal import Foundation

/// The calls of the file cache to the file system.
///
/// An app uses ``POSIXFileSystem``. A test can replace it to record the order of the calls, to change the owner of a
/// file, or to act between two calls.
package protocol FileSystem: Sendable {
  /// The id of the user that this process runs as.
  var userID: UInt32 { get }

  /// Opens a file, which child processes do not inherit, and refuses a symbolic link as the last part of the path.
  func open(_ path: String, _ opening: FileOpening) throws(SystemFailure) -> Int32

  func close(_ descriptor: Int32)

  /// Returns the status of a path without following a symbolic link, or `nil` if nothing is there.
  func status(of path: String) throws(SystemFailure) -> FileStatus?

  func status(of descriptor: Int32, at path: String) throws(SystemFailure) -> FileStatus

  /// Reads at most one byte more than the limit, by which the caller sees that the file is larger.
  func read(_ descriptor: Int32, at path: String, limit: Int) throws(SystemFailure) -> [UInt8]

  func write(_ bytes: [UInt8], to descriptor: Int32, at path: String) throws(SystemFailure)

  func setMode(_ mode: UInt16, of descriptor: Int32, at path: String) throws(SystemFailure)

  /// Flushes the content of a file, or the entries of a directory, to the device.
  func synchronize(_ descriptor: Int32, at path: String) throws(SystemFailure)

  /// Renames a file, replacing a file that has the new name.
  func move(_ source: String, to target: String) throws(SystemFailure)

  /// Removes a file, and returns whether there was one.
  func remove(_ path: String) throws(SystemFailure) -> Bool

  /// Creates a directory with mode 0700, and returns whether it did not exist before.
  func makeDirectory(_ path: String) throws(SystemFailure) -> Bool

  /// Returns the names in a directory without `.` and `..`, or none if there is no such directory.
  func names(in path: String) throws(SystemFailure) -> [String]

  /// Takes the lock of an open file, and returns `false` if another descriptor, here or in another process, holds it.
  func lockIfFree(_ descriptor: Int32, at path: String) throws(SystemFailure) -> Bool
}

/// The ways in which the file cache opens a file.
package enum FileOpening: Sendable {
  case reading
  case directory
  /// Creates a new file with mode 0600, and fails if there is one.
  case creating
  /// Opens a lock file, which is created with mode 0600 if there is none.
  case locking
}

/// The kind, permissions and owner of a file, and a stamp that changes with each write.
///
/// The cache compares stamps to notice that another process has replaced a record.
package struct FileStatus: Sendable {
  /// The file type bits of POSIX.
  package enum Kind: UInt32, Sendable {
    case regularFile = 0o100000
    case directory = 0o040000
    case symbolicLink = 0o120000
  }

  /// The kind of file, or `nil` for a device, a pipe or a socket.
  package let kind: Kind?
  /// The permission bits, including the sticky bit.
  package var mode: UInt32
  package var owner: UInt32
  package let stamp: FileStamp

  package init(kind: Kind?, mode: UInt32, owner: UInt32, stamp: FileStamp) {
    self.kind = kind
    self.mode = mode
    self.owner = owner
    self.stamp = stamp
  }

  /// The permission bits in octal, as `chmod` expects them.
  var octalMode: String { String(mode, radix: 8) }
}

/// A value that differs between two states of a file, so that a change is noticed without reading the file.
package struct FileStamp: Hashable, Sendable {
  let device: UInt64
  let file: UInt64
  let size: Int64
  /// The time of the latest change of content or status, since 1970, by the file system's clock.
  let changed: Duration

  /// Creates a stamp from the system's integers, which have 32 bits on some systems and 64 on others.
  package init(device: UInt64, file: UInt64, size: Int64, seconds: some BinaryInteger, nanoseconds: some BinaryInteger)
  {
    self.device = device
    self.file = file
    self.size = size
    changed = .seconds(Int64(clamping: seconds)) + .nanoseconds(Int64(clamping: nanoseconds))
  }

  /// Whether any later change of the file certainly changes the stamp.
  ///
  /// File systems count time in steps of up to 10 ms (some in whole seconds), and they reuse the number of a removed
  /// file, so two states within one step can have the same stamp. A stamp that is older than one step is reliable. If
  /// the clock was set back, a stamp seems younger than it is, which only causes one more read.
  func isSettled(at now: Date) -> Bool {
    now.timeIntervalSince1970 - changed.inSeconds > (changed.components.attoseconds == 0 ? 2 : 0.05)
  }

  /// Whether both stamps belong to the same file, possibly in different states.
  func isSameFile(as other: FileStamp) -> Bool { file == other.file && device == other.device }
}

/// A failed call to the operating system, with its path and error number.
package struct SystemFailure: Error, CustomStringConvertible {
  let call: String
  let path: String
  let code: Int32

  package init(_ call: String, _ path: String, _ code: Int32) {
    self.call = call
    self.path = path
    self.code = code
  }

  /// Whether nothing is at the path, or a directory on the way to it is missing.
  var isMissing: Bool { code == ENOENT }
  /// Whether the path ends in a symbolic link, which is not allowed.
  var isSymbolicLink: Bool { code == ELOOP || code == EMLINK }

  /// The call, the path, and the system's text for the error number.
  package var description: String { "\(call) \(path): \(String(cString: strerror(code))) (\(code))" }

  /// Returns the cache's error, which says what failed on which path and what helps.
  func cacheError(_ what: String, isRetryable: Bool? = nil) -> ConnectorError {
    let fix: String? =
      switch code {
      case ENOSPC, EDQUOT, EFBIG: "Free some space on the device. What was stored before is still there."
      case EACCES, EPERM, EROFS:
        "Give the user that runs this process access to it. What was stored before is still there."
      case _ where isSymbolicLink: "Remove the symbolic link."
      case ENOTDIR: "Use the path of a directory, or move the file away."
      default: nil
      }
    return ConnectorError(
      own: .tokenCache, "\(what): \(self).", recoverySuggestion: fix, isRetryable: isRetryable, underlying: self)
  }
}
