import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// A locked keychain says "not found", so the store believes it only after the keychain has taken a probe.
@Suite("Keychain, proof that it is open", .hangLimit)
struct KeychainStoreProofTests {
  private static let probe = "B2CConnector.probe"

  private func cache(_ keychain: DictionaryKeychain) -> StoredTokenCache { StoredTokenCache(KeychainStore(keychain)) }

  @Test("A locked keychain is unreadable, whatever is asked, and nothing is removed")
  func locked() async throws {
    let keychain = DictionaryKeychain()
    try await cache(keychain).store(Samples.record(), for: Samples.key)
    let next = keychain.otherProcess()
    keychain.lock()
    let cache = cache(next)
    for call in Samples.calls(of: cache) { await expectFailure("the device is locked", isRetryable: true, call) }
    keychain.lock(false)
    #expect(try await cache.keys() == [Samples.key])
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  @Test("The record is found on a device that is unlocked between the answer and the proof", arguments: [true, false])
  func unlockedBetween(_ isListing: Bool) async throws {
    let keychain = DictionaryKeychain()
    try await cache(keychain).store(Samples.record(), for: Samples.key)
    keychain.lock()
    let next = keychain.otherProcess()
    next.afterCalls { if $0 == .data || $0 == .accounts { keychain.lock(false) } }
    let cache = cache(next)
    if isListing {
      #expect(try await cache.keys() == [Samples.key])
    } else {
      #expect(try await cache.record(for: Samples.key) == Samples.record())
    }
  }

  @Test("Once proved, no further proof is needed, and the probe is gone")
  func onceProved() async throws {
    let keychain = DictionaryKeychain()
    let cache = cache(keychain)
    #expect(try await cache.record(for: Samples.key) == nil)
    #expect(keychain.takeCalls().filter { $0 == .add }.count == 1)
    for _ in 0..<3 { #expect(try await cache.record(for: Samples.key) == nil) }
    for _ in 0..<3 { #expect(try await cache.keys().isEmpty) }
    #expect(keychain.takeCalls().filter { $0 == .add }.isEmpty)
    #expect(keychain.contents.isEmpty)
  }

  @Test("A left-over probe is not listed, counts as open, and is removed at the next proof")
  func leftOver() async throws {
    let keychain = DictionaryKeychain()
    keychain.plant(Data([0]), account: Self.probe)
    let cache = cache(keychain)
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

  @Test("One caller proves the keychain open at a time, so callers never meet a probe of each other")
  func oneAtATime() async throws {
    let keychain = DictionaryKeychain()
    let cache = cache(keychain)
    let records = try await simultaneously(20) { _ in try await cache.record(for: Samples.key) }
    #expect(records.allSatisfy { $0 == nil })
    // The addition is followed by its removal.
    #expect(keychain.takeCalls().filter { $0 == .add || $0 == .remove } == [.add, .remove])
  }
}
