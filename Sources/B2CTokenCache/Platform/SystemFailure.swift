#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#endif

/// A call to the operating system that failed: which, on what, and the system's number for it.
struct SystemFailure: Error, CustomStringConvertible {
  let call: String
  let path: String
  let code: Int32

  init(_ call: String, _ path: String, _ code: Int32) {
    self.call = call
    self.path = path
    self.code = code
  }

  /// Nothing stands at the path, or one of its folders is missing; a file where a folder should be is another matter.
  var isMissing: Bool { code == ENOENT }
  /// The path ends in a symbolic link where none is allowed.
  var isSymbolicLink: Bool { code == ELOOP || code == EMLINK }
  var isTaken: Bool { code == EEXIST }
  var isDenied: Bool { code == EACCES || code == EPERM || code == EROFS }
  var isFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

  /// The call, the path and the system's words for the failure.
  var description: String {
    "\(call) \(path): \(String(cString: strerror(code))) (\(code))"
  }
}
