/// The writing calls on one record's file; the caller holds the record's write lock.
struct RecordWriter: Sendable {
  let folder: CacheFolder
  let place: RecordPlace

  /// Puts bytes in the place of the record: a new file is written and flushed, then renamed over the old one.
  ///
  /// Killed at any instant, the record is the old or the new one. A file with the stamp that the caller knows has been
  /// looked at before and is not read again. The answer is the new file's stamp.
  func replace(with bytes: [UInt8], known: FileStamp?) throws -> FileStamp {
    do {
      try makeWay(known: known)
      do throws(SystemFailure) {
        try writeAndRename(bytes)
      } catch {
        // The whole folder may be new, or somebody has removed it.
        guard error.isMissing else { throw error }
        try folder.prepare()
        try folder.prepare(place.group)
        try writeAndRename(bytes)
      }
      try FileReplacement.synchronizeFolder(place.group.path)
      guard let status = try SystemCalls.status(of: place.path) else {
        throw TokenCacheError(.unwritable, "\(place.path) was removed while it was being written.")
      }
      return status.stamp
    } catch let failure as SystemFailure {
      throw TokenCacheError.unwritable("A token record cannot be written", failure)
    }
  }

  /// Removes the record, whatever it is.
  func remove() throws {
    do {
      if try SystemCalls.removeFile(place.path) { try FileReplacement.synchronizeFolder(place.group.path) }
    } catch {
      throw TokenCacheError.unwritable("A token record cannot be removed", error)
    }
  }

  /// Renames a file that is no record of this key; answers its new name.
  func setAside() throws -> String {
    do {
      var number = 1
      while try SystemCalls.status(of: asidePath(number)) != nil { number += 1 }
      try SystemCalls.moveFile(place.path, to: asidePath(number))
      try FileReplacement.synchronizeFolder(place.group.path)
      return asidePath(number)
    } catch {
      throw TokenCacheError.unwritable("A damaged token record cannot be set aside", error)
    }
  }

  private func asidePath(_ number: Int) -> String {
    "\(place.path)\(RecordGroup.asideMark)\(number)"
  }

  /// Looks at what is about to be replaced: a newer version's record stays, a foreign file is set aside.
  private func makeWay(known: FileStamp?) throws {
    guard let status = try SystemCalls.status(of: place.path), status.stamp != known else { return }
    do {
      if case .foreign = try RecordFile.read(place.path, expecting: place.key).finding { _ = try setAside() }
    } catch let error as TokenCacheError where error.code == .insecurePermissions {
      // The new file has the right permissions: this is the mend.
    }
  }

  private func writeAndRename(_ bytes: [UInt8]) throws(SystemFailure) {
    try FileReplacement.replace(place.path, with: bytes, through: folder.temporary + "/" + place.writeLock)
  }
}
