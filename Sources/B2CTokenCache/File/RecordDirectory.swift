internal import B2CCore
package import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

/// The files of a cache in a directory, whose calls block and act on the files of one record.
///
/// ```
/// <directory>/                     0700
///   <sha256 of the key>.json       the record, 0600
///   <sha256 of the key>.new        the record being written
///   <sha256 of the key>.lock       write lock, created when it is first needed and never removed
///   <sha256 of the key>.refresh    refresh lock, created and kept in the same way
/// ```
package struct RecordDirectory: RecordStorage {
  private enum Suffix {
    static let record = ".json"
    static let temporary = ".new"
    static let writeLock = ".lock"
    static let refreshLock = ".refresh"
  }

  private static let digits = Array("0123456789abcdef".utf8)
  private static let cannotBeRead = "A token record cannot be read"

  package let path: String
  private let files: any FileSystem
  private let locksFiles: Bool
  /// The keys of the files that were read, which never change because a file's name is the hash of its key.
  private let keysByName = Locked<[String: TokenCacheKey]>([:])
  /// The names of the files without a readable key that the last listing found.
  private let damagedNames = Locked<[String]>([])

  /// Always false, because other processes may write to the directory.
  package var isOwn: Bool { false }

  /// The canonical path of the directory, the same for every link and, on Apple platforms, every spelling.
  var canonicalPath: [UInt8] { DefaultDirectory.canonicalPath(path) }

  /// Creates a value for a directory, without accessing it.
  ///
  /// - Parameters:
  ///   - directory: The directory, or `nil` for the system's default.
  ///   - files: The calls to the file system.
  ///   - locksFiles: Whether processes lock the files against each other.
  /// - Throws: ``ConnectorError`` with code `tokenCache` if the URL is not a file URL, or on tvOS if it is `nil`.
  package init(
    at directory: URL?, files: any FileSystem = POSIXFileSystem(), locksFiles: Bool = FileLock.isUsed
  ) throws {
    let place = try directory ?? DefaultDirectory.location()
    guard place.isFileURL else {
      throw ConnectorError(
        own: .tokenCache,
        "The token cache's directory must be a file URL, but its scheme is \(place.scheme ?? "missing").",
        recoverySuggestion: "Use URL(fileURLWithPath:).")
    }
    var path = place.standardizedFileURL.path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
    self.files = files
    self.locksFiles = locksFiles
  }

  /// Creates the directory, or checks the existing one.
  package func prepare() throws {
    try SecureDirectory(path: path, files: files).prepare()
    DefaultDirectory.protect(URL(fileURLWithPath: path, isDirectory: true))
  }

  // MARK: One record

  package func read(_ key: TokenCacheKey) throws -> (bytes: [UInt8], stamp: FileStamp?)? {
    guard let (bytes, status) = try content(Self.name(of: key)) else { return nil }
    let path = recordPath(key)
    guard status.owner == files.userID else {
      throw ConnectorError(
        own: .tokenCache, "\(path) belongs to user \(status.owner), not to the user of this process.",
        recoverySuggestion: "If it is yours: chown \(files.userID) \(path). If not, remove it and sign in again.",
        isRetryable: true)
    }
    guard status.mode & 0o077 == 0 else {
      throw ConnectorError(
        own: .tokenCache, "\(path) is open to other users (mode \(status.octalMode)).",
        recoverySuggestion: "Remove their permission: chmod 600 \(path)", isRetryable: true)
    }
    return (bytes, status.stamp)
  }

  package func stamp(of key: TokenCacheKey) throws -> FileStamp? {
    try wrappingSystemErrors(as: Self.cannotBeRead, isRetryable: true) { () throws(SystemFailure) in
      try files.status(of: recordPath(key))?.stamp
    }
  }

  package func write(_ bytes: [UInt8], for key: TokenCacheKey) throws {
    let name = Self.name(of: key)
    let file = AtomicFile(path: recordPath(key), directory: path, files: files)
    try recreatingDirectory(as: "A token record cannot be written") { () throws(SystemFailure) in
      try file.replace(with: bytes, through: path(name, Suffix.temporary))
    }
    keysByName.withLock { $0[name] = key }
  }

  package func remove(_ key: TokenCacheKey) throws { try removeFiles(Self.name(of: key)) }

  private func removeFiles(_ name: String) throws {
    keysByName.withLock { $0[name] = nil }
    try wrappingSystemErrors(as: "A token record cannot be removed") { () throws(SystemFailure) in
      for suffix in [Suffix.record, Suffix.temporary] { _ = try files.remove(path(name, suffix)) }
      try flushRemovals()
    }
  }

  /// Flushes the directory, because a power failure could bring back files that this or another process removed.
  private func flushRemovals() throws(SystemFailure) {
    do throws(SystemFailure) {
      try AtomicFile.synchronize(directory: path, files)
    } catch {
      // If the directory itself is gone, no file can come back.
      guard error.isMissing else { throw error }
    }
  }

  package func takeLock(_ purpose: LockPurpose, _ key: TokenCacheKey) throws -> LockRelease? {
    try lock(Self.name(of: key), purpose == .writing ? Suffix.writeLock : Suffix.refreshLock)
  }

  private func lock(_ name: String, _ suffix: String) throws -> LockRelease? {
    guard locksFiles else { return {} }
    return try recreatingDirectory(as: "The lock of a token record cannot be taken") { () throws(SystemFailure) in
      try FileLock.takeIfFree(path(name, suffix), files)
    }
  }

  // MARK: All records

  package func keys() throws -> (keys: [TokenCacheKey], failures: [ConnectorError]) {
    var (keys, failures, damagedNames): ([TokenCacheKey], [ConnectorError], [String]) = ([], [], [])
    for name in try names() {
      do {
        if let key = try key(name) { keys.append(key) }
      } catch let damage as DamagedRecord {
        failures.append(damage.error(path(name, Suffix.record)))
        damagedNames.append(name)
      } catch let error as ConnectorError {
        failures.append(error)
      }
    }
    self.damagedNames.withLock { [damagedNames] in $0 = damagedNames }
    return (keys, failures)
  }

  package func removeDamaged(alsoNewer: Bool) throws {
    for name in damagedNames.withLock({ $0 }) {
      // If another writer holds the lock, it is replacing the damaged file, so leave the file to it.
      guard let release = try lock(name, Suffix.writeLock) else { continue }
      defer { release() }
      do {
        _ = try key(name)
      } catch let damage as DamagedRecord {
        // A file of a newer version is not damaged, because a newer app can read it.
        if alsoNewer || !damage.isNewer { try removeFiles(name) }
      }
    }
    guard alsoNewer else { return }
    // Flush even if no file was found. Another process may have removed it and failed to flush, and a power failure
    // would bring it back.
    try wrappingSystemErrors(as: "A token record cannot be removed") { () throws(SystemFailure) in try flushRemovals() }
  }

  package func name(of key: TokenCacheKey) -> String { recordPath(key) }

  private func names() throws -> Set<String> {
    try wrappingSystemErrors(as: "The token cache cannot be listed", isRetryable: true) { () throws(SystemFailure) in
      let before = try files.status(of: path)?.stamp
      var found = try files.names(in: path)
      // While files are replaced, some file systems list a file twice or not at all. So after a change, list it again.
      if try files.status(of: path)?.stamp != before { found += try files.names(in: path) }
      try removeTemporaryFiles(among: found)
      return Set(
        found.filter { $0.hasSuffix(Suffix.record) }.map { String($0.dropLast(Suffix.record.count)) }
          .filter(Self.isName))
    }
  }

  /// Removes the temporary files that killed writers left behind.
  private func removeTemporaryFiles(among found: some Sequence<String>) throws(SystemFailure) {
    // Only the file of a killed writer may be removed, and the write lock shows that no writer is running. On systems
    // without locks, the next write of the record removes the file.
    for file in found where locksFiles && file.hasSuffix(Suffix.temporary) {
      let name = String(file.dropLast(Suffix.temporary.count))
      guard Self.isName(name), let release = try FileLock.takeIfFree(path(name, Suffix.writeLock), files)
      else { continue }
      defer { release() }
      _ = try files.remove(path(name, Suffix.temporary))
    }
  }

  /// Returns the key in a record's file, or `nil` if the file is gone.
  private func key(_ name: String) throws -> TokenCacheKey? {
    if let key = keysByName.withLock({ $0[name] }) { return key }
    guard let (bytes, _) = try content(name) else { return nil }
    let key = try RecordForm.key(in: bytes)
    guard Self.name(of: key) == name else { throw DamagedRecord(reason: "it contains the record of another key") }
    keysByName.withLock { $0[name] = key }
    return key
  }

  // MARK: Files

  private func content(_ name: String) throws -> ([UInt8], FileStatus)? {
    do {
      return try AtomicFile(path: path(name, Suffix.record), directory: path, files: files)
        .read(limit: RecordForm.sizeLimit)
    } catch let failure as SystemFailure {
      throw failure.cacheError(Self.cannotBeRead, isRetryable: true)
    }
  }

  /// Runs a body, and throws a failed system call as the cache's error.
  ///
  /// If the directory was removed after the cache was opened, creates it again and repeats the body.
  private func recreatingDirectory<Value>(as what: String, _ body: () throws(SystemFailure) -> Value) throws -> Value {
    do throws(SystemFailure) {
      return try body()
    } catch {
      guard error.isMissing else { throw error.cacheError(what) }
    }
    try SecureDirectory(path: path, files: files).prepare()
    return try wrappingSystemErrors(as: what, body)
  }

  /// Runs a body, and throws a failed system call as the cache's error.
  private func wrappingSystemErrors<Value>(
    as what: String, isRetryable: Bool? = nil, _ body: () throws(SystemFailure) -> Value
  ) throws -> Value {
    do {
      return try body()
    } catch {
      throw error.cacheError(what, isRetryable: isRetryable)
    }
  }

  private func recordPath(_ key: TokenCacheKey) -> String { path(Self.name(of: key), Suffix.record) }

  private func path(_ name: String, _ suffix: String) -> String { path + "/" + name + suffix }

  private static func name(of key: TokenCacheKey) -> String {
    let hash = SHA256.hash(data: Data(key.canonicalText.utf8))
    return String(decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] }, as: UTF8.self)
  }

  private static func isName(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy(digits.contains)
  }
}
