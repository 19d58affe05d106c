package import B2CCore
package import B2CTestKit
package import B2CTokenCache
package import Foundation

extension Locked {
  /// Puts another value in the place of the current one, and returns that.
  func exchange(_ new: Value) -> Value {
    withLock { value in
      defer { value = new }
      return value
    }
  }
}

/// A cache of the four methods alone, as an app may write it.
package final class FourMethodCache: WrappingCache {
  package let inner: any TokenCache = InMemoryTokenCache.memory()

  package init() {}

  package func before(_ call: CacheCall, _ key: TokenCacheKey?) async { await Task.yield() }
}

package enum CacheCall: String, Sendable {
  case record, store, keys
  case removeRecord = "remove"
}

/// A cache that passes each call on to another cache, after a look at it.
package protocol WrappingCache: TokenCache {
  var inner: any TokenCache { get }

  /// Waits, counts or throws before a call; the key is `nil` for ``CacheCall/keys``.
  func before(_ call: CacheCall, _ key: TokenCacheKey?) async throws
}

extension WrappingCache {
  package func before(_ call: CacheCall, _ key: TokenCacheKey?) async throws {}

  package func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    try await before(.record, key)
    return try await inner.record(for: key)
  }

  package func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try await before(.store, key)
    try await inner.store(record, for: key)
  }

  package func removeRecord(for key: TokenCacheKey) async throws {
    try await before(.removeRecord, key)
    try await inner.removeRecord(for: key)
  }

  package func keys() async throws -> [TokenCacheKey] {
    try await before(.keys, nil)
    return try await inner.keys()
  }
}

/// Another process's view of a store: the two have nothing but the records in common.
package final class ForwardingCache: WrappingCache {
  package let inner: any TokenCache

  package init(_ store: any TokenCache) { inner = store }
}

/// A shared cache in memory.
///
/// Its refresh lock keeps callers apart as if they were processes, unless a test puts another lock in its place.
package final class SharedMemoryCache: SharedTokenCache {
  private let records: Locked<[TokenCacheKey: TokenRecord]>
  private let refreshes = KeyedLock<TokenCacheKey>()
  private let lock: (@Sendable (RefreshWork) async throws -> Void)?

  /// Makes an empty cache; `lock` runs the work of a refresh in place of the cache's own lock.
  package init(lock: (@Sendable (RefreshWork) async throws -> Void)? = nil) {
    records = Locked([:])
    self.lock = lock
  }

  /// Makes another view of the same records, with refresh locks of its own.
  package init(sharingOnlyRecordsOf other: SharedMemoryCache) {
    records = other.records
    lock = nil
  }

  package func record(for key: TokenCacheKey) async -> TokenRecord? { records.withLock { $0[key] } }
  package func store(_ record: TokenRecord, for key: TokenCacheKey) async { records.withLock { $0[key] = record } }
  package func removeRecord(for key: TokenCacheKey) async { records.withLock { $0[key] = nil } }
  package func keys() async -> [TokenCacheKey] { records.withLock { Array($0.keys) } }

  package func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async -> Bool {
    records.withLock { records in
      guard records[key]?.stamp == stamp else { return false }
      records[key] = record
      return true
    }
  }

  package func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws {
    if let lock { try await lock(work) } else { try await refreshes.withLock(key) { await work() } }
  }
}

/// A cache that counts its calls by name.
package final class CountingCache: WrappingCache {
  package let inner: any TokenCache
  private let counts = Locked<[String: Int]>([:])

  package init(_ inner: any TokenCache = FourMethodCache()) { self.inner = inner }

  /// The calls since the last look.
  package func takeCounts() -> [String: Int] { counts.exchange([:]) }

  package func before(_ call: CacheCall, _ key: TokenCacheKey?) {
    counts.withLock { $0[call.rawValue, default: 0] += 1 }
  }
}

