/// A lock on a file that lives as long as its descriptor: the system releases it even when the process is killed.
///
/// `flock` belongs to the open file and not to the process, so it also keeps two callers of one process apart.
package struct FileLock: RecordLock {
  private let descriptor: Int32
  private let files: any FileSystem

  /// Takes a lock without waiting; `nil` while another holds it.
  ///
  /// The file is created when it is not there. It is never removed: two processes could then hold "the same" lock on
  /// different files.
  static func takeIfFree(_ path: String, _ files: any FileSystem) throws(SystemFailure) -> FileLock? {
    while true {
      let descriptor = try files.open(path, .locking)
      do throws(SystemFailure) {
        guard try files.lockIfFree(descriptor, at: path) else {
          files.close(descriptor)
          return nil
        }
        // A cleaner may have removed the file since it was opened; then this lock excludes no other caller.
        let held = try files.status(of: descriptor, at: path).stamp
        if let current = try files.status(of: path)?.stamp, current.isSameFile(as: held) {
          return FileLock(descriptor: descriptor, files: files)
        }
        files.close(descriptor)
      } catch {
        files.close(descriptor)
        throw error
      }
    }
  }

  /// Releases the lock; to be called once.
  package func release() {
    files.close(descriptor)
  }
}

/// The pauses between attempts at a lock that another process holds: growing, and partly random so that processes do not
/// try in step.
struct BackOff {
  private static let longest = 5.0
  private var milliseconds = 0.5

  /// Returns the next pause.
  mutating func next() -> Duration {
    let pause = milliseconds * Double.random(in: 0.5...1)
    milliseconds = min(milliseconds * 2, Self.longest)
    return .microseconds(pause * 1000)
  }
}
