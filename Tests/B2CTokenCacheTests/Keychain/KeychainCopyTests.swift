import B2CCore
import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// Which keychain calls a record costs that was read before.
@Suite("Keychain, copies in memory", .timeLimit(.minutes(10)))
struct KeychainCopyTests {
  @Test("A hit costs no call without a named group, and one call where other processes may change the item")
  func hit() async throws {
    for isShared in [false, true] {
      let keychain = DictionaryKeychain(isShared: isShared)
      let cache = KeychainRecords(keychain)
      try await cache.store(Samples.record(), for: Samples.key)
      _ = keychain.takeCalls()
      for _ in 0..<3 { #expect(try await cache.record(for: Samples.key) == Samples.record()) }
      #expect(keychain.takeCalls() == Array(repeating: .data, count: isShared ? 3 : 0))
    }
  }

  @Test("An item that a locked device does not show is not served from memory")
  func lockedAgain() async throws {
    let keychain = DictionaryKeychain(staysOpen: false)
    let cache = KeychainRecords(keychain)
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
    keychain.lock()
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .unreadable)
  }

  @Test("In a named group, a change by another process is seen at the next call", arguments: [true, false])
  func foreignChange(_ isRemoval: Bool) async throws {
    let keychain = DictionaryKeychain(isShared: true)
    let cache = KeychainRecords(keychain)
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
    let other = KeychainRecords(keychain.otherProcess())
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
    let cache = KeychainRecords(keychain)
    try await cache.store(Samples.record(), for: Samples.key)
    keychain.uproot(Samples.key.canonicalText)
    #expect(try await cache.keys().isEmpty)
    #expect(try await cache.record(for: Samples.key) == nil)
  }

  @Test("Two caches over the same items see each other's changes at once")
  func twoCaches() async throws {
    let keychain = DictionaryKeychain()
    let (one, two) = (KeychainRecords(keychain), KeychainRecords(keychain))
    try await one.store(Samples.record("one"), for: Samples.key)
    #expect(try await two.record(for: Samples.key) == Samples.record("one"))
    try await two.store(Samples.record("two"), for: Samples.key)
    #expect(try await one.record(for: Samples.key) == Samples.record("two"))
    try await one.removeRecord(for: Samples.key)
    #expect(try await two.record(for: Samples.key) == nil)
  }

  @Test("Keychain calls run beside the tasks: one that waits holds no thread that tasks share")
  func ownQueue() async throws {
    let keychain = DictionaryKeychain()
    let cache = KeychainRecords(keychain)
    let calls = Locked<[Bool: Int]>([:])
    keychain.afterCalls { _ in
      let isInTask = withUnsafeCurrentTask { $0 != nil }
      calls.withLock { $0[isInTask, default: 0] += 1 }
    }
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await cache.record(for: Samples.otherKey) == nil)
    #expect(try await cache.keys() == [Samples.key])
    try await cache.removeRecord(for: Samples.key)
    #expect(calls.withLock { $0[true] } == nil)
    #expect(calls.withLock { $0[false] ?? 0 } > 5)
  }
}
