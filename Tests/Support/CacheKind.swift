internal import B2CCore
package import B2CTokenCache
package import Foundation

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
