import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import Testing

@Suite struct EncryptedTokenCacheTests {
  private let store = InMemoryTokenCache()
  private let keys = Locked([EncryptionKey.random()])

  private var cache: EncryptedTokenCache<InMemoryTokenCache> {
    EncryptedTokenCache(wrapping: store, keys: ClosureKeyProvider { [keys] in keys.withLock { $0 } })
  }

  @Test func keepsTheRulesOverMemory() async {
    let key = EncryptionKey.random()
    let broken = await TokenCacheConformance {
      EncryptedTokenCache(wrapping: InMemoryTokenCache(), keys: ClosureKeyProvider { [key] })
    }.brokenRules()
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test func keepsTheRulesOverFiles() async throws {
    let folders = Locked<[TemporaryFolder]>([])
    let keyFolder = try TemporaryFolder()
    let keys = KeyFileProvider(file: keyFolder.url.appendingPathComponent("key"))
    var suite = TokenCacheConformance {
      let folder = try TemporaryFolder()
      folders.withLock { $0.append(folder) }
      return EncryptedTokenCache(wrapping: try FileTokenCache(directory: folder.store), keys: keys)
    }
    suite.makeSecondInstance = { _ in
      let folder = folders.withLock { $0.last?.store }
      return EncryptedTokenCache(wrapping: try FileTokenCache(directory: folder), keys: keys)
    }
    let broken = await suite.brokenRules()
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test func noSecretReachesTheDisk() async throws {
    let folder = try TemporaryFolder()
    let key = EncryptionKey.random()
    let cache = EncryptedTokenCache(
      wrapping: try FileTokenCache(directory: folder.store), keys: ClosureKeyProvider { [key] })
    try await cache.store(Samples.record(), for: Samples.key)
    let files = try folder.paths().compactMap {
      FileManager.default.contents(atPath: folder.store.appendingPathComponent($0).path)
    }
    #expect(files.contains { String(decoding: $0, as: UTF8.self).contains("sealed") })
    for file in files {
      let text = String(decoding: file, as: UTF8.self).lowercased()
      for canary in ["canary", "b2c_1_signin.tenant", "1767225600"] { #expect(!text.contains(canary), "\(canary)") }
      #expect(!text.contains(Base64URL.encode(key.bytes).lowercased()))
    }
  }

  @Test func everyWriteHasANonceOfItsOwn() async throws {
    var seen = Set<String>()
    for _ in 0..<50 {
      try await cache.store(Samples.record(), for: Samples.key)
      seen.insert(try await sealed(Samples.key))
    }
    #expect(seen.count == 50)
  }

  @Test(arguments: [0, 1, 2])
  func aChangedPartDoesNotOpen(_ part: Int) async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    let text = try await sealed(Samples.key)
    var parts = text.split(separator: ".").map(String.init)
    var changed = 0
    for index in parts[part].indices where part != 2 || parts[part].distance(from: index, to: parts[part].endIndex) > 2
    {
      var other = parts
      other[part].replaceSubrange(index...index, with: parts[part][index] == "A" ? "B" : "A")
      try await put(other.joined(separator: "."), for: Samples.key)
      #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .decryptionFailed)
      changed += 1
    }
    #expect(changed > 0)
    parts[2].removeLast(8)
    try await put(parts.joined(separator: "."), for: Samples.key)
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .decryptionFailed)
  }

  @Test(arguments: ["", "1", "1..", "...", "2.a.b", "1.!.!", "1.QQ.QQ"])
  func aDamagedHeaderIsAnError(_ text: String) async throws {
    try await put(text, for: Samples.key)
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .decryptionFailed)
  }

