/// A lock on a file that lives as long as its descriptor: the system lets it go even when the process is killed.
///
/// `flock` belongs to the open file and not to the process, so it also keeps two callers of one process apart.
struct FileLock: Sendable {
  private let descriptor: Int32

  /// Takes a lock without waiting; `nil` while another holds it.
  ///
  /// The file is made when it is not there. It is never removed: two processes could then hold "the same" lock on
  /// different files.
  static func takeIfFree(_ path: String) throws(SystemFailure) -> FileLock? {
    while true {
      let descriptor = try SystemCalls.openFile(path, for: .locking)
      do throws(SystemFailure) {
        guard try SystemCalls.lockIfFree(descriptor, at: path) else {
          SystemCalls.closeFile(descriptor)
          return nil
        }
        // Somebody may have removed the file all the same; then this lock keeps nobody out.
        let held = try SystemCalls.status(of: descriptor, at: path).stamp
        if let current = try SystemCalls.status(of: path)?.stamp, current.file == held.file,
          current.device == held.device
        {
          return FileLock(descriptor: descriptor)
        }
        SystemCalls.closeFile(descriptor)
      } catch {
        SystemCalls.closeFile(descriptor)
        throw error
      }
    }
  }

  /// Lets the lock go; to be called once.
  func release() {
    SystemCalls.closeFile(descriptor)
  }
}
