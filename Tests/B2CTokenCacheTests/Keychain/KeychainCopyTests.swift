import B2CCore
import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// Which keychain calls a record costs that was read before.
@Suite("Keychain, copies in memory", .timeLimit(.minutes(10)))
struct KeychainCopyTests {
  private static let account = Samples.key.canonicalText
  private static let shared = "TEAM.com.example.shared"

  static let hits: [(String?, KeychainProcess, [DictionaryKeychain.Call])] = [
    (nil, DictionaryKeychain.app, []),
    (DictionaryKeychain.ownGroup, DictionaryKeychain.app, []),
    (shared, DictionaryKeychain.app, [.attributes]),
    (DictionaryKeychain.ownGroup, KeychainProcess(bundleID: "com.example.app", isExtension: true), [.attributes]),
    (DictionaryKeychain.ownGroup, KeychainProcess(bundleID: nil), [.attributes]),
  ]

  @Test("A hit costs no call in the app's own group, elsewhere one that reads no secret", arguments: hits)
  func hit(_ group: String?, _ process: KeychainProcess, _ calls: [DictionaryKeychain.Call]) async throws {
    let keychain = DictionaryKeychain(groups: [DictionaryKeychain.ownGroup, Self.shared])
    let cache = KeychainRecords(keychain, group: group, process: process)
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
    _ = keychain.takeCalls()
    for _ in 0..<3 { #expect(try await cache.record(for: Samples.key) == Samples.record()) }
    #expect(keychain.takeCalls() == calls + calls + calls)
  }

  @Test("An item that a locked device does not show is looked at before its copy is used")
  func lockedAgain() async throws {
    let keychain = DictionaryKeychain(staysOpen: false)
    let cache = KeychainRecords(keychain, process: DictionaryKeychain.app)
    try await cache.store(Samples.record(), for: Samples.key)
    for _ in 0..<2 { #expect(try await cache.record(for: Samples.key) == Samples.record()) }
    _ = keychain.takeCalls()
    #expect(try await cache.record(for: Samples.key) == Samples.record())
    #expect(keychain.takeCalls() == [.attributes])
    keychain.lock()
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .unreadable)
  }

  @Test("In a shared group, a change by another process is seen at the next call", arguments: [true, false])
  func foreignChange(_ isRemoval: Bool) async throws {
    let keychain = DictionaryKeychain(groups: [Self.shared])
    let cache = KeychainRecords(keychain, group: Self.shared, process: DictionaryKeychain.app)
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
    let other = KeychainRecords(keychain.otherProcess(), group: Self.shared, process: DictionaryKeychain.app)
    if isRemoval {
      try await other.removeRecord(for: Samples.key)
    } else {
      try await other.store(Samples.record("two"), for: Samples.key)
    }
    #expect(try await cache.record(for: Samples.key) == (isRemoval ? nil : Samples.record("two")))
  }

  @Test("An item that has just changed is read again: two changes may have one date")
  func justChanged() async throws {
    let keychain = DictionaryKeychain(groups: [Self.shared])
    let now = Locked(Date(timeIntervalSince1970: 1_000_000_000))
    let process = KeychainProcess(bundleID: nil, now: { now.withLock { $0 } })
    let cache = KeychainRecords(keychain, group: Self.shared, process: process)
    try await cache.store(Samples.record(), for: Samples.key)
    for expected in [DictionaryKeychain.Call.item, .item] {
      _ = keychain.takeCalls()
      #expect(try await cache.record(for: Samples.key) == Samples.record())
      #expect(keychain.takeCalls() == [expected])
    }
    now.withLock { $0 += 60 }
    #expect(try await cache.record(for: Samples.key) == Samples.record())
    _ = keychain.takeCalls()
    #expect(try await cache.record(for: Samples.key) == Samples.record())
    #expect(keychain.takeCalls() == [.attributes])
  }

  @Test("Under the refresh lock, and in an update, the item is read")
  func refreshLock() async throws {
    let keychain = DictionaryKeychain()
    let cache = KeychainRecords(keychain, process: DictionaryKeychain.app)
    let shared = cache.shared(on: ContinuousClock())
    try await shared.store(Samples.record(), for: Samples.key)
    _ = keychain.takeCalls()
    let underLock = try await shared.withRefreshLock(for: Samples.key) {
      let record = try await shared.record(for: Samples.key)
      return (record, keychain.takeCalls())
    }
    #expect(underLock.0 == Samples.record())
    #expect(underLock.1 == [.item])
    #expect(try await shared.update(Samples.key) { $0 } == Samples.record())
    #expect(keychain.takeCalls() == [.item])
  }

  @Test("A listing shows which copies are old: another process's sign-out is noticed with the session")
  func listing() async throws {
    let keychain = DictionaryKeychain()
    let cache = KeychainRecords(keychain, process: DictionaryKeychain.app)
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
    keychain.uproot(Self.account)
    #expect(try await cache.keys().isEmpty)
    #expect(try await cache.record(for: Samples.key) == nil)
  }

  @Test("Keychain calls run beside the tasks: one that waits holds no thread that tasks share")
  func ownQueue() async throws {
    let keychain = DictionaryKeychain()
    let cache = KeychainRecords(keychain, process: DictionaryKeychain.app)
    let calls = Locked<[Bool: Int]>([:])
    keychain.afterCalls { _ in
      let isInTask = withUnsafeCurrentTask { $0 != nil }
      calls.withLock { $0[isInTask, default: 0] += 1 }
    }
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await cache.record(for: Samples.otherKey) == nil)
    #expect(try await cache.keys() == [Samples.key])
    try await cache.removeRecord(for: Samples.key)
    try await cache.proveWritable()
    _ = try await StoredKeychainKey(keychain, process: DictionaryKeychain.app).encryptionKey()
    #expect(calls.withLock { $0[true] } == nil)
    #expect(calls.withLock { $0[false] ?? 0 } > 10)
  }
}
