internal import B2CCore
public import Foundation

/// A token cache in a directory, one file for each record, that several processes can share.
///
/// A record is written to a new file, flushed to the device and renamed, so that a process killed at any instant leaves
/// the old or the new one; what writes continues when the calling task is cancelled, because a new refresh token that is
/// not kept would be lost. Files are 0600 from their first byte. What has been read stays in memory and is served from
/// there while the file is unchanged, which costs one system call.
///
/// A damaged file is renamed and reported once; the other records are not affected. A record in a newer stored form is
/// refused and left as it is. Waiting for the disk and for other processes holds none of the threads that tasks share.
///
/// Processes lock the directory against each other on macOS and Linux. On iOS, tvOS, watchOS and visionOS the locks are
/// those of one process: there only the app writes, and its extensions read.
///
/// The tokens are stored as plaintext; wrap the cache in ``EncryptedTokenCache`` where the disk is not trusted.
public final class FileTokenCache: SharedTokenCache, StoreIdentifying {
  /// A record as it was read or written, and the stamp of its file then.
  private struct Copy: Sendable {
    let path: String
    let record: TokenRecord
    let stamp: FileStamp
    /// Whether a change of the file is sure to change its stamp.
    let isSettled: Bool
  }

  private struct Memory: Sendable {
    // A call for a token costs a system call instead of reading a file (benchmark row 3b).
    var copies: [TokenCacheKey: Copy] = [:]
    /// A file's name is the hash of its key, so what was read once stays true.
    var keys: [RecordDirectory.Name: TokenCacheKey] = [:]
  }

  private let store: RecordDirectory
  private let memory = Locked(Memory())
  private let locks: DirectoryLocks
  private let now: @Sendable () -> Date
  /// The state of every cache over the same directory.
  package let sharedState: CacheState

  /// The directory that holds the records.
  package var directory: URL { URL(fileURLWithPath: store.path, isDirectory: true) }

  /// Opens a cache: creates its directory and removes temporary files of interrupted writes.
  ///
  /// - Parameters:
  ///   - directory: The directory, for this cache alone. When `nil`: on Apple's systems one in Application Support,
  ///     elsewhere one in the XDG state directory. On Apple's systems it is left out of backups and protected until the
  ///     first unlock.
  ///   - lockTimeout: How long to wait for a lock that another process or caller holds. It should be longer than a token
  ///     request may take.
  ///   - clock: The clock that waiting is measured on.
  /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/insecurePermissions`` when the directory belongs to
  ///   another user, when others can write to it, or when it is a symbolic link; ``TokenCacheError/Code/unwritable`` when
  ///   it cannot be created or is not a directory.
  public convenience init(
    directory: URL? = nil, lockTimeout: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock()
  ) throws(TokenCacheError) {
    try self.init(directory: directory, lockTimeout: lockTimeout, clock: clock, now: { Date() })
  }

  /// Opens a cache with another wall clock, which the age of files is measured by, or other file system calls.
  package init(
    directory: URL?, lockTimeout: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date, files: any FileSystem = POSIXFileSystem(),
    locksFiles: Bool = FileLock.isUsed
  ) throws(TokenCacheError) {
    let place: URL
    if let directory { place = directory } else { place = try DefaultDirectory.location() }
    let path = try RecordDirectory.path(of: place)
    store = RecordDirectory(path: path, files: files)
    self.now = now
    // A directory that a symbolic link leads to is the same one.
    let resolved = URL(fileURLWithPath: path, isDirectory: true).resolvingSymlinksInPath().path
    sharedState = CacheRegistry.state(of: .directory(resolved))
    locks = DirectoryLocks(
      store: store, state: sharedState, usesFiles: locksFiles, timeout: lockTimeout, clock: clock)
    try store.prepare()
    DefaultDirectory.protect(URL(fileURLWithPath: path, isDirectory: true))
    // Without a lock a writer that lives cannot be told from one that was killed: the next write or removal does it then.
    guard locksFiles else { return }
    do {
      try store.removeStrayFiles()
    } catch {
      throw TokenCacheError(.unwritable, "Temporary files of an interrupted write cannot be removed", error)
    }
  }

  /// Returns the record of a key, from memory while its file is unchanged.
  ///
  /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/damaged`` when the file is not a record of this key (its new
  ///   name is in the message), ``TokenCacheError/Code/newerVersion``, ``TokenCacheError/Code/insecurePermissions`` when
  ///   another user owns the file or can open it, ``TokenCacheError/Code/unreadable``.
  public func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    if let copy = memory.withLock({ $0.copies[key] }), copy.isSettled, try store.stamp(copy.path) == copy.stamp {
      return copy.record
    }
    let name = RecordDirectory.Name(key)
    do {
      return try await sharedState.onQueue { [self] in try read(key, name) }
    } catch let error as TokenCacheError where error.code == .damaged {
      // A good file may have taken its place meanwhile.
      return try await locks.underWriteLock(name) { [self] in try readOrRename(key, name) }
    }
  }

