import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// A locked keychain says "not found": it is believed only after it has taken a probe.
@Suite("Keychain, proof that it is open", .timeLimit(.minutes(10)))
struct KeychainProofTests {
  private static let probe = "B2CConnector.probe"

  @Test("A locked keychain is unreadable, whatever is asked, and nothing is removed", arguments: [true, false])
  func locked(_ staysOpen: Bool) async throws {
    let keychain = DictionaryKeychain(staysOpen: staysOpen)
    try await KeychainRecords(keychain).store(Samples.record(), for: Samples.key)
    let next = keychain.otherProcess()
    keychain.lock()
    let cache = KeychainRecords(next)
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

  @Test("A device that is unlocked between the answer and the proof has its record found", arguments: [true, false])
  func unlockedBetween(_ isListing: Bool) async throws {
    let keychain = DictionaryKeychain()
    try await KeychainRecords(keychain).store(Samples.record(), for: Samples.key)
    keychain.lock()
    let next = keychain.otherProcess()
    next.afterCalls { if $0 == .data || $0 == .accounts { keychain.lock(false) } }
    let cache = KeychainRecords(next)
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
      let cache = KeychainRecords(keychain)
      #expect(try await cache.record(for: Samples.key) == nil)
      _ = keychain.takeCalls()
      for _ in 0..<3 { #expect(try await cache.record(for: Samples.key) == nil) }
      #expect(keychain.takeCalls().filter { $0 == .add }.count == (staysOpen ? 0 : 3))
      for _ in 0..<3 { #expect(try await cache.keys().isEmpty) }
      #expect(keychain.takeCalls().filter { $0 == .add }.count == (staysOpen ? 0 : 3))
      #expect(keychain.contents.isEmpty)
    }
  }

  @Test("A left-over probe is not listed, counts as open, and is removed at the next proof")
  func leftOver() async throws {
    let keychain = DictionaryKeychain([Self.probe: Data([0])])
    let cache = KeychainRecords(keychain)
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
    #expect(try await KeychainRecords(mine).record(for: Samples.key) == nil)
  }

  @Test("One proof at a time: many callers at once never meet a probe of each other")
  func oneAtATime() async throws {
    let keychain = DictionaryKeychain(staysOpen: false)
    let cache = KeychainRecords(keychain)
    let callers = (0..<20).map { _ in Task { try await cache.record(for: Samples.key) } }
    for caller in callers { #expect(try await caller.value == nil) }
    // Each addition is followed by its removal.
    let calls = keychain.takeCalls().filter { $0 == .add || $0 == .remove }
    #expect(calls.count >= 40)
    #expect(calls.enumerated().allSatisfy { $0.element == ($0.offset.isMultiple(of: 2) ? .add : .remove) })
  }
}
