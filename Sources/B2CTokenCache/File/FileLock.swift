/// A lock on a file that lives as long as its descriptor: the system releases it even when the process is killed.
///
/// `flock` belongs to the open file and not to the process, so it also keeps two callers of one process apart.
package enum FileLock {
  #if (os(iOS) && !targetEnvironment(macCatalyst)) || os(tvOS) || os(watchOS) || os(visionOS)
    /// Not on this system: it kills an app that is suspended while it holds a lock in a directory that others share.
    package static let isUsed = false
  #else
    /// Whether processes lock a directory against each other on this system.
    package static let isUsed = true
  #endif

  /// Takes a lock without waiting, and returns the call that releases it; `nil` while another holds it.
  ///
  /// The file is created when it is not there. It is never removed: two processes could then hold "the same" lock on
  /// different files.
  static func takeIfFree(_ path: String, _ files: any FileSystem) throws(SystemFailure) -> LockRelease? {
    while true {
      let descriptor = try files.open(path, .locking)
      var isHeld = false
      defer { if !isHeld { files.close(descriptor) } }
      guard try files.lockIfFree(descriptor, at: path) else { return nil }
      // A cleaner may have removed the file since it was opened; then this lock excludes no other caller.
      let held = try files.status(of: descriptor, at: path).stamp
      isHeld = try files.status(of: path)?.stamp.isSameFile(as: held) == true
      if isHeld { return { files.close(descriptor) } }
    }
  }
}
