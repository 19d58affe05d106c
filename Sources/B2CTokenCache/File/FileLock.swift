/// A lock on a file that lives as long as its descriptor: the system releases it even when the process is killed.
///
/// `flock` belongs to the open file and not to the process, so it also keeps two callers of one process apart.
struct FileLock: Sendable {
  /// No note comes near this; more is not one.
  private static let contentLimit = 256

  private let path: String
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
          return FileLock(path: path, descriptor: descriptor, files: files)
        }
        files.close(descriptor)
      } catch {
        files.close(descriptor)
        throw error
      }
    }
  }

  /// Returns what is in the locked file, to be called once; `nil` when it is empty, as lock files are.
  func content() throws(SystemFailure) -> [UInt8]? {
    guard try files.status(of: descriptor, at: path).stamp.size > 0 else { return nil }
    return try files.read(descriptor, at: path, limit: Self.contentLimit)
  }

  /// Replaces what is in the locked file.
  ///
  /// A kill in between leaves it empty or cut off.
  func replaceContent(with bytes: [UInt8]) throws(SystemFailure) {
    try files.replaceContent(of: descriptor, at: path, with: bytes)
  }

  /// Releases the lock; to be called once.
  func release() {
    files.close(descriptor)
  }
}
