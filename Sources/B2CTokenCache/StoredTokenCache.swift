internal import B2CCore
internal import Dispatch
public import Foundation

/// A token cache that outlives the process, with one item for each record in a directory or in the keychain.
///
/// Open it with ``TokenCache/files(at:sealedWith:)`` or, on Apple platforms, `keychain(accessGroup:)`. If you open the
/// same place twice, you get the same object.
///
/// A record that has been read stays in memory, and is returned from there as long as its item is unchanged. A write
/// that has got its lock is finished even if the calling task is cancelled. Waiting for the disk or for other processes
/// does not block the threads that Swift tasks share, except for one `lstat` if the record is in memory.
///
/// A damaged file stays where it is until a sign-in, or a sign-out of all users, removes it. A record in a newer form,
/// or sealed with another key, cannot be read but is kept. A sign-in of its user replaces it, and a sign-out removes
/// it.
public final class StoredTokenCache: SharedTokenCache {
  private struct Copy: Sendable {
    let record: TokenRecord
    /// The stamp of the file that the record was read from, or `nil` if only this process changes the item.
    let stamp: FileStamp?
  }

  private let storage: any RecordStorage
  private let form: RecordForm
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> Date
  private let copies = Locked<[TokenCacheKey: Copy]>([:])
  /// The keys whose items were found damaged when they were read.
  private let damagedKeys = Locked<Set<TokenCacheKey>>([])
  private let queue = DispatchQueue(label: "B2CTokenCache", qos: .userInitiated)

  /// Creates a cache over a storage, which the public factories create for the system's directory or keychain.
  package init(
    _ storage: any RecordStorage, form: RecordForm = RecordForm(), clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.storage = storage
    self.form = form
    self.clock = clock
    self.now = now
  }

  /// Returns the record of a key, from memory if its item is unchanged.
  ///
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/tokenCache``. It is retryable if a later call may succeed,
  ///   because the device is locked or the disk cannot be read. It has `needsInteraction` if the record can never be
  ///   read, because it is damaged, has a newer form, or is sealed with another key.
  public func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    // This blocks the caller's thread for one `lstat`, because a change to another thread takes longer than that.
    if let copy = copies.withLock({ $0[key] }), try storage.stamp(of: key) == copy.stamp { return copy.record }
    return try await onQueue { [self] in try read(key) }
  }

  /// Stores a record, replacing the previous one, and returns when it is on the device.
  ///
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/tokenCache`` if there is no space, no permission or no
  ///   entitlement; `CancellationError` if the task is cancelled while another process is writing. The previous record
  ///   is then unchanged.
  public func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try await withWriteLock(key) { [self] in try write(record, key) }
  }

  /// Removes the record of a key, even if its item is damaged.
  ///
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/tokenCache`` if the item cannot be removed; `CancellationError`
  ///   if the task is cancelled while another process is writing.
  public func removeRecord(for key: TokenCacheKey) async throws {
    try await withWriteLock(key) { [self] in
      copies.withLock { $0[key] = nil }
      try storage.remove(key)
    }
  }

  /// Returns the keys of all records, in any order, without damaged items that contain no readable key.
  ///
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/tokenCache`` if the items cannot be listed.
  public func keys() async throws -> [TokenCacheKey] { try await listing().keys }

  /// Returns the keys of all records, and an error for each item whose key cannot be read.
  package func listing() async throws -> (keys: [TokenCacheKey], failures: [ConnectorError]) {
    let found = try await onQueue { [storage] in try storage.keys() }
    let listed = Set(found.keys)
    copies.withLock { copies in copies = copies.filter { listed.contains($0.key) } }
    return found
  }

  /// Removes the damaged items.
  ///
  /// To find them, it reads every record. If there are more than 1,000, as on a server, it removes only the items that
  /// have been found damaged so far.
  ///
  /// - Parameter alsoNewer: Whether to remove items of a newer version too, if their key cannot be read.
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/tokenCache`` if an item cannot be removed.
  package func removeDamaged(alsoNewer: Bool = false) async throws {
    if let keys = try? await keys(), keys.count <= 1_000 {
      for key in keys { _ = try? await record(for: key) }
    }
    for key in damagedKeys.withLock({ $0 }) {
      try await withWriteLock(key) { [self] in
        do {
          _ = try readItem(key)
        } catch {
          // Other errors do not prove damage, because the record may become readable later, or a newer version can read
          // it.
          if let damage = error as? DamagedRecord, alsoNewer || !damage.isNewer { try storage.remove(key) }
        }
        damagedKeys.withLock { _ = $0.remove(key) }
      }
    }
    try await onQueue { [storage] in try storage.removeDamaged(alsoNewer: alsoNewer) }
  }

  /// Replaces the record of a key if it still has the stamp that the caller has read.
  ///
  /// - Throws: The errors of ``record(for:)`` and ``store(_:for:)``, after which the record is unchanged.
  public func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async throws -> Bool {
    try await withWriteLock(key) { [self] in
      guard try read(key)?.stamp == stamp else { return false }
      try write(record, key)
      return true
    }
  }

  /// Runs the work of a refresh while no other process holds the refresh lock of the key, if the storage has locks.
  ///
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/tokenCache`` if the lock cannot be taken; `CancellationError`
  ///   if the task is cancelled while it waits. In both cases the work has not run.
  public func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws {
    let release = try await untilFree { [storage] in try storage.takeLock(.refreshing, key) }
    defer { release() }
    try Task.checkCancellation()
    await work()
  }

  // MARK: Waiting

  /// Runs a blocking body while no other caller, in this process or another, writes the same record.
  private func withWriteLock<Value: Sendable>(
    _ key: TokenCacheKey, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await untilFree { [storage] in
      guard let release = try storage.takeLock(.writing, key) else { return nil }
      defer { release() }
      return try body()
    }
  }

  /// Repeats an attempt until it returns a value or the task is cancelled, and blocks no thread between the attempts.
  private func untilFree<Value: Sendable>(_ attempt: @escaping @Sendable () throws -> Value?) async throws -> Value {
    var milliseconds = 0.5
    while true {
      if let value = try await onQueue(attempt) { return value }
      // The pauses grow, so that a long wait costs little, and are partly random, so that processes do not try in step.
      try await clock.sleep(for: .microseconds(milliseconds * 1_000 * Double.random(in: 0.5...1)))
      milliseconds = min(milliseconds * 2, 5)
    }
  }

  /// Runs a blocking body on the queue, where bodies run one at a time, and finishes it even if the task is cancelled.
  private func onQueue<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body() }) }
    }
  }

  // MARK: On the queue

  private func read(_ key: TokenCacheKey) throws -> TokenRecord? {
    do {
      return try readItem(key)
    } catch let damage as DamagedRecord {
      damagedKeys.withLock { _ = $0.insert(key) }
      throw damage.error(storage.name(of: key))
    }
  }

  private func readItem(_ key: TokenCacheKey) throws -> TokenRecord? {
    let started = now()
    copies.withLock { $0[key] = nil }
    guard let (bytes, stamp) = try storage.read(key) else { return nil }
    let record = try form.record(in: bytes, for: key)
    // Keep a copy only if a later change of the item certainly changes its stamp. Otherwise the copy could be stale.
    if storage.isOwn || stamp?.isSettled(at: started) == true {
      copies.withLock { $0[key] = Copy(record: record, stamp: stamp) }
    }
    return record
  }

  private func write(_ record: TokenRecord, _ key: TokenCacheKey) throws {
    copies.withLock { $0[key] = nil }
    try storage.write(try form.bytes(of: record, for: key), for: key)
    if storage.isOwn { copies.withLock { $0[key] = Copy(record: record, stamp: nil) } }
  }
}

