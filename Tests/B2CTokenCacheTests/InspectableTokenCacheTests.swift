import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

@Suite("Proving a cache writable", .timeLimit(.minutes(10)))
struct InspectableTokenCacheTests {
  @Test("A file cache writes and flushes a temporary file, and nothing is left of it", .descriptors())
  func files() async throws {
    let temporary = try TemporaryDirectory()
    let files = WatchedFileSystem()
    let cache = try FileTokenCache(directory: temporary.store, now: { Date() }, files: files)
    try await cache.store(Samples.record(), for: Samples.key)
    let before = try temporary.paths()
    _ = files.takeCalls()
    try await cache.proveWritable()
    #expect(files.takeCalls().map { $0.prefix { $0 != " " } } == ["create", "write", "flush", "remove", "remove"])
    #expect(try temporary.paths() == before)
    #expect(files.openCount == 0)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  @Test("A full disk is found, and leaves no file", .descriptors(), arguments: [false, true])
  func fullDisk(isEncrypted: Bool) async throws {
    let temporary = try TemporaryDirectory()
    let files = WatchedFileSystem()
    let plain = try FileTokenCache(directory: temporary.store, now: { Date() }, files: files)
    let cache: any InspectableTokenCache =
      isEncrypted ? EncryptedTokenCache(wrapping: plain, key: StaticKey()) : plain
    try await cache.proveWritable()
    files.failWrites(afterBytes: 10)
    let error = await failure { try await cache.proveWritable() }
    #expect(error?.code == .unwritable)
    #expect(error?.message.contains(temporary.store.path) == true)
    #expect(try temporary.paths().filter { !$0.hasSuffix(".lock") }.isEmpty)
    #expect(files.openCount == 0)
  }

  @Test("Two at a time do not disturb each other or a writer", .descriptors())
  func atOnce() async throws {
    let temporary = try TemporaryDirectory()
    let caches = try (0..<2).map { _ in try FileTokenCache(directory: temporary.store, lockTimeout: .patience) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask { try await caches[number % 2].proveWritable() }
        group.addTask { try await caches[number % 2].store(Samples.record("\(number)"), for: Samples.key) }
      }
      try await group.waitForAll()
    }
    #expect(try temporary.paths().filter { $0.hasPrefix("000") }.isEmpty)
    #expect(try await caches[0].keys() == [Samples.key])
  }

  @Test("Without an encryption key an encrypted cache is not writable")
  func noKey() async throws {
    let keychain = DictionaryKeychain()
    let cache = EncryptedTokenCache(wrapping: InMemoryTokenCache(), key: StoredKeychainKey(keychain))
    keychain.fail(with: .missingEntitlement)
    #expect(await failure { try await cache.proveWritable() }?.code == .missingEntitlement)
    keychain.fail(with: nil)
    try await cache.proveWritable()
  }

  @Test("A keychain gets an item and loses it; one left behind counts as open")
  func keychain() async throws {
    let keychain = DictionaryKeychain()
    let cache = KeychainRecords(keychain)
    try await cache.store(Samples.record(), for: Samples.key)
    let before = keychain.contents
    try await cache.proveWritable()
    #expect(keychain.contents == before)
    keychain.plant(Data(), account: "B2CConnector.probe")
    #expect(try await cache.keys() == [Samples.key])
    try await cache.proveWritable()
    #expect(keychain.contents == before)
    for (status, code) in [
      (KeychainStatus.missingEntitlement, TokenCacheError.Code.missingEntitlement),
      (.interactionNotAllowed, .unwritable), (.notAvailable, .unwritable),
    ] {
      keychain.fail(with: status)
      #expect(await failure { try await cache.proveWritable() }?.code == code)
    }
  }

  @Test("A wrapper is inspected where what it wraps is this package's")
  func wrappers() async throws {
    let keychain = DictionaryKeychain()
    let own = EncryptedTokenCache(wrapping: KeychainRecords(keychain), key: StaticKey())
    #expect(own.isInspectable && InMemoryTokenCache().isInspectable)
    #expect(LocallySharedTokenCache(KeychainRecords(keychain)).isInspectable)
    keychain.fail(with: .notAvailable)
    #expect(await failure { try await own.proveWritable() }?.code == .unwritable)
    let custom = PlainTokenCache()
    #expect(!EncryptedTokenCache(wrapping: custom, key: StaticKey()).isInspectable)
    #expect(!LocallySharedTokenCache(custom).isInspectable)
  }

  @Test("Inspecting an encrypted cache quarantines nothing", .descriptors())
  func encryptedInspection() async throws {
    let temporary = try TemporaryDirectory()
    let cache = EncryptedTokenCache(wrapping: try FileTokenCache(directory: temporary.store), key: StaticKey())
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await cache.inspect() == [Samples.key])
    let file = try #require(try temporary.recordFiles().first)
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: 10)
    try handle.close()
    let before = try temporary.paths()
    let other = EncryptedTokenCache(wrapping: try FileTokenCache(directory: temporary.store), key: StaticKey())
    #expect(await failure { _ = try await other.inspect() }?.code == .damaged)
    #expect(try temporary.paths() == before)
  }
}

/// One key for all tests.
private struct StaticKey: EncryptionKeySource {
  private static let key = EncryptionKey.random()

  func encryptionKey() async throws -> EncryptionKey { Self.key }
}
