internal import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

/// The files of a file cache: blocking calls, each on the files of one record.
///
/// ```
/// <directory>/                     0700
///   <sha256 of the key>.json       the record, 0600
///   <sha256 of the key>.json.damaged   a file that could not be read as the record
///   <sha256 of the key>.new        the record being written
///   <sha256 of the key>.lock       write lock; created when first needed, never removed
///   <sha256 of the key>.refresh    refresh lock; likewise
/// ```
struct RecordDirectory: Sendable {
  /// The name that the files of one record share.
  struct Name: Hashable, Sendable {
    fileprivate let text: String

    init(_ key: TokenCacheKey) {
      let digits = Array("0123456789abcdef".utf8)
      let hash = SHA256.hash(data: Data(key.canonicalText.utf8))
      text = String(decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] }, as: UTF8.self)
    }

    fileprivate init?(file: String, suffix: String) {
      guard file.hasSuffix(suffix) else { return nil }
      text = String(file.dropLast(suffix.count))
      guard text.utf8.count == 64, text.utf8.allSatisfy("0123456789abcdef".utf8.contains) else { return nil }
    }
  }

  private enum Suffix {
    static let record = ".json"
    static let damaged = ".json.damaged"
    static let temporary = ".new"
    static let writeLock = ".lock"
    static let refreshLock = ".refresh"
  }

  let path: String
  let files: any FileSystem

  /// Returns the path of a directory that an app has given.
  ///
  /// - Throws: ``TokenCacheError`` with code `unwritable` when it is not a file URL.
  static func path(of directory: URL) throws(TokenCacheError) -> String {
    guard directory.isFileURL else {
      throw TokenCacheError(
        .unwritable, "The token cache's directory has to be a file URL, not \(directory.scheme ?? "without a scheme").",
        recoverySuggestion: "Use URL(fileURLWithPath:).")
    }
    var path = directory.standardizedFileURL.path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  func recordPath(_ name: Name) -> String { path(name, Suffix.record) }
  func writeLockPath(_ name: Name) -> String { path(name, Suffix.writeLock) }
  func refreshLockPath(_ name: Name) -> String { path(name, Suffix.refreshLock) }

  /// Creates the directory, or checks the one that is there.
  func prepare() throws(TokenCacheError) {
    try SecureDirectory(path: path, files: files).prepare()
  }

  /// Removes what killed writers left behind; a file whose writer still lives is left alone.
  func removeStrayFiles() throws(SystemFailure) {
    for file in try files.names(in: path) {
      guard let name = Name(file: file, suffix: Suffix.temporary),
        let lock = try FileLock.takeIfFree(writeLockPath(name), files)
      else { continue }
      defer { lock.release() }
      _ = try files.remove(path(name, Suffix.temporary))
    }
  }

  /// Returns the stamp of a record's file; `nil` when there is none.
  func stamp(_ recordPath: String) throws(TokenCacheError) -> FileStamp? {
    do {
      return try files.status(of: recordPath)?.stamp
    } catch {
      throw TokenCacheError(.unreadable, "A token record cannot be read", error)
    }
  }

  /// Reads the record of a key; `nil` when there is none.
  ///
  /// - Throws: ``TokenCacheError`` with code `damaged` and the reason alone as its message, `unreadable`, `newerVersion`, or
  ///   `insecurePermissions` when another user owns the file or can open it.
  func read(_ key: TokenCacheKey, _ name: Name) throws(TokenCacheError) -> (record: TokenRecord, stamp: FileStamp)? {
    guard let (bytes, status) = try content(name) else { return nil }
    try check(status, recordPath(name))
    return (try RecordFile.record(in: bytes, for: key), status.stamp)
  }

  /// Reads the key of a record's file; `nil` when there is no file any more.
  func key(_ name: Name) throws(TokenCacheError) -> TokenCacheKey? {
    guard let (bytes, _) = try content(name) else { return nil }
    let key = try RecordFile.key(in: bytes)
    guard Name(key) == name else { throw TokenCacheError(.damaged, "it holds the record of another key") }
    return key
  }

  /// Replaces the record of a key and returns the new file's stamp, `nil` when the file cannot be looked at; the caller
  /// holds the write lock.
  ///
  /// A newer version's record stays, and a damaged file is renamed. A file with the stamp that the caller knows was
  /// looked at before and is not read again.
  func write(_ bytes: [UInt8], _ key: TokenCacheKey, _ name: Name, known: FileStamp?) throws(TokenCacheError)
    -> FileStamp?
  {
    let path = recordPath(name)
    try prepareToReplace(key, name, known: known)
    do {
      try AtomicFile(path: path, files: files).replace(with: bytes, through: self.path(name, Suffix.temporary))
    } catch {
      throw TokenCacheError(.unwritable, "A token record cannot be written", error)
    }
    do {
      if let status = try files.status(of: path) { return status.stamp }
    } catch {
      return nil  // The record is in place: an error would say that the old one stayed.
    }
    throw TokenCacheError(.unwritable, "\(path) was removed while it was being written.")
  }

  /// Removes the record, whatever is in its file, and what else may hold its tokens; the caller holds the write lock.
  func remove(_ name: Name) throws(TokenCacheError) {
    do {
      for suffix in [Suffix.record, Suffix.temporary, Suffix.damaged] { _ = try files.remove(path(name, suffix)) }
    } catch {
      throw TokenCacheError(.unwritable, "A token record cannot be removed", error)
    }
    try makeRemovalsLast()
  }

  /// Makes the removal of a record last where it has no file, or says that it has one.
  ///
  /// No lock is needed: a record that another writer is about to put in place comes after this.
  ///
  /// - Returns: Whether there is no file, nor one that was renamed.
  func confirmAbsence(_ name: Name) throws(TokenCacheError) -> Bool {
    do {
      for suffix in [Suffix.record, Suffix.damaged] {
        if try files.status(of: path(name, suffix)) != nil { return false }
      }
    } catch {
      throw TokenCacheError(.unwritable, "A token record cannot be removed", error)
    }
    try makeRemovalsLast()
    return true
  }

  /// Waits until the removals of all processes are on the device: without it a power cut would bring the files back.
  func makeRemovalsLast() throws(TokenCacheError) {
    do {
      try AtomicFile.synchronize(directory: path, files)
    } catch {
      // Without the directory there is no record either.
      guard error.isMissing else { throw TokenCacheError(.unwritable, "A token record cannot be removed", error) }
    }
  }

  /// Renames a file that is not a record and returns the error that reports it; the caller holds the write lock.
  func renameDamaged(_ name: Name, _ reason: String) throws(TokenCacheError) -> TokenCacheError {
    let file = AtomicFile(path: recordPath(name), files: files)
    do {
      let place = path(name, Suffix.damaged)
      try files.move(file.path, to: place)
      try file.synchronizeDirectory()
      return TokenCacheError(
        .damaged, "\(file.path) is not a usable token record (\(reason)); it was renamed to \(place).",
        recoverySuggestion: "Its user has to sign in again; the other records are not affected.")
    } catch {
      throw TokenCacheError(.unwritable, "A damaged token record cannot be renamed", error)
    }
  }

  /// Returns the names of all records.
  func recordNames() throws(TokenCacheError) -> Set<Name> {
    do {
      let before = try files.status(of: path)?.stamp
      var names = try files.names(in: path)
      // While a directory changes, some file systems list a replaced file twice or not at all; a second look finds it.
      if try files.status(of: path)?.stamp != before { names += try files.names(in: path) }
      return Set(names.compactMap { Name(file: $0, suffix: Suffix.record) })
    } catch {
      throw TokenCacheError(.unreadable, "The token cache cannot be listed", error)
    }
  }

  private func path(_ name: Name, _ suffix: String) -> String { path + "/" + name.text + suffix }

  private func content(_ name: Name) throws(TokenCacheError) -> ([UInt8], FileStatus)? {
    let content: AtomicFile.Content
    do {
      content = try AtomicFile(path: recordPath(name), files: files).read(limit: RecordFile.sizeLimit)
    } catch {
      throw TokenCacheError(.unreadable, "A token record cannot be read", error)
    }
    switch content {
    case .missing: return nil
    case .notAFile(let reason): throw TokenCacheError(.damaged, reason)
    case .bytes(let bytes, let status): return (bytes, status)
    }
  }

  private func prepareToReplace(_ key: TokenCacheKey, _ name: Name, known: FileStamp?) throws(TokenCacheError) {
    guard let stamp = try stamp(recordPath(name)), stamp != known else { return }
    do {
      _ = try read(key, name)
    } catch  where error.code == .damaged {
      _ = try renameDamaged(name, error.message)
    } catch  where error.code == .insecurePermissions {
      // The new file belongs to this user and has the right permissions: replacing it is the fix.
    }
  }

  private func check(_ status: FileStatus, _ path: String) throws(TokenCacheError) {
    guard status.owner == files.userID else {
      throw TokenCacheError(
        .insecurePermissions, "\(path) belongs to user \(status.owner), not to the user of this process.",
        recoverySuggestion: "If it is yours: chown \(files.userID) \(path). If not, remove it and sign in again.")
    }
    guard status.mode & 0o077 == 0 else {
      throw TokenCacheError(
        .insecurePermissions, "\(path) is open to other users (mode \(status.octalMode)).",
        recoverySuggestion: "Remove their permission: chmod 600 \(path)")
    }
  }
}
