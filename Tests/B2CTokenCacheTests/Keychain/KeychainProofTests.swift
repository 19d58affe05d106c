import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// A locked keychain says "not found": it is believed only after it has taken a probe.
@Suite("Keychain, proof that it is open", .timeLimit(.minutes(10)))
struct KeychainProofTests {
  private static let account = Samples.key.canonicalText
  private static let probe = "B2CConnector.probe"

  private func cache(_ keychain: DictionaryKeychain, group: String? = nil) -> KeychainRecords {
    KeychainRecords(keychain, group: group, process: DictionaryKeychain.app)
  }

  static let groups: [String?] = [nil, DictionaryKeychain.ownGroup]

  @Test("A locked keychain is unreadable, whatever is asked, and nothing is removed", arguments: groups, [true, false])
  func locked(_ group: String?, _ staysOpen: Bool) async throws {
    let keychain = DictionaryKeychain(staysOpen: staysOpen)
    try await cache(keychain, group: group).store(Samples.record(), for: Samples.key)
    let next = keychain.otherProcess()
    keychain.lock()
    let cache = cache(next, group: group)
    let reading = await failure { _ = try await cache.record(for: Samples.key) }
    #expect(reading?.code == .unreadable && reading?.isRetryable == true)
    #expect(reading?.description.contains("the device is locked") == true)
    let listing = await failure { _ = try await cache.keys() }
    #expect(listing?.code == .unreadable && listing?.isRetryable == true)
    let removing = await failure { try await cache.removeRecord(for: Samples.key) }
    #expect(removing?.code == .unwritable && removing?.isRetryable == true)
    let storing = await failure { try await cache.store(Samples.record("two"), for: Samples.key) }
    // What is there cannot be compared with, so nothing is written.
    #expect(storing?.code == .unreadable && storing?.isRetryable == true)
    #expect(storing?.description.contains("the device is locked") == true)
    keychain.lock(false)
    #expect(try await cache.keys() == [Samples.key])
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  @Test("An encryption key is not replaced while the keychain is locked")
  func lockedKey() async throws {
    let keychain = DictionaryKeychain()
    let key = try await StoredKeychainKey(keychain, process: DictionaryKeychain.app).encryptionKey()
    keychain.lock()
    let next = StoredKeychainKey(keychain.otherProcess(), process: DictionaryKeychain.app)
    #expect(await failure { _ = try await next.encryptionKey() }?.code == .encryptionUnavailable)
    keychain.lock(false)
    #expect(try await next.encryptionKey() == key)
  }

  @Test("A device that is unlocked between the answer and the proof has its record found", arguments: [true, false])
  func unlockedBetween(_ isListing: Bool) async throws {
    let keychain = DictionaryKeychain()
    try await cache(keychain).store(Samples.record(), for: Samples.key)
    keychain.lock()
    let next = keychain.otherProcess()
    next.afterCalls { if $0 == .item || $0 == .list { keychain.lock(false) } }
    let cache = cache(next, group: DictionaryKeychain.ownGroup)
    if isListing {
      #expect(try await cache.keys() == [Samples.key])
    } else {
      #expect(try await cache.record(for: Samples.key) == Samples.record())
    }
  }

  @Test("Once proved, items for after the first unlock need no further proof; others are proved each time")
  func onceProved() async throws {
    for staysOpen in [true, false] {
      let keychain = DictionaryKeychain(staysOpen: staysOpen)
      let cache = cache(keychain)
      #expect(try await cache.record(for: Samples.key) == nil)
      _ = keychain.takeCalls()
      for _ in 0..<3 { #expect(try await cache.record(for: Samples.key) == nil) }
      #expect(keychain.takeCalls().filter { $0 == .add }.count == (staysOpen ? 0 : 3))
      for _ in 0..<3 { #expect(try await cache.keys().isEmpty) }
      #expect(keychain.takeCalls().filter { $0 == .add }.count == (staysOpen ? 0 : 3))
      #expect(keychain.contents.isEmpty)
    }
  }

  @Test("A left-over probe is not listed, counts as open, and is removed at the next proof", arguments: groups)
  func leftOver(_ group: String?) async throws {
    let keychain = DictionaryKeychain([Self.probe: Data([0])])
    let cache = cache(keychain, group: group)
    #expect(try await cache.keys().isEmpty)
    #expect(try await cache.record(for: Samples.key) == nil)
    #expect(keychain.contents.isEmpty)
  }

  @Test("A probe that another process puts there again and again counts as open")
  func twoProcesses() async throws {
    let keychain = DictionaryKeychain()
    let mine = keychain.otherProcess()
    keychain.plant(Data([0]), account: Self.probe)
    mine.afterCalls { if $0 == .remove { keychain.plant(Data([0]), account: Self.probe) } }
    #expect(try await cache(mine).record(for: Samples.key) == nil)
  }

  @Test("One proof at a time: many callers at once never meet a probe of each other")
  func oneAtATime() async throws {
    let keychain = DictionaryKeychain(staysOpen: false)
    let cache = cache(keychain)
    let callers = (0..<20).map { _ in Task { try await cache.record(for: Samples.key) } }
    for caller in callers { #expect(try await caller.value == nil) }
    // Each addition is followed by its removal.
    let calls = keychain.takeCalls().filter { $0 == .add || $0 == .remove }
    #expect(calls.count >= 40)
    #expect(calls.enumerated().allSatisfy { $0.element == ($0.offset.isMultiple(of: 2) ? .add : .remove) })
  }

  @Test("The proof can be asked for, and says why the keychain takes nothing")
  func askedFor() async throws {
    let keychain = DictionaryKeychain()
    try await cache(keychain).proveWritable()
    #expect(keychain.contents.isEmpty)
    keychain.lock()
    #expect(await failure { try await cache(keychain).proveWritable() }?.code == .unwritable)
    keychain.lock(false)
    let refusing = keychain.otherProcess()
    refusing.fail(with: .missingEntitlement)
    #expect(await failure { try await cache(refusing).proveWritable() }?.code == .missingEntitlement)
  }
}
