/// Reads and replaces whole files, so that a reader sees the old or the new content, also after a kill.
struct AtomicFile: Sendable {
  let path: String
  let files: any FileSystem

  /// What is at the path.
  enum Content {
    case bytes([UInt8], FileStatus)
    case missing
    /// Something else than a file; the text says what.
    case notAFile(String)
  }

  /// Reads the file without following a symbolic link; the bytes are longer than the limit by one when the file is.
  func read(limit: Int) throws(SystemFailure) -> Content {
    let descriptor: Int32
    do throws(SystemFailure) {
      descriptor = try files.open(path, .reading)
    } catch {
      if error.isMissing { return .missing }
      if error.isSymbolicLink { return .notAFile("it is a symbolic link") }
      throw error
    }
    defer { files.close(descriptor) }
    let status = try files.status(of: descriptor, at: path)
    guard status.kind == .regularFile else { return .notAFile("it is not a regular file") }
    return .bytes(try files.read(descriptor, at: path, limit: limit), status)
  }

  /// Writes and flushes a new file, 0600 from its first byte, renames it over the old one and flushes the directory.
  ///
  /// The caller holds a lock that keeps others from using the same temporary name.
  func replace(with bytes: [UInt8], through temporary: String) throws(SystemFailure) {
    try write(bytes, to: temporary) { () throws(SystemFailure) in try files.move(temporary, to: path) }
    // Every reader sees the new content now: an error would say that the old one stayed. Only a power cut may bring it back.
    try? synchronizeDirectory()
  }

  /// Writes and flushes a new file as ``replace(with:through:)`` does, and removes it again.
  ///
  /// The caller holds a lock that keeps others from using the same temporary name.
  static func rehearse(
    with bytes: [UInt8], through temporary: String, _ files: any FileSystem
  ) throws(SystemFailure) {
    let file = AtomicFile(path: temporary, files: files)
    try file.write(bytes, to: temporary) { () throws(SystemFailure) in _ = try files.remove(temporary) }
  }

  /// Puts a new file in place if there is none, complete from the first moment; returns whether it was put there.
  func create(with bytes: [UInt8], through temporary: String) throws(SystemFailure) -> Bool {
    do throws(SystemFailure) {
      try write(bytes, to: temporary) { () throws(SystemFailure) in try files.link(temporary, to: path) }
    } catch {
      guard error.isTaken else { throw error }
      return false
    }
    _ = try files.remove(temporary)
    try synchronizeDirectory()
    return true
  }

  /// Waits until the entries of the file's directory are on the device.
  func synchronizeDirectory() throws(SystemFailure) {
    try Self.synchronize(directory: Self.parent(of: path), files)
  }

  static func synchronize(directory: String, _ files: any FileSystem) throws(SystemFailure) {
    // The directory may be given by a symbolic link, which the checks of its path have allowed.
    let descriptor = try files.open(directory + "/.", .directory)
    defer { files.close(descriptor) }
    try files.synchronize(descriptor, at: directory)
  }

  /// Makes the name of a temporary file free; the caller holds the lock.
  ///
  /// A file was left by a writer that was killed: one that lives would hold the lock. A directory is not of this cache: it is
  /// renamed.
  static func clear(_ temporary: String, _ files: any FileSystem) throws(SystemFailure) {
    do throws(SystemFailure) {
      _ = try files.remove(temporary)
    } catch {
      guard try files.status(of: temporary)?.kind == .directory else { throw error }
      var number = 1
      while try files.status(of: "\(temporary).damaged-\(number)") != nil { number += 1 }
      try files.move(temporary, to: "\(temporary).damaged-\(number)")
    }
  }

  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// Writes and flushes the temporary file and puts it in place; when that fails, the temporary file is removed.
  private func write(
    _ bytes: [UInt8], to temporary: String, _ putInPlace: () throws(SystemFailure) -> Void
  ) throws(SystemFailure) {
    try Self.clear(temporary, files)
    let descriptor = try files.open(temporary, .creating)
    do throws(SystemFailure) {
      defer { files.close(descriptor) }
      // A umask can only have taken bits away; the owner's are given back.
      try files.setMode(0o600, of: descriptor, at: temporary)
      try files.write(bytes, to: descriptor, at: temporary)
      try files.synchronize(descriptor, at: temporary)
      try putInPlace()
    } catch {
      _ = try? files.remove(temporary)
      throw error
    }
  }
}

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
