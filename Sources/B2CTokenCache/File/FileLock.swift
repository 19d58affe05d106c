/// A lock on a file, which the system releases when its descriptor is closed, even if the process is killed.
///
/// `flock` locks belong to the open file and not to the process, so they also keep two callers in one process apart.
package enum FileLock {
  #if (os(iOS) && !targetEnvironment(macCatalyst)) || os(tvOS) || os(watchOS) || os(visionOS)
    /// Whether processes lock files here, which they do not, because this system kills an app that is suspended while
    /// it holds a lock in a directory that it shares with extensions.
    package static let isUsed = false
  #else
    /// Whether processes lock the files of a directory against each other on this system.
    package static let isUsed = true
  #endif

  /// Takes a lock without waiting and returns the call that releases it, or `nil` if another caller holds the lock.
  ///
  /// The file is created if there is none, and it is never removed, because two processes could then hold locks on two
  /// different files of the same name.
  static func takeIfFree(_ path: String, _ files: any FileSystem) throws(SystemFailure) -> LockRelease? {
    while true {
      let descriptor = try files.open(path, .locking)
      var isHeld = false
      defer { if !isHeld { files.close(descriptor) } }
      guard try files.lockIfFree(descriptor, at: path) else { return nil }
      // Another program may have removed the file since it was opened, and a lock on it is useless then, so try again.
      let held = try files.status(of: descriptor, at: path).stamp
      isHeld = try files.status(of: path)?.stamp.isSameFile(as: held) == true
      if isHeld { return { files.close(descriptor) } }
    }
  }
}
