import B2CTokenCache
import TestSupport
import Testing

/// The keychain calls that are left for a record that was read before.
@Suite("Keychain, copies in memory", .hangLimit)
struct KeychainStoreCopiesTests {
  @Test(
    "A hit costs no keychain call without a named group, and one if other processes may change the item",
    arguments: [false, true])
  func hit(_ isShared: Bool) async throws {
    let keychain = DictionaryKeychain(isShared: isShared)
    let cache = StoredTokenCache(KeychainStore(keychain))
    try await cache.store(Samples.record(), for: Samples.key)
    _ = keychain.takeCalls()
    for _ in 0..<3 { #expect(try await cache.record(for: Samples.key) == Samples.record()) }
    #expect(keychain.takeCalls() == Array(repeating: .data, count: isShared ? 3 : 0))
  }

  @Test("A listing drops the copies of items that another process has removed")
  func listing() async throws {
    let keychain = DictionaryKeychain()
    let cache = StoredTokenCache(KeychainStore(keychain))
    try await cache.store(Samples.record(), for: Samples.key)
    keychain.uproot(Samples.key.canonicalText)
    #expect(try await cache.keys().isEmpty)
    #expect(try await cache.record(for: Samples.key) == nil)
  }

  @Test("A write that is refused leaves no copy of the record that was not written")
  func refusedWrite() async throws {
    let keychain = DictionaryKeychain()
    let cache = StoredTokenCache(KeychainStore(keychain))
    try await cache.store(Samples.record(), for: Samples.key)
    keychain.fail(with: .interactionNotAllowed)
    await expectFailure("the device is locked", isRetryable: true) {
      try await cache.store(Samples.record("two"), for: Samples.key)
    }
    keychain.fail(with: nil)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }
}