  /// Stores a record, replacing the one that was there, and waits until it is on the device.
  ///
  /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/unwritable`` when there is no space or no permission,
  ///   ``TokenCacheError/Code/newerVersion`` when a newer version's record is there,
  ///   ``TokenCacheError/Code/lockTimedOut`` when other writers do not finish. The old record stays then.
  public func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    let name = RecordDirectory.Name(key)
    try await locks.underWriteLock(name) { [self] in try write(record, key, name) }
  }

  /// Removes the record of a key, whatever its file holds, and what was renamed of it.
  ///
  /// Where it has no file, no lock is taken and no file created: earlier removals are flushed to the device, which a full
  /// disk does not prevent.
  ///
  /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/unwritable`` when it cannot be removed,
  ///   ``TokenCacheError/Code/lockTimedOut`` when other writers do not finish.
  public func removeRecord(for key: TokenCacheKey) async throws {
    let name = RecordDirectory.Name(key)
    if try await sharedState.onQueue({ [self] in try confirmAbsence(key, name) }) { return }
    try await locks.underWriteLock(name) { [self] in try remove(key, name) }
  }

  /// Changes the record of a key in one atomic step.
  ///
  /// - Throws: ``TokenCacheError``, as ``record(for:)`` and ``store(_:for:)``; nothing is changed then.
  @discardableResult
  public func update(
    _ key: TokenCacheKey, _ change: @escaping @Sendable (TokenRecord?) -> TokenRecord?
  ) async throws -> TokenRecord? {
    let name = RecordDirectory.Name(key)
    return try await locks.underWriteLock(name) { [self] in
      let old = try readOrRename(key, name)
      let new = change(old)
      if let new {
        if new != old { try write(new, key, name) }
      } else if old == nil {
        try store.makeRemovalsLast()
      } else {
        try remove(key, name)
      }
      return new
    }
  }

  /// Returns the keys of all records, in any order.
  ///
  /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/unreadable`` when the directory or a file cannot be read;
  ///   ``TokenCacheError/Code/damaged`` when a file is not a record: it was renamed, and the next call lists the others.
  public func keys() async throws -> [TokenCacheKey] {
    let (keys, damaged) = try await sharedState.onQueue { [self] in
      var keys: [TokenCacheKey] = []
      var damaged: [RecordDirectory.Name] = []
      for name in try store.recordNames() {
        do throws(TokenCacheError) {
          if let key = try key(name) { keys.append(key) }
        } catch {
          guard error.code == .damaged else { throw error }
          damaged.append(name)
        }
      }
      return (keys, damaged)
    }
    var report: TokenCacheError?
    for name in damaged {
      let error: TokenCacheError? = try await locks.underWriteLock(name) { [store] in
        do throws(TokenCacheError) {
          _ = try store.key(name)
          return nil
        } catch {
          guard error.code == .damaged else { throw error }
          return try store.renameDamaged(name, error.message)
        }
      }
      report = report ?? error
    }
    if let report { throw report }
    return keys
  }

  /// Runs a body while no other caller or process holds the refresh lock of the same key.
  ///
  /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/lockTimedOut`` when the lock is not free in time,
  ///   ``TokenCacheError/Code/unwritable`` when the lock file cannot be opened; `CancellationError` when the task is
  ///   cancelled while it waits. The body has not run then. Otherwise what the body throws.
  public func withRefreshLock<Result: Sendable>(
    for key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await locks.withRefreshLock(for: key, body)
  }

  /// Returns a number made from the directory's dates, which change when a file comes, goes or is replaced.
  ///
  /// - Returns: The number; another one each time while the directory has just changed, since two changes within one
  ///   step of the file system's clock look alike.
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/unreadable``.
  public func changeStamp() async throws -> Int? {
    guard let stamp = try store.stamp(store.path), stamp.isSettled(at: now()) else {
      return Int.random(in: .min ... .max)
    }
    var hasher = Hasher()
    hasher.combine(stamp)
    return hasher.finalize()
  }

  // The functions below block, and run on the queue.

  private func read(_ key: TokenCacheKey, _ name: RecordDirectory.Name) throws(TokenCacheError) -> TokenRecord? {
    let started = now()
    let found = try store.read(key, name)
    memory.withLock { memory in
      memory.copies[key] = found.map { record, stamp in
        Copy(path: store.recordPath(name), record: record, stamp: stamp, isSettled: stamp.isSettled(at: started))
      }
    }
    return found?.record
  }

  private func readOrRename(
    _ key: TokenCacheKey, _ name: RecordDirectory.Name
  ) throws(TokenCacheError) -> TokenRecord? {
    do {
      return try read(key, name)
    } catch  where error.code == .damaged {
      memory.withLock { $0.copies[key] = nil }
      throw try store.renameDamaged(name, error.message)
    }
  }

  private func write(_ record: TokenRecord, _ key: TokenCacheKey, _ name: RecordDirectory.Name) throws {
    let bytes = try RecordFile(record, for: key).bytes()
    let known = memory.withLock { $0.copies[key]?.stamp }
    let stamp = try store.write(bytes, key, name, known: known)
    memory.withLock { memory in
      memory.copies[key] = stamp.map {
        Copy(path: store.recordPath(name), record: record, stamp: $0, isSettled: false)
      }
      memory.keys[name] = key
    }
  }

  private func confirmAbsence(_ key: TokenCacheKey, _ name: RecordDirectory.Name) throws -> Bool {
    guard try store.confirmAbsence(name) else { return false }
    memory.withLock { $0.copies[key] = nil }
    return true
  }

  private func remove(_ key: TokenCacheKey, _ name: RecordDirectory.Name) throws {
    try store.remove(name)
    memory.withLock { $0.copies[key] = nil }
  }

  private func key(_ name: RecordDirectory.Name) throws(TokenCacheError) -> TokenCacheKey? {
    if let key = memory.withLock({ $0.keys[name] }) { return key }
    let key = try store.key(name)
    if let key { memory.withLock { $0.keys[name] = key } }
    return key
  }
}
