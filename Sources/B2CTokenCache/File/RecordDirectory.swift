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
///   <sha256 of the key>.json.damaged-1   a file that could not be read as the record
///   <sha256 of the key>.new        the record being written
///   <sha256 of the key>.new.damaged-1    a directory that had its name
///   <sha256 of the key>.lock       write lock; created when first needed, never removed
///   <sha256 of the key>.refresh    refresh lock; likewise
/// ```
struct RecordDirectory: Sendable {
  /// The name that the files of one record share.
  struct Name: Hashable, Sendable {
    fileprivate let text: String

    /// The name for a file that is written to prove that the directory can be, and then removed; no key has this hash.
    static let probe = Name(text: String(repeating: "0", count: 64))

    private init(text: String) {
      self.text = text
    }

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
    static let damaged = ".json.damaged-"
    static let temporary = ".new"
    static let writeLock = ".lock"
    static let refreshLock = ".refresh"
  }

  /// The bytes of a large record.
  private static let probeSize = 16 * 1024

  let path: String
  let files: any FileSystem
  var containers = AppContainers.ofSystem

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
    try SecureDirectory(path: path, files: files, containers: containers).prepare()
  }

  /// Removes what killed writers left behind; a file whose writer still lives is left alone.
  func removeStrayFiles() throws(SystemFailure) {
    for file in try files.names(in: path) {
      guard let name = Name(file: file, suffix: Suffix.temporary),
        let lock = try FileLock.takeIfFree(writeLockPath(name), files)
      else { continue }
      defer { lock.release() }
      try AtomicFile.clear(path(name, Suffix.temporary), files)
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
  /// A newer version's record stays, and a damaged file is quarantined. A file with the stamp that the caller knows was
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

  /// Writes a temporary file as storing a record does, and removes it; the caller holds the write lock of the probe.
  ///
  /// The lock file is removed too: a caller that waits for it notices that, and makes a new one.
  func proveWritable() throws(TokenCacheError) {
    do {
      let bytes = [UInt8](repeating: 0, count: Self.probeSize)
      try AtomicFile.rehearse(with: bytes, through: path(.probe, Suffix.temporary), files)
      _ = try files.remove(writeLockPath(.probe))
    } catch {
      throw TokenCacheError(.unwritable, "The token cache's directory \(path) cannot be written to", error)
    }
  }

  /// Removes the record, whatever is in its file; the caller holds the write lock.
  ///
  /// The directory is flushed, also where there is no file any more: another process may have removed it without, and a power
  /// cut would bring it back.
  func remove(_ name: Name) throws(TokenCacheError) {
    let file = AtomicFile(path: recordPath(name), files: files)
    do {
      _ = try files.remove(file.path)
      try file.synchronizeDirectory()
    } catch {
      throw TokenCacheError(.unwritable, "A token record cannot be removed", error)
    }
  }

  /// Removes what was quarantined of a record: a damaged file may hold its tokens; the caller holds the write lock.
  func removeQuarantined(_ name: Name) throws(TokenCacheError) {
    do {
      // A directory that had the record's name is not the cache's to remove.
      for file in try quarantined(name) where !file.isDirectory { _ = try files.remove(file.path) }
    } catch {
      throw TokenCacheError(.unwritable, "A quarantined token record cannot be removed", error)
    }
  }

  /// Makes the removal of a record last where it has no file, or says that it has one.
  ///
  /// No lock is needed: a record that another writer is about to put in place comes after this.
  ///
  /// - Returns: Whether there is no file, nor one that was quarantined.
  func confirmAbsence(_ name: Name) throws(TokenCacheError) -> Bool {
    let file = AtomicFile(path: recordPath(name), files: files)
    do {
      guard try files.status(of: file.path) == nil else { return false }
      guard try quarantined(name).allSatisfy(\.isDirectory) else { return false }
      try file.synchronizeDirectory()
    } catch {
      // Without the directory there is no record either.
      guard error.isMissing else { throw TokenCacheError(.unwritable, "A token record cannot be removed", error) }
    }
    return true
  }

  /// Renames a file that is not a record and returns the error that reports it; the caller holds the write lock.
  func quarantine(_ name: Name, _ reason: String) throws(TokenCacheError) -> TokenCacheError {
    let file = AtomicFile(path: recordPath(name), files: files)
    do {
      let place = path(name, Suffix.damaged) + "\(try quarantined(name).count + 1)"
      try files.move(file.path, to: place)
      try file.synchronizeDirectory()
      return TokenCacheError(
        .damaged, "\(file.path) is not a usable token record (\(reason)); it was renamed to \(place).",
        recoverySuggestion: "Its account has to sign in again; the other records are not affected.")
    } catch {
      throw TokenCacheError(.unwritable, "A damaged token record cannot be quarantined", error)
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

  /// Returns the paths of the quarantined files.
  func quarantinedPaths() throws(TokenCacheError) -> [String] {
    do {
      return try files.names(in: path).filter { $0.contains(Suffix.damaged) }.sorted().map { path + "/" + $0 }
    } catch {
      throw TokenCacheError(.unreadable, "The token cache cannot be listed", error)
    }
  }

  /// What was quarantined of a record, in the order of its numbers; nothing is listed.
  private func quarantined(_ name: Name) throws(SystemFailure) -> [(path: String, isDirectory: Bool)] {
    var found: [(path: String, isDirectory: Bool)] = []
    while true {
      let path = path(name, Suffix.damaged) + "\(found.count + 1)"
      guard let status = try files.status(of: path) else { return found }
      found.append((path, status.kind == .directory))
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
      _ = try quarantine(name, error.message)
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
