import B2CTokenCache
import TestSupport
import Testing

/// Which keychain calls a record costs that was read before.
@Suite("Keychain, copies in memory", .hangLimit)
struct KeychainStoreCopiesTests {
  @Test("A hit costs no call without a named group, and one call where other processes may change the item")
  func hit() async throws {
    for isShared in [false, true] {
      let keychain = DictionaryKeychain(isShared: isShared)
      let cache = StoredTokenCache(KeychainStore(keychain))
      try await cache.store(Samples.record(), for: Samples.key)
      _ = keychain.takeCalls()
      for _ in 0..<3 { #expect(try await cache.record(for: Samples.key) == Samples.record()) }
      #expect(keychain.takeCalls() == Array(repeating: .data, count: isShared ? 3 : 0))
    }
  }

  @Test("In a named group, a change by another process is seen at the next call", arguments: [true, false])
  func foreignChange(_ isRemoval: Bool) async throws {
    let keychain = DictionaryKeychain(isShared: true)
    let cache = StoredTokenCache(KeychainStore(keychain))
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
    let other = StoredTokenCache(KeychainStore(keychain.otherProcess()))
    if isRemoval {
      try await other.removeRecord(for: Samples.key)
    } else {
      try await other.store(Samples.record("two"), for: Samples.key)
    }
    #expect(try await cache.record(for: Samples.key) == (isRemoval ? nil : Samples.record("two")))
  }

  @Test("A listing shows which copies are old: another process's sign-out is noticed with the session")
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
