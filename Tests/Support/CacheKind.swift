internal import B2CCore
package import B2CTokenCache
package import Foundation

/// The kinds of token caches that two connectors of one process may share.
package enum CacheKind: String, CaseIterable, Sendable {
  case fourMethodClass, fourMethodActor, structOverClass, inMemory, file, twoFileCaches, oneEncrypted,
    twoEncryptedOverOne, twoKeychains

  /// Makes a cache for each of two connectors over one store.
  package func make(in directory: URL) throws -> (one: any TokenCache, two: any TokenCache) {
    switch self {
    case .fourMethodClass: return Self.same(FourMethodCache())
    case .fourMethodActor: return Self.same(FourMethodActor())
    case .structOverClass:
      let store = FourMethodCache()
      return (FourMethodStruct(store: store), FourMethodStruct(store: store))
    case .inMemory: return Self.same(InMemoryTokenCache(lockTimeout: .patience))
    case .file: return Self.same(try FileTokenCache(directory: directory))
    case .twoFileCaches: return (try FileTokenCache(directory: directory), try FileTokenCache(directory: directory))
    case .oneEncrypted: return Self.same(EncryptedTokenCache(wrapping: FourMethodCache(), key: try key()))
    case .twoEncryptedOverOne:
      let store = FourMethodCache()
      let key = try key()
      return (EncryptedTokenCache(wrapping: store, key: key), EncryptedTokenCache(wrapping: store, key: key))
    case .twoKeychains:
      let keychain = DictionaryKeychain()
      return (KeychainRecords(keychain), KeychainRecords(keychain))
    }
  }

  private func key() throws -> EncryptionKey { try EncryptionKey(bytes: Data(repeating: 7, count: 32)) }

  private static func same(_ cache: any TokenCache) -> (any TokenCache, any TokenCache) { (cache, cache) }
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

/// A store that counts its changes, for ``StampedProcess``.
package final class StampedStore: Sendable {
  fileprivate let records = InMemoryTokenCache(lockTimeout: .patience)
  fileprivate let changes = Locked(0)

  package init() {}
}

/// A process's view of a store that processes share, with a change stamp or without.
package final class StampedProcess: SharedTokenCache {
  private let store: StampedStore
  private let hasStamp: Bool

  package init(_ store: StampedStore, hasStamp: Bool) {
    self.store = store
    self.hasStamp = hasStamp
  }

  package func record(for key: TokenCacheKey) async -> TokenRecord? { await store.records.record(for: key) }

  package func store(_ record: TokenRecord, for key: TokenCacheKey) async {
    store.changes.withLock { $0 += 1 }
    await store.records.store(record, for: key)
  }

  package func removeRecord(for key: TokenCacheKey) async {
    store.changes.withLock { $0 += 1 }
    await store.records.removeRecord(for: key)
  }

  package func keys() async -> [TokenCacheKey] { await store.records.keys() }

  package func update(
    _ key: TokenCacheKey, _ change: @escaping @Sendable (TokenRecord?) -> TokenRecord?
  ) async -> TokenRecord? {
    store.changes.withLock { $0 += 1 }
    return await store.records.update(key, change)
  }

  package func withRefreshLock<Result: Sendable>(
    for key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result { try await store.records.withRefreshLock(for: key, body) }

  package func changeStamp() async -> Int? { hasStamp ? store.changes.withLock { $0 } : nil }
}

/// A value type over a store that all of its copies share.
package struct FourMethodStruct: TokenCache {
  package let store: any TokenCache

  package init(store: any TokenCache) {
    self.store = store
  }

  package func record(for key: TokenCacheKey) async throws -> TokenRecord? { try await store.record(for: key) }
  package func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try await store.store(record, for: key)
  }
  package func removeRecord(for key: TokenCacheKey) async throws { try await store.removeRecord(for: key) }
  package func keys() async throws -> [TokenCacheKey] { try await store.keys() }
}
