/// Reads and replaces whole files, so that a reader sees the old or the new content, also after a kill.
struct AtomicFile: Sendable {
  let path: String
  /// The directory that it is in.
  let directory: String
  let files: any FileSystem

  /// Reads the file without following a symbolic link; `nil` when there is none.
  ///
  /// - Returns: The bytes, which are longer than the limit by one when the file is, and the status.
  /// - Throws: ``DamagedRecord`` when it is something else than a file; ``SystemFailure``.
  func read(limit: Int) throws -> (bytes: [UInt8], status: FileStatus)? {
    let descriptor: Int32
    do throws(SystemFailure) {
      descriptor = try files.open(path, .reading)
    } catch {
      if error.isMissing { return nil }
      if error.isSymbolicLink { throw DamagedRecord(reason: "it is a symbolic link") }
      throw error
    }
    defer { files.close(descriptor) }
    let status = try files.status(of: descriptor, at: path)
    guard status.kind == .regularFile else { throw DamagedRecord(reason: "it is not a regular file") }
    return (try files.read(descriptor, at: path, limit: limit), status)
  }

  /// Writes and flushes a new file, 0600 from its first byte, renames it over the old one and flushes the directory.
  ///
  /// The caller holds a lock that keeps others from using the same temporary name: a file of that name was left by a writer
  /// that was killed. When writing fails, the temporary file is removed.
  func replace(with bytes: [UInt8], through temporary: String) throws(SystemFailure) {
    _ = try files.remove(temporary)
    let descriptor = try files.open(temporary, .creating)
    do throws(SystemFailure) {
      defer { files.close(descriptor) }
      // A umask can only have taken bits away; the owner's are given back.
      try files.setMode(0o600, of: descriptor, at: temporary)
      try files.write(bytes, to: descriptor, at: temporary)
      try files.synchronize(descriptor, at: temporary)
      try files.move(temporary, to: path)
    } catch {
      _ = try? files.remove(temporary)
      throw error
    }
    // Every reader sees the new content now: an error would say that the old one stayed. Only a power cut may bring it back.
    try? Self.synchronize(directory: directory, files)
  }

  static func synchronize(directory: String, _ files: any FileSystem) throws(SystemFailure) {
    // A directory that leads to the cache's may be given by a symbolic link.
    let descriptor = try files.open(directory + "/.", .directory)
    defer { files.close(descriptor) }
    try files.synchronize(descriptor, at: directory)
  }
}
