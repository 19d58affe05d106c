import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct EncryptedTokenCacheTests {
  private let store = InMemoryTokenCache()
  private let cache: EncryptedTokenCache

  init() throws {
    cache = EncryptedTokenCache(wrapping: store, key: try Samples.encryptionKey())
  }

  @Test("The conformance suite finds nothing over memory, over four methods alone, and over a cache chosen at run time")
  func conformance() async throws {
    let key = try Samples.encryptionKey()
    let wrapped: [@Sendable () -> any TokenCache] = [
      { InMemoryTokenCache(lockTimeout: .patience) },
      { LocallySharedTokenCache(PlainTokenCache(), lockTimeout: .patience) },
    ]
    for make in wrapped {
      let suite = TokenCacheConformance {
        EncryptedTokenCache(wrapping: make(), key: key)
      }
      let broken = try await suite.brokenRules()
      #expect(broken.isEmpty, "\(broken)")
    }
  }

  @Test("The conformance suite finds nothing over files")
  func conformanceOverFiles() async throws {
    let temporaries = Locked<[TemporaryDirectory]>([])
    let key = try Samples.encryptionKey()
    var suite = TokenCacheConformance {
      let temporary = try TemporaryDirectory()
      temporaries.withLock { $0.append(temporary) }
      return EncryptedTokenCache(
        wrapping: try FileTokenCache(directory: temporary.store, lockTimeout: .patience), key: key)
    }
    suite.makeSecondInstance = { _ in
      let temporary = temporaries.withLock { $0.last?.store }
      return EncryptedTokenCache(wrapping: try FileTokenCache(directory: temporary, lockTimeout: .patience), key: key)
    }
    let broken = try await suite.brokenRules()
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test("No secret reaches the disk")
  func secrecy() async throws {
    let temporary = try TemporaryDirectory()
    let bytes = Data("canary-key-canary-key-canary-key".utf8)
    let cache = EncryptedTokenCache(
      wrapping: try FileTokenCache(directory: temporary.store), key: try EncryptionKey(bytes: bytes))
    try await cache.store(Samples.record(), for: Samples.key)
    try await cache.update(Samples.key) { _ in Samples.record("two") }
    let files = try temporary.paths().compactMap {
      FileManager.default.contents(atPath: temporary.store.appendingPathComponent($0).path)
    }
    #expect(files.contains { String(decoding: $0, as: UTF8.self).contains("sealed") })
    for file in files {
      let text = String(decoding: file, as: UTF8.self).lowercased()
      for canary in ["canary", "b2c_1_signin.tenant", "1767225600"] { #expect(!text.contains(canary), "\(canary)") }
      #expect(!text.contains(Base64URL.encode(bytes).lowercased()))
    }
  }

  @Test("Every write has another nonce")
  func nonces() async throws {
    var seen = Set<String>()
    for _ in 0..<50 {
      try await cache.store(Samples.record(), for: Samples.key)
      seen.insert(try await sealed(Samples.key))
    }
    #expect(seen.count == 50)
  }

  @Test("An update that changes nothing keeps the ciphertext")
  func unchanged() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    let before = try await sealed(Samples.key)
    #expect(try await cache.update(Samples.key) { $0 } == Samples.record())
    #expect(try await sealed(Samples.key) == before)
  }

  @Test("A changed part does not open", arguments: [0, 1, 2])
  func changedParts(_ part: Int) async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    let text = try await sealed(Samples.key)
    var parts = text.split(separator: ".").map(String.init)
    var changed = 0
    // The last characters of base64 may hold bits that mean nothing.
    for index in parts[part].indices.dropLast(part == 2 ? 2 : 0) {
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

  @Test("A damaged header is an error", arguments: ["", "2", "2..", "...", "1.a.b", "2.!.!", "2.QQ.QQ"])
  func damagedHeader(_ text: String) async throws {
    try await put(text, for: Samples.key)
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .decryptionFailed)
    #expect(await failure { try await cache.update(Samples.key) { _ in nil } }?.code == .decryptionFailed)
    #expect(await store.record(for: Samples.key) != nil)
  }

  @Test(
    "A sealed record opens under its own key only, whichever part of the key differs",
    arguments: [
      ("https://contoso.b2clogin.com/other", "p", "c", "a"), ("https://contoso.b2clogin.com/tenant", "q", "c", "a"),
      ("https://contoso.b2clogin.com/tenant", "p", "d", "a"), ("https://contoso.b2clogin.com/tenant", "p", "c", "b"),
      ("https://contoso.b2clogin.com/tenant", "p", "c", "A"), ("https://contoso.b2clogin.com/tenant", "pc", "", "a"),
    ])
  func binding(_ authority: String, _ policy: String, _ clientID: String, _ userID: String) async throws {
    let key = TokenCacheKey(
      authority: "https://contoso.b2clogin.com/tenant", policy: "p", clientID: "c", userID: "a")
    let other = TokenCacheKey(authority: authority, policy: policy, clientID: clientID, userID: userID)
    try await cache.store(Samples.record("one"), for: key)
    try await put(try await sealed(key), for: other)
    #expect(await failure { _ = try await cache.record(for: other) }?.code == .decryptionFailed)
    #expect(try await cache.record(for: key) == Samples.record("one"))
  }

  @Test("Plaintext is not accepted")
  func plaintext() async throws {
    await store.store(Samples.record(), for: Samples.key)
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .decryptionFailed)
    #expect(await failure { try await cache.update(Samples.key) { $0 } }?.code == .decryptionFailed)
  }

  @Test("What another key has sealed does not open, and both keys are named by fingerprints")
  func otherKey() async throws {
    let (lost, current) = (try Samples.encryptionKey(), try Samples.encryptionKey(8))
    try await self.cache.store(Samples.record(), for: Samples.key)
    let cache = EncryptedTokenCache(wrapping: store, key: current)
    let error = await failure { _ = try await cache.record(for: Samples.key) }
    #expect(error?.code == .decryptionFailed)
    for key in [lost, current] {
      #expect(error?.message.contains(key.description.dropFirst("EncryptionKey(".count).dropLast()) == true)
    }
    try await cache.store(Samples.record("new"), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record("new"))
  }

  @Test("A fingerprint from a damaged file cannot write a line of its own (found by fuzzing)")
  func forgedFingerprint() async throws {
    try await put("2.a\u{1B}[2J\n\u{202E}b-refresh.QUJD", for: Samples.key)
    let error = await failure { _ = try await cache.record(for: Samples.key) }
    #expect(error?.code == .decryptionFailed)
    #expect(error?.message.contains("refresh") == false)
    #expect(error?.message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202E}" } == true)
  }

  @Test("The refresh lock is that of the wrapped cache")
  func refreshLock() async throws {
    let clock = TestClock(advancesItself: false)
    let shared = InMemoryTokenCache(lockTimeout: .seconds(1), clock: clock)
    let outer = EncryptedTokenCache(wrapping: shared, key: try Samples.encryptionKey())
    try await outer.withRefreshLock(for: Samples.key) {
      async let error = failure { try await shared.withRefreshLock(for: Samples.key) {} }
      await clock.waitForSleepers()
      await clock.advance(by: .seconds(1))
      #expect(await error?.code == .lockTimedOut)
    }
  }

  private func sealed(_ key: TokenCacheKey) async throws -> String {
    try #require(await store.record(for: key)?.sealed)
  }

  private func put(_ text: String, for key: TokenCacheKey) async throws {
    var record = TokenRecord(signedInAt: Samples.date(0))
    record.sealed = text
    await store.store(record, for: key)
  }
}
