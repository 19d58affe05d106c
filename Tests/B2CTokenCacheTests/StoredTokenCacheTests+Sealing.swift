import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// Records that are sealed with a key of the app.
@Suite(.hangLimit) struct StoredTokenCacheSealingTests {
  // Others may change its items, so nothing is served from memory.
  private let keychain = DictionaryKeychain(isShared: true)
  private let cache: StoredTokenCache

  init() throws {
    cache = try Self.cache(over: keychain)
  }

  private static func cache(
    over keychain: DictionaryKeychain, key: Data = Samples.sealingKey
  ) throws -> StoredTokenCache {
    StoredTokenCache(KeychainStore(keychain), form: try RecordForm(sealedWith: key))
  }

  @Test("A key has 32 bytes", arguments: [0, 16, 31, 33])
  func keySize(_ count: Int) throws {
    let temporary = try TemporaryDirectory()
    expectError(ConnectorError.self, .tokenCache, saying: "this one has \(count)") {
      try StoredTokenCache.files(at: temporary.store, sealedWith: Data(repeating: 1, count: count))
    }
    #expect(!FileManager.default.fileExists(atPath: temporary.store.path))
  }

  @Test("No secret reaches the disk")
  func secrecy() async throws {
    let temporary = try TemporaryDirectory()
    let bytes = Data("canary-key-canary-key-canary-key".utf8)
    let cache = try StoredTokenCache.files(at: temporary.store, sealedWith: bytes)
    try await cache.store("one")
    #expect(try await cache.replace(with: "two"))
    let texts = try temporary.paths().compactMap { path in
      FileManager.default.contents(atPath: temporary.store.appendingPathComponent(path).path)
        .map { String(decoding: $0, as: UTF8.self).lowercased() }
    }
    #expect(texts.contains { $0.contains("sealed") })
    for canary in ["canary", "b2c_1_signin", "1767225600", Base64URL.encode(bytes).lowercased()] {
      #expect(!texts.contains { $0.contains(canary) }, "\(canary)")
    }
  }

  @Test("The bytes of the key are not printed")
  func printing() throws {
    let cache = try Self.cache(over: keychain, key: Data("canary-canary-canary-canary-0000".utf8))
    var text = "\(cache)" + String(reflecting: cache)
    dump(cache, to: &text)
    for hint in ["canary", "99, 97", "Y2FuYXJ5"] { #expect(!text.contains(hint)) }
  }

  @Test("A changed character of nonce, ciphertext or tag does not open; each write has another nonce")
  func changedText() async throws {
    try await cache.store("one")
    let text = try #require(try item()["sealed"] as? String)
    // The last characters of base64 may hold bits that mean nothing.
    for index in text.indices.dropLast(2) {
      try plant(["sealed": text.replacingCharacters(in: index...index, with: text[index] == "A" ? "B" : "A")])
      await expectFailure("cannot be opened") { try await cache.sample() }
    }
    for shorter in [String(text.dropLast(8)), String(text.prefix(20)), "", "!"] {
      try plant(["sealed": shorter])
      await expectFailure("sealed") { try await cache.sample() }
    }
    try plant(["sealed": text])
    #expect(try await cache.sample() == Samples.record())
    try await cache.store("one")
    #expect(try item()["sealed"] as? String != text)
  }

  // With another stamp, an old record could pass for the one that was read.
  static let changedFields = [
    (#"{"stamp":"22000000-0000-4000-8000-000000000033"}"#, "cannot be opened"), (#"{"stamp":null}"#, "is not sealed"),
    (#"{"position":8}"#, "cannot be opened"), (#"{"b2cTokenRecord":2}"#, "has the stored form 2"),
  ]

  @Test("A record with a changed stamp, position or version is refused as that", arguments: changedFields)
  func changedField(_ fields: String, _ words: String) async throws {
    try await cache.store("one")
    try plant(try #require(try JSONSerialization.jsonObject(with: Data(fields.utf8)) as? [String: Any]))
    await expectFailure(words) { try await cache.sample() }
    await expectFailure(words) { try await cache.replace(with: "two") }
  }

  @Test(
    "A sealed record opens under its own key only, whichever part of the key differs",
    arguments: [
      ("https://contoso.b2clogin.com/other", "c", "a"), ("https://contoso.b2clogin.com/tenant", "d", "a"),
      ("https://contoso.b2clogin.com/tenant", "c", "b"), ("https://contoso.b2clogin.com/tenant", "c", "A"),
      ("https://contoso.b2clogin.com/tenant", "ca", ""),
    ])
  func binding(_ authority: String, _ clientID: String, _ userID: String) async throws {
    let key = TokenCacheKey(authority: "https://contoso.b2clogin.com/tenant", clientID: "c", userID: "a")
    let other = TokenCacheKey(authority: authority, clientID: clientID, userID: userID)
    try await cache.store(Samples.record(), for: key)
    // Moved, with the readable key changed to fit.
    try plant(["key": ["authority": authority, "clientID": clientID, "userID": userID]], from: key, to: other)
    await expectFailure("cannot be opened") { try await cache.record(for: other) }
    #expect(try await cache.record(for: key) == Samples.record())
  }

  @Test("Plaintext is not accepted, and a plain cache does not take a sealed record for a damaged one")
  func plaintext() async throws {
    let plain = StoredTokenCache(KeychainStore(keychain))
    try await plain.store("one")
    await expectFailure("is not sealed") { try await cache.sample() }
    await expectFailure("is not sealed") { try await cache.replace(with: "two") }
    try await cache.store("sealed")
    await expectFailure("this cache has no key") { try await plain.sample() }
    #expect(try await plain.keys() == [Samples.key])
  }

  @Test("What another key has sealed is left as it is, until a sign-in replaces it or a sign-out removes it")
  func otherKey() async throws {
    let temporary = try TemporaryDirectory()
    let lost = try StoredTokenCache.files(at: temporary.store, sealedWith: Data(repeating: 8, count: 32))
    let cache = try StoredTokenCache.files(at: temporary.store, sealedWith: Samples.sealingKey)
    for key in [Samples.key, Samples.otherKey] { try await lost.store(Samples.record(), for: key) }
    for _ in 0..<2 {
      let error = await expectFailure("sealed with another key") { try await cache.sample() }
      #expect(error?.recoverySuggestion?.contains("sign in again") == true)
    }
    #expect(try await Set(cache.keys()) == [Samples.key, Samples.otherKey])
    #expect(try await lost.sample() == Samples.record())
    try await cache.store("new")
    #expect(try await cache.sample() == Samples.record("new"))
    try await cache.removeRecord(for: Samples.otherKey)
    #expect(try await cache.keys() == [Samples.key])
  }

  /// The fields of an item.
  private func item(_ key: TokenCacheKey = Samples.key) throws -> [String: Any] {
    let data = try #require(keychain.contents[key.canonicalText])
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// Puts an item with other fields in the place of one.
  private func plant(
    _ fields: [String: Any], from key: TokenCacheKey = Samples.key, to other: TokenCacheKey = Samples.key
  ) throws {
    let changed = try item(key).merging(fields) { $1 }
    keychain.plant(try JSONSerialization.data(withJSONObject: changed), account: other.canonicalText)
  }
}
