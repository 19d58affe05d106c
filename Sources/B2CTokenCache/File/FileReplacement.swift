/// Puts a new content in a file's place, so that whoever looks sees the old or the new one and never less.
enum FileReplacement {
  /// Writes and flushes a new file, 0600 from its first byte, then renames it.
  ///
  /// The caller holds a lock that keeps others from using the same temporary name, and flushes the folder afterwards.
  static func replace(
    _ path: String, with bytes: [UInt8], through temporary: String
  ) throws(SystemFailure) {
    let descriptor = try create(temporary)
    do throws(SystemFailure) {
      defer { SystemCalls.closeFile(descriptor) }
      // A umask can only have taken bits away; the owner's are given back.
      try SystemCalls.setMode(0o600, of: descriptor, at: temporary)
      try SystemCalls.writeBytes(bytes, to: descriptor, at: temporary)
      try SystemCalls.synchronize(descriptor, at: temporary)
      try SystemCalls.moveFile(temporary, to: path)
    } catch {
      _ = try? SystemCalls.removeFile(temporary)
      throw error
    }
  }

  /// Waits until a folder's entries are on the device.
  static func synchronizeFolder(_ folder: String) throws(SystemFailure) {
    let descriptor = try SystemCalls.openFile(folder, for: .folder)
    defer { SystemCalls.closeFile(descriptor) }
    try SystemCalls.synchronize(descriptor, at: folder)
  }

  private static func create(_ temporary: String) throws(SystemFailure) -> Int32 {
    do {
      return try SystemCalls.openFile(temporary, for: .creating)
    } catch {
      guard error.isTaken else { throw error }
      // Left by a writer that was killed: one that lives would hold the lock.
      try SystemCalls.removeFile(temporary)
      return try SystemCalls.openFile(temporary, for: .creating)
    }
  }
}