  @Test func swappedRecordsDoNotOpen() async throws {
    try await cache.store(Samples.record("one"), for: Samples.key)
    try await cache.store(Samples.record("two"), for: Samples.otherKey)
    try await put(try await sealed(Samples.otherKey), for: Samples.key)
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .decryptionFailed)
    #expect(try await cache.record(for: Samples.otherKey) == Samples.record("two"))
  }

  @Test func plaintextIsNotTaken() async throws {
    await store.store(Samples.record(), for: Samples.key)
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .decryptionFailed)
  }

  @Test func oldKeysReadAndTheNewOneWrites() async throws {
    let old = keys.withLock { $0[0] }
    let new = EncryptionKey.random()
    try await cache.store(Samples.record("old"), for: Samples.key)
    try await cache.store(Samples.record("old"), for: Samples.otherKey)
    keys.withLock { $0 = [new, old] }
    #expect(try await cache.record(for: Samples.key) == Samples.record("old"))
    try await cache.store(Samples.record("new"), for: Samples.key)
    #expect(try await cache.resealRecords() == 1)
    #expect(try await cache.resealRecords() == 0)
    keys.withLock { $0 = [new] }
    #expect(try await cache.record(for: Samples.key) == Samples.record("new"))
    #expect(try await cache.record(for: Samples.otherKey) == Samples.record("old"))
  }

  @Test func aKeyThatIsNotKnownIsNamed() async throws {
    let lost = keys.withLock { $0[0] }
    try await cache.store(Samples.record(), for: Samples.key)
    keys.withLock { $0 = [.random()] }
    let error = await failure { _ = try await cache.record(for: Samples.key) }
    #expect(error?.code == .decryptionFailed)
    #expect(error?.message.contains(lost.id) == true)
  }

  @Test func aKeyOfTheSameNameAndOtherBytesDoesNotOpen() async throws {
    let id = keys.withLock { $0[0].id }
    try await cache.store(Samples.record(), for: Samples.key)
    let impostor = try EncryptionKey(id: id, bytes: Data(repeating: 7, count: 32))
    keys.withLock { $0 = [impostor] }
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .decryptionFailed)
  }

  @Test func withoutAKeyNothingIsWritten() async throws {
    struct Unreachable: Error {}
    let failing = EncryptedTokenCache(wrapping: store, keys: ClosureKeyProvider { throw Unreachable() })
    let empty = EncryptedTokenCache(wrapping: store, keys: ClosureKeyProvider { [] })
    for cache in [failing, empty] {
      let error = await failure { try await cache.store(Samples.record(), for: Samples.key) }
      #expect(error?.code == .encryptionUnavailable)
    }
    #expect(await store.keys().isEmpty)
  }

  @Test func saysWhetherItEncrypts() {
    let encrypted: any TokenCache = cache
    #expect(encrypted.isEncrypted)
    let plain: any TokenCache = store
    #expect(!plain.isEncrypted)
  }

  @Test func exclusiveAccessIsThatOfTheWrappedCache() {
    struct Plain: TokenCache {
      func record(for key: TokenCacheKey) async throws -> TokenRecord? { nil }
      func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {}
      func removeRecord(for key: TokenCacheKey) async throws {}
      func keys() async throws -> [TokenCacheKey] { [] }
    }
    let provider = ClosureKeyProvider { [] }
    let overPlain: any TokenCache = EncryptedTokenCache(wrapping: Plain(), keys: provider)
    let overExclusive: any TokenCache = EncryptedTokenCache(wrapping: InMemoryTokenCache(), keys: provider)
    #expect(!(overPlain is any ExclusiveTokenCache))
    #expect(overExclusive is any ExclusiveTokenCache)
  }

  @Test func goesOverACacheThatWasChosenAtRunTime() async throws {
    let caches: [any TokenCache] = [store, FaultyTokenCache { _ in }]
    for chosen in caches {
      let encrypted = chosen.encrypted(with: ClosureKeyProvider { [keys] in keys.withLock { $0 } })
      #expect(encrypted.isEncrypted && !chosen.isEncrypted)
      #expect(encrypted is any ExclusiveTokenCache)
      try await encrypted.store(Samples.record(), for: Samples.key)
      #expect(try await encrypted.record(for: Samples.key) == Samples.record())
      #expect(try await chosen.record(for: Samples.key)?.refreshToken == nil)
    }
    let broken = await TokenCacheConformance {
      let plain: any TokenCache = InMemoryTokenCache()
      let key = EncryptionKey.random()
      return plain.encrypted(with: ClosureKeyProvider { [key] })
    }.brokenRules()
    #expect(broken.isEmpty, "\(broken)")
  }

  private func sealed(_ key: TokenCacheKey) async throws -> String {
    try #require(await store.record(for: key)?.unknownMembers["sealed"]?.string)
  }

  private func put(_ text: String, for key: TokenCacheKey) async throws {
    var record = TokenRecord(signedInAt: Samples.date(0))
    record.unknownMembers = ["sealed": .string(text)]
    await store.store(record, for: key)
  }
}
