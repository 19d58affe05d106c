/// Reads and replaces whole files, so that a reader sees the old or the new content, also after a kill.
struct AtomicFile: Sendable {
  let path: String
  let files: any FileSystem

  /// The file at the path.
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
