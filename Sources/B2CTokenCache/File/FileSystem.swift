internal import B2CCore
internal import Foundation

/// The file system calls of the file cache.
///
/// An app uses ``POSIXFileSystem``. A test puts another one in place, to record the order of the calls, to change the
/// owner of a file, or to act between two of them.
package protocol FileSystem: Sendable {
  /// The user that this process acts as.
  var userID: UInt32 { get }

  /// Opens a file; the descriptor is closed at exec, and a symbolic link as the last part of the path is refused.
  func open(_ path: String, _ opening: FileOpening) throws(SystemFailure) -> Int32

  func close(_ descriptor: Int32)

  /// Returns the status of a path without following a symbolic link; `nil` when nothing is there.
  func status(of path: String) throws(SystemFailure) -> FileStatus?

  func status(of descriptor: Int32, at path: String) throws(SystemFailure) -> FileStatus

  /// Reads up to a limit; the result is longer than the limit by one when the file is.
  func read(_ descriptor: Int32, at path: String, limit: Int) throws(SystemFailure) -> [UInt8]

  func write(_ bytes: [UInt8], to descriptor: Int32, at path: String) throws(SystemFailure)

  func setMode(_ mode: UInt16, of descriptor: Int32, at path: String) throws(SystemFailure)

  /// Waits until a file's content, or a directory's entries, are on the device.
  func synchronize(_ descriptor: Int32, at path: String) throws(SystemFailure)

  /// Renames a file, replacing the one at the target.
  func move(_ source: String, to target: String) throws(SystemFailure)

  /// Removes a name; returns whether there was one.
  func remove(_ path: String) throws(SystemFailure) -> Bool

  /// Creates a directory, 0700; returns whether it was not there before.
  func makeDirectory(_ path: String) throws(SystemFailure) -> Bool

  /// Returns the names in a directory, without `.` and `..`; none when there is no such directory.
  func names(in path: String) throws(SystemFailure) -> [String]

  /// Takes the lock of an open file if it is free; another descriptor, in this process or elsewhere, may hold it.
  func lockIfFree(_ descriptor: Int32, at path: String) throws(SystemFailure) -> Bool
}

/// The ways in which the file cache opens a file.
package enum FileOpening: Sendable {
  case reading
  case directory
  /// A new file, 0600; fails when there is one.
  case creating
  /// A lock file, 0600; created when there is none.
  case locking
}

/// The status of a file: kind, permissions, owner and stamp.
package struct FileStatus: Sendable {
  /// The file type bits of POSIX.
  package enum Kind: UInt32, Sendable {
    case regularFile = 0o100000
    case directory = 0o040000
    case symbolicLink = 0o120000
  }

  /// `nil` for a device, a pipe or a socket.
  package let kind: Kind?
  /// The permission bits, with the sticky bit.
  package var mode: UInt32
  package var owner: UInt32
  package let stamp: FileStamp

  package init(kind: Kind?, mode: UInt32, owner: UInt32, stamp: FileStamp) {
    self.kind = kind
    self.mode = mode
    self.owner = owner
    self.stamp = stamp
  }

  /// The permission bits as `chmod` takes them.
  var octalMode: String { String(mode, radix: 8) }
}

/// Tells one state of a file from another without reading it.
package struct FileStamp: Hashable, Sendable {
  let device: UInt64
  let file: UInt64
  let size: Int64
  /// When content or status changed last, since 1970 by the file system's clock.
  let changed: Duration

  /// Takes the time as the system counts it, with 32 bits on some and 64 on others.
  package init(device: UInt64, file: UInt64, size: Int64, seconds: some BinaryInteger, nanoseconds: some BinaryInteger)
  {
    self.device = device
    self.file = file
    self.size = size
    changed = .seconds(Int64(clamping: seconds)) + .nanoseconds(Int64(clamping: nanoseconds))
  }

  /// Whether a later change is sure to give another stamp.
  ///
  /// A file system counts time in steps of up to 10 ms (some in whole seconds) and reuses the number of a removed file for
  /// the next one, so two states within one step can look alike. Only a stamp that is older than a step is reliable; a
  /// clock that was set back makes stamps look young, which costs a read and nothing else.
  func isSettled(at now: Date) -> Bool {
    now.timeIntervalSince1970 - changed.inSeconds > (changed.components.attoseconds == 0 ? 2 : 0.05)
  }

  /// Whether both stamps are of one file, in whatever state.
  func isSameFile(as other: FileStamp) -> Bool { file == other.file && device == other.device }
}

/// A call to the operating system that failed: the call, the path and the system's error number.
package struct SystemFailure: Error, CustomStringConvertible {
  let call: String
  let path: String
  let code: Int32

  package init(_ call: String, _ path: String, _ code: Int32) {
    self.call = call
    self.path = path
    self.code = code
  }

  /// Nothing is at the path, or one of its directories is missing; a file where a directory should be is another matter.
  var isMissing: Bool { code == ENOENT }
  /// The path ends in a symbolic link where none is allowed.
  var isSymbolicLink: Bool { code == ELOOP || code == EMLINK }

  /// The call, the path and the system's words for the failure.
  package var description: String { "\(call) \(path): \(String(cString: strerror(code))) (\(code))" }

  /// The cache's error: what could not be done, the call that was refused, and what helps.
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
