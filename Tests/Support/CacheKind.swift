internal import B2CCore
package import B2CTokenCache
package import Foundation

/// The kinds of token caches that two connectors may share.
package enum CacheKind: String, CaseIterable, Sendable {
  case fourMethodClass, fourMethodActor, inMemory, files, sealedFiles, keychain
  /// Two caches over one directory, as two processes have them.
  case twoProcesses

  /// Whether the two connectors have one object in common, and so know of each other's changes at once.
  package var isOneObject: Bool { self != .twoProcesses }

  /// Makes a cache for each of two connectors over one store.
  package func make(in directory: URL) throws -> (one: any TokenCache, two: any TokenCache) {
    let cache: any TokenCache
    switch self {
    case .fourMethodClass: cache = FourMethodCache()
    case .fourMethodActor: cache = FourMethodActor()
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

/// A cache of the four methods alone, as an app may write it.
package final class FourMethodCache: TokenCache {
  private let records = Locked<[TokenCacheKey: TokenRecord]>([:])

  package init() {}

  package func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    await Task.yield()
    return records.withLock { $0[key] }
  }

  package func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    await Task.yield()
    records.withLock { $0[key] = record }
  }

  package func removeRecord(for key: TokenCacheKey) async throws { records.withLock { $0[key] = nil } }

  package func keys() async throws -> [TokenCacheKey] { records.withLock { Array($0.keys) } }
}

/// The same as an actor.
package actor FourMethodActor: TokenCache {
  private var records: [TokenCacheKey: TokenRecord] = [:]

  package init() {}

  package func record(for key: TokenCacheKey) -> TokenRecord? { records[key] }
  package func store(_ record: TokenRecord, for key: TokenCacheKey) { records[key] = record }
  package func removeRecord(for key: TokenCacheKey) { records[key] = nil }
  package func keys() -> [TokenCacheKey] { Array(records.keys) }
}

/// Another process's view of a store: nothing is shared with those who use the store itself but its records.
package final class ForwardingCache: TokenCache {
  private let store: any TokenCache

  package init(_ store: any TokenCache) {
    self.store = store
  }

  package func record(for key: TokenCacheKey) async throws -> TokenRecord? { try await store.record(for: key) }
  package func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try await store.store(record, for: key)
  }
  package func removeRecord(for key: TokenCacheKey) async throws { try await store.removeRecord(for: key) }
  package func keys() async throws -> [TokenCacheKey] { try await store.keys() }
}
