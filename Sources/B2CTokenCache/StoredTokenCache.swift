internal import B2CCore
internal import Dispatch
public import Foundation

/// A token cache that lasts: one item for each record, in a directory or in the keychain.
///
/// ``TokenCache/files(at:sealedWith:)`` and, on Apple's systems, `keychain(accessGroup:)` open it; two of the same place are one
/// object. A record that has been read stays in memory, and reads return it while it is known to be current (benchmark
/// rows 3b and 18). A write that has its lock is finished even if the calling task is cancelled. Waiting for the disk and for
/// other processes holds none of the threads that tasks share, except for one `lstat` of a file whose record is in memory.
///
/// A damaged file stays where it is until a sign-in, or a sign-out of all users, removes it. A record in a newer form, or
/// sealed with another key, is refused and left as it is; a sign-in of its user replaces it and a sign-out removes it.
public final class StoredTokenCache: SharedTokenCache {
  private struct Copy: Sendable {
    let record: TokenRecord
    /// The stamp of the file that it was read from; `nil` for an item that only this process changes.
    let stamp: FileStamp?
  }

  private let storage: any RecordStorage
  private let form: RecordForm
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> Date
  private let copies = Locked<[TokenCacheKey: Copy]>([:])
  /// The keys whose items were damaged when they were read.
  private let damagedKeys = Locked<Set<TokenCacheKey>>([])
  private let queue = DispatchQueue(label: "B2CTokenCache", qos: .userInitiated)

  /// Makes a cache over a storage; the factories do it with the system's.
  package init(
    _ storage: any RecordStorage, form: RecordForm = RecordForm(), clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.storage = storage
    self.form = form
    self.clock = clock
    self.now = now
  }

