/// A file that is replaced as a whole, so that a reader sees the old or the new content, even if a writer is killed.
struct AtomicFile: Sendable {
  let path: String
  /// The directory that contains the file.
  let directory: String
  let files: any FileSystem

  /// Reads the file without following a symbolic link, or returns `nil` if there is none.
  ///
  /// - Returns: The bytes and the status. A file that is larger than the limit returns one byte more than the limit.
  /// - Throws: ``DamagedRecord`` if something else than a file is at the path; ``SystemFailure``.
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

  /// Writes a new file and renames it over the old one.
  ///
  /// The new file has mode 0600 from its first byte. The file and its directory are flushed to the device. The caller
  /// holds a lock, so no other writer uses the temporary name, and a file of that name was left by a killed writer. If
  /// writing fails, the temporary file is removed.
  func replace(with bytes: [UInt8], through temporary: String) throws(SystemFailure) {
    _ = try files.remove(temporary)
    let descriptor = try files.open(temporary, .creating)
    do throws(SystemFailure) {
      defer { files.close(descriptor) }
      // The process's umask may have removed permission bits of the owner too, so set them again.
      try files.setMode(0o600, of: descriptor, at: temporary)
      try files.write(bytes, to: descriptor, at: temporary)
      try files.synchronize(descriptor, at: temporary)
      try files.move(temporary, to: path)
    } catch {
      _ = try? files.remove(temporary)
      throw error
    }
    // The rename has happened, so a failed flush of the directory must not be reported as a failed write. Only a power
    // failure could still bring the old file back.
    try? Self.synchronize(directory: directory, files)
  }

  static func synchronize(directory: String, _ files: any FileSystem) throws(SystemFailure) {
    // The appended "/." follows a symbolic link to the directory, which `open` would otherwise refuse.
    let descriptor = try files.open(directory + "/.", .directory)
    defer { files.close(descriptor) }
    try files.synchronize(descriptor, at: directory)
  }
}