// MARK: - Opening

extension TokenCache where Self == StoredTokenCache {
  /// Opens a cache in a directory, with one file for each record.
  ///
  /// Each file has mode 0600 from its first byte. If the process is killed during a write, the file contains the old
  /// record or the new one. On macOS and Linux, processes lock the files against each other. On iOS, tvOS, watchOS and
  /// visionOS no file is locked, because only the app writes there and its extensions read.
  ///
  /// - Parameters:
  ///   - directory: A directory that only this cache uses. With `nil`, the default, it is a directory in Application
  ///     Support on Apple platforms, and in the XDG state directory elsewhere. On Apple platforms the cache excludes
  ///     the directory from backups and protects it until the first unlock.
  ///   - key: 32 random bytes with which each record is sealed (AES-256-GCM), or `nil`, the default, for plaintext. If
  ///     you lose or replace the key, the cache cannot read the records that it sealed, and users must sign in again.
  ///     The ids of the users are not sealed.
  /// - Returns: The cache. If the process has already opened this directory with this key, it is the same object.
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/tokenCache`` if the directory belongs to another user, if other
  ///   users can write to it, if it is a symbolic link or no directory, or if it cannot be created; if the key is not
  ///   32 bytes long; on tvOS if `directory` is `nil`, because an Apple TV keeps no files.
  public static func files(at directory: URL? = nil, sealedWith key: Data? = nil) throws -> StoredTokenCache {
    let store = try RecordDirectory(at: directory)
    let form = try key.map { try RecordForm(sealedWith: $0) } ?? RecordForm()
    // A path can be resolved only if the directory exists, so create it before asking for its canonical path.
    try store.prepare()
    return OpenCaches.all.object(for: .directory(store.canonicalPath, sealedWith: key)) {
      StoredTokenCache(store, form: form)
    }
  }
}

/// The stored caches that are open, so that the same place opened twice is the same object.
///
/// It is global, because two callers that open the same place share nothing else.
enum OpenCaches {
  /// The place of a cache, compared by bytes, because Swift's `==` treats two spellings of `é` as the same directory.
  enum Place: Hashable, Sendable {
    case directory([UInt8], sealedWith: Data?)
    case keychain(group: [UInt8]?)
  }

  static let all = LivingObjects<Place, StoredTokenCache>()
}