  /// Returns the record of a key, from memory while its item is unchanged.
  ///
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/tokenCache``: retryable if the next call may succeed, because the device
  ///   is locked or the disk or its permissions refuse; with `needsInteraction` if the record can never be read, because it
  ///   is damaged, has a newer form, or is sealed with another key.
  public func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    // Asks for the file's status on the caller's thread, because a change of threads takes longer than one `lstat`.
    if let copy = copies.withLock({ $0[key] }), try storage.stamp(of: key) == copy.stamp { return copy.record }
    return try await onQueue { [self] in try read(key) }
  }

  /// Stores a record, replacing whatever was there, and waits until it is on the device.
  ///
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/tokenCache`` when there is no space, no permission or no
  ///   entitlement; `CancellationError` when the task is cancelled while another process is writing. The old record stays then.
  public func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try await withWriteLock(key) { [self] in try write(record, key) }
  }

  /// Removes the record of a key, whatever its item holds.
  ///
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/tokenCache`` when it cannot be removed; `CancellationError` when the task
  ///   is cancelled while another process is writing.
  public func removeRecord(for key: TokenCacheKey) async throws {
    try await withWriteLock(key) { [self] in
      copies.withLock { $0[key] = nil }
      try storage.remove(key)
    }
  }

  /// Returns the keys of all records, in any order.
  ///
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/tokenCache`` when they cannot be listed. A file that is
  ///   damaged or cannot be read names no key and is not listed.
  public func keys() async throws -> [TokenCacheKey] { try await listing().keys }

  /// Returns the keys of all records, and the errors of the items whose key cannot be read.
  package func listing() async throws -> (keys: [TokenCacheKey], failures: [ConnectorError]) {
    let found = try await onQueue { [storage] in try storage.keys() }
    let listed = Set(found.keys)
    copies.withLock { copies in copies = copies.filter { listed.contains($0.key) } }
    return found
  }

  /// Removes the damaged items: all of a user's cache, and of a server's, with more than 1,000 users, those found so far.
  ///
  /// - Parameter alsoNewer: Whether items that a newer version wrote are removed too if they do not name their key.
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/tokenCache`` when one cannot be removed.
  package func removeDamaged(alsoNewer: Bool = false) async throws {
    if let keys = try? await keys(), keys.count <= 1_000 {
      for key in keys { _ = try? await record(for: key) }
    }
    for key in damagedKeys.withLock({ $0 }) {
      try await withWriteLock(key) { [self] in
        do {
          _ = try readItem(key)
        } catch {
          // A record that cannot be read now, or not by this version, may be a good one.
          if let damage = error as? DamagedRecord, alsoNewer || !damage.isNewer { try storage.remove(key) }
        }
        damagedKeys.withLock { _ = $0.remove(key) }
      }
    }
    try await onQueue { [storage] in try storage.removeDamaged(alsoNewer: alsoNewer) }
  }

  /// Replaces the record of a key if it has the stamp that the caller has read.
  ///
  /// - Throws: ``ConnectorError``, as ``record(for:)`` and ``store(_:for:)``; nothing is changed then.
  public func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async throws -> Bool {
    try await withWriteLock(key) { [self] in
      guard try read(key)?.stamp == stamp else { return false }
      try write(record, key)
      return true
    }
  }

  /// Runs the work of a refresh while no other process has the refresh lock of the key, if the storage can tell.
  ///
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/tokenCache`` when the lock cannot be taken; `CancellationError` when the
  ///   task is cancelled while it waits. The work has not run then.
  public func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws {
    let release = try await untilFree { [storage] in try storage.takeLock(.refreshing, key) }
    defer { release() }
    try Task.checkCancellation()
    await work()
  }

  // MARK: Waiting

  /// Runs a blocking body while no other writer, here or in another process, has the same record.
  private func withWriteLock<Value: Sendable>(
    _ key: TokenCacheKey, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await untilFree { [storage] in
      guard let release = try storage.takeLock(.writing, key) else { return nil }
      defer { release() }
      return try body()
    }
  }

  /// Repeats an attempt on the queue until it returns a value or the task is cancelled; no thread is held in the pauses.
  private func untilFree<Value: Sendable>(_ attempt: @escaping @Sendable () throws -> Value?) async throws -> Value {
    var milliseconds = 0.5
    while true {
      if let value = try await onQueue(attempt) { return value }
      // The pauses grow, and are partly random so that processes do not try in step.
      try await clock.sleep(for: .microseconds(milliseconds * 1_000 * Double.random(in: 0.5...1)))
      milliseconds = min(milliseconds * 2, 5)
    }
  }

  /// Runs a body that blocks: one at a time, off the threads that tasks share; it is not cancelled with its caller.
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
    // A copy is kept only if a later change of the item is sure to be noticed.
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
  /// Opens a cache in a directory: one file for each record, locked between processes on macOS and Linux.
  ///
  /// Files are 0600 from their first byte; a process that is killed leaves the old record or the new one. On iOS, tvOS,
  /// watchOS and visionOS no file is locked: only the app writes there, its extensions read.
  ///
  /// - Parameters:
  ///   - directory: The directory, for this cache alone. When `nil`: on Apple's systems one in Application Support,
  ///     elsewhere one in the XDG state directory. On Apple's systems it is left out of backups and protected until the first
  ///     unlock.
  ///   - key: 32 random bytes, with which each record is sealed (AES-256-GCM); `nil` for plaintext. If you lose or
  ///     replace the key, the records that it sealed cannot be read, and users sign in again. The file names the
  ///     users in plaintext.
  /// - Returns: The cache; the one that is open already, if there is one of this directory and key.
  /// - Throws: ``ConnectorError`` with code ``ErrorCode/tokenCache`` when the directory belongs to another user, can be
  ///   written by others, is a symbolic link or no directory, or cannot be created; on tvOS when `directory` is `nil`, because
  ///   an Apple TV keeps no files; when the key has not 32 bytes.
  public static func files(at directory: URL? = nil, sealedWith key: Data? = nil) throws -> StoredTokenCache {
    let store = try RecordDirectory(at: directory)
    let form = try key.map { try RecordForm(sealedWith: $0) } ?? RecordForm()
    // Links are resolved in the path of a directory that is there.
    try store.prepare()
    return OpenCaches.all.object(for: .directory(store.canonicalPath, sealedWith: key)) {
      StoredTokenCache(store, form: form)
    }
  }
}

/// The stored caches that are open, so that two of the same place are one object.
///
/// Global, because nothing else is common to two callers.
enum OpenCaches {
  /// The identity of what a cache is over, by bytes: Swift's `==` takes two spellings of `é` for one directory.
  enum Place: Hashable, Sendable {
    case directory([UInt8], sealedWith: Data?)
    case keychain(group: [UInt8]?)
  }

  static let all = LivingObjects<Place, StoredTokenCache>()
}