/// A cache whose disk can be full, unreadable or slow.
package final class FailingCache: WrappingCache {
  package init() {}

  package let failsToStore = Locked(false)
  package let failsToList = Locked(false)
  /// The error of a read, if the record cannot be read.
  package let readFailure = Locked<@Sendable (TokenCacheKey) -> (any Error & Sendable)?>({ _ in nil })
  /// The error of a removal, if the record cannot be removed.
  package let removeFailure = Locked<@Sendable (TokenCacheKey) -> ConnectorError?>({ _ in nil })
  /// The gate that a read waits at.
  package let readGate = Locked<TestGate?>(nil)
  /// The gate that the next store waits at.
  package let storeGate = Locked<TestGate?>(nil)
  package let inner: any TokenCache = FourMethodCache()

  package func before(_ call: CacheCall, _ key: TokenCacheKey?) async throws {
    switch call {
    case .record:
      try await readGate.withLock { $0 }?.wait()
      if let key, let failure = readFailure.withLock({ $0 })(key) { throw failure }
    case .store:
      try await storeGate.exchange(nil)?.wait()
      if failsToStore.withLock({ $0 }) { throw ConnectorError(.tokenCache, "The disk is full.") }
    case .removeRecord:
      if let key, let failure = removeFailure.withLock({ $0 })(key) { throw failure }
    case .keys:
      if failsToList.withLock({ $0 }) { throw ConnectorError(.tokenCache, "The folder is gone.", isRetryable: true) }
    }
  }
}

/// A cache whose record another process replaces right after it was read.
package final class SwappingCache: WrappingCache {
  package init() {}

  /// The record that replaces the one that is read next.
  package let next = Locked<TokenRecord?>(nil)
  package let inner: any TokenCache = FourMethodCache()

  package func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    let record = try await inner.record(for: key)
    if let next = next.exchange(nil) { try await inner.store(next, for: key) }
    return record
  }
}

/// A shared cache that refuses each replacement, or reports an error for one that it has done.
package final class StubbornCache: WrappingCache, SharedTokenCache {
  package init() {}

  package let refuses = Locked(false)
  /// Whether another process signs the user out right before the next replacement.
  package let isContended = Locked(false)
  package let failsAfterwards = Locked(false)
  /// The number of replacements that were asked for.
  package let replacements = Locked(0)
  private let shared = SharedMemoryCache()
  package var inner: any TokenCache { shared }

  package func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws {
    try await shared.withRefreshLock(for: key, work)
  }

  package func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async throws -> Bool {
    if isContended.exchange(false) { await shared.removeRecord(for: key) }
    replacements.withLock { $0 += 1 }
    guard !refuses.withLock({ $0 }) else { return false }
    let isDone = await shared.replace(key, expecting: stamp, with: record)
    guard !failsAfterwards.withLock({ $0 }) else { throw ConnectorError(.tokenCache, "The connection broke.") }
    return isDone
  }
}

/// The kinds of token caches that two connectors may share.
package enum CacheKind: String, CaseIterable, Sendable {
  case fourMethodClass, inMemory, files, sealedFiles, keychain
  /// Two caches over one directory, as two processes have them.
  case twoProcesses

  /// Whether the two connectors share one object, through which each hears of the other's changes immediately.
  package var isOneObject: Bool { self != .twoProcesses }

  /// Makes a cache for each of two connectors over one store.
  package func make(in directory: URL) throws -> (one: any TokenCache, two: any TokenCache) {
    let cache: any TokenCache
    switch self {
    case .fourMethodClass: cache = FourMethodCache()
    case .inMemory: cache = InMemoryTokenCache.memory()
    case .files: cache = try StoredTokenCache.process(at: directory)
    case .sealedFiles: cache = try StoredTokenCache.process(at: directory, sealedWith: Data(repeating: 7, count: 32))
    case .keychain: cache = StoredTokenCache(KeychainStore(DictionaryKeychain()))
    case .twoProcesses:
      return (try StoredTokenCache.process(at: directory), try StoredTokenCache.process(at: directory))
    }
    return (cache, cache)
  }
}

extension StoredTokenCache {
  /// Opens a directory as a process does that has not opened it yet: another object than the one of `files(at:)`.
  package static func process(
    at directory: URL, sealedWith key: Data? = nil, files: any FileSystem = POSIXFileSystem(),
    locksFiles: Bool = FileLock.isUsed, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws -> StoredTokenCache {
    let store = try RecordDirectory(at: directory, files: files, locksFiles: locksFiles)
    try store.prepare()
    return StoredTokenCache(
      store, form: try key.map { try RecordForm(sealedWith: $0) } ?? RecordForm(), clock: clock, now: now)
  }
}
