internal import B2CCore
public import Foundation

/// A token cache in a folder, one file for each record, that several processes can share.
///
/// A record is written to a new file, flushed to the device and renamed, so that a process killed at any instant leaves
/// the old or the new one. Files are 0600 from their first byte, folders 0700. What has been read stays in memory and is
/// served from there while the file is unchanged, which costs one call to the system. An update costs the same however
/// many records there are.
///
/// A file that is no record, or another one's, is renamed (`….set-aside-1`) and named in the error; the other records go
/// on. A record in a newer stored form is refused and left as it is.
///
/// Tokens lie in the files in clear; wrap the cache in ``EncryptedTokenCache`` where the disk is not trusted.
public final class FileTokenCache: ExclusiveTokenCache {
  let folder: CacheFolder
  let memory = Locked(FileMemory())
  let turns = KeyedGate<String>()
  let disk = DiskQueue()
  let lockTimeout: Duration
  let clock: any Clock<Duration>
  let now: @Sendable () -> Date

  /// The folder that holds the records.
  public var directory: URL { URL(fileURLWithPath: folder.path, isDirectory: true) }

  /// Opens a cache; the folder is made when it is not there, and what killed writers left in it is removed.
  ///
  /// - Parameters:
  ///   - directory: The folder, for this cache alone. When `nil`: on Apple's systems a folder in Application Support,
  ///     elsewhere one in the XDG state directory. On Apple's systems it is left out of backups and protected until the
  ///     first unlock.
  ///   - lockTimeout: How long to wait for a record that another process or caller holds. It should be longer than a
  ///     token request may take.
  ///   - clock: The clock that waiting is measured on.
  ///   - now: The wall clock that the age of files is measured by.
  /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/insecurePermissions`` when other users can write to the
  ///   folder, when it is not this user's or when it is a symbolic link; ``TokenCacheError/Code/unwritable`` when it
  ///   cannot be made.
  public init(
    directory: URL? = nil, lockTimeout: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws(TokenCacheError) {
    let place: URL
    if let directory { place = directory } else { place = try DefaultFolder.location() }
    guard place.isFileURL else {
      throw TokenCacheError(.unwritable, "The token cache's folder has to be given as a file URL.")
    }
    var path = place.standardizedFileURL.path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    folder = CacheFolder(path: path)
    self.lockTimeout = lockTimeout
    self.clock = clock
    self.now = now
    try folder.prepare()
    DefaultFolder.protect(URL(fileURLWithPath: path, isDirectory: true))
    do {
      try folder.removeStrayFiles()
    } catch {
      throw .unwritable("What a killed process left behind cannot be removed", error)
    }
  }

  /// Reads the record of a key, from memory while its file is unchanged.
  ///
  /// - Parameter key: The key to look up.
  /// - Returns: The record, or `nil` when there is none.
  /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/damaged`` when the file is no record of this key (it has been
  ///   set aside then, and its name is in the message), ``TokenCacheError/Code/newerVersion``,
  ///   ``TokenCacheError/Code/insecurePermissions`` when others can read the file, ``TokenCacheError/Code/unreadable``.
  public func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    let known = memory.withLock { $0.entries[key] }
    let path = known?.path ?? place(of: key).path
    do {
      guard let status = try SystemCalls.status(of: path) else {
        forget(key)
        return nil
      }
      if let known, known.isSettled, known.stamp == status.stamp { return known.record }
    } catch {
      throw TokenCacheError.unreadable("A token record cannot be looked up", error)
    }
    return try await load(key, path)
  }

  /// Writes a record, in place of the one that was there, and waits until it is on the device.
  ///
  /// It goes on when the calling task is cancelled: a new refresh token that is not kept would be lost.
  ///
  /// - Parameters:
  ///   - record: What to keep.
  ///   - key: The key to keep it under.
  /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/unwritable`` when there is no space or no permission,
  ///   ``TokenCacheError/Code/newerVersion`` when a newer version's record is there,
  ///   ``TokenCacheError/Code/lockTimedOut`` when other writers do not come to an end. The old record stays then.
  public func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    let bytes = try RecordFile(record, for: key).bytes()
    let place = place(of: key)
    let known = memory.withLock { $0.entries[key]?.stamp }
    let writer = RecordWriter(folder: folder, place: place)
    try await underWriteLock(of: place) { [memory] in
      let stamp = try writer.replace(with: bytes, known: known)
      memory.withLock { memory in
        memory.entries.put(record, for: key) {
          FileMemory.Entry(path: place.path, record: $0, stamp: stamp, isSettled: false)
        }
      }
    }
  }

  /// Removes the record of a key, whatever its file holds; nothing happens when there is none.
  ///
  /// - Parameter key: The key to remove.
  /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/unwritable`` when it cannot be removed,
  ///   ``TokenCacheError/Code/lockTimedOut`` when other writers do not come to an end.
  public func removeRecord(for key: TokenCacheKey) async throws {
    let place = place(of: key)
    let writer = RecordWriter(folder: folder, place: place)
    try await underWriteLock(of: place) { try writer.remove() }
    forget(key)
  }
}
