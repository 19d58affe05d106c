import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit) struct KeychainStoreTests {
  private let keychain = DictionaryKeychain()
  private let cache: StoredTokenCache

  init() {
    cache = Self.cache(over: keychain)
  }

  private static func cache(over keychain: DictionaryKeychain) -> StoredTokenCache {
    StoredTokenCache(KeychainStore(keychain))
  }

  @Test(
    "The conformance suite finds nothing, except in a shared group the locks it does not have",
    arguments: [false, true])
  func conformance(_ isShared: Bool) async throws {
    let last = Locked(DictionaryKeychain())
    let make = { @Sendable in
      let keychain = DictionaryKeychain(isShared: isShared)
      last.withLock { $0 = keychain }
      return Self.cache(over: keychain)
    }
    let second: @Sendable (StoredTokenCache) async throws -> StoredTokenCache = { _ in
      Self.cache(over: last.withLock { $0 }.otherProcess())
    }
    let broken = try await TokenCacheConformance.brokenRules(
      makeSecondInstance: isShared ? second : nil,
      makeUnreachableCache: {
        let cache = make()
        last.withLock { $0.fail(with: .notAvailable) }
        return cache
      }, makeCache: make)
    // One app refreshes; the others read.
    let missing: Set<TokenCacheRule> = isShared ? [.refreshLock, .atomicReplacing, .cancellation, .failingLock] : []
    #expect(Set(TokenCacheRule.named(in: broken)).isSubset(of: missing), "\(broken)")
  }

  static let refusals: [(KeychainStatus, isRetryable: Bool, words: [String])] = [
    (.missingEntitlement, false, ["Keychain Sharing with any group", ".files()", "Sign the app"]),
    (.interactionNotAllowed, true, ["unlocked"]),
    (.notAvailable, false, ["no passcode", "a service without a user session"]),
    (.authenticationFailed, false, ["no passcode"]), (.userCanceled, false, ["allow the app"]),
    (.undecodable, false, ["Sign in again"]), (KeychainStatus(rawValue: -50), false, ["the system's list"]),
  ]

  @Test("Each refusal names its fix, and only that of a locked device may pass", arguments: refusals)
  func refusal(_ status: KeychainStatus, _ isRetryable: Bool, _ words: [String]) async throws {
    try await cache.store("one")
    // Another process, which has no copy in memory.
    let refusing = keychain.otherProcess()
    refusing.fail(with: status)
    let cache = Self.cache(over: refusing)
    for call in cache.calls {
      let error = await expectFailure("(OSStatus \(status.rawValue))", isRetryable: isRetryable, call)
      for word in words { #expect(error?.description.contains(word) == true, "\(word)") }
      #expect(error?.underlying as? KeychainStatus == status)
    }
    refusing.fail(with: nil)
    #expect(try await cache.sample() == Samples.record())
  }

  @Test(
    "A damaged item is listed and is an error each time, until it is replaced or removed", arguments: [true, false])
  func damagedItem(_ isRemoved: Bool) async throws {
    keychain.plant(Data("canary".utf8), account: Samples.key.canonicalText)
    for _ in 0..<2 { await expectFailure("is not a usable token record") { try await cache.sample() } }
    #expect(try await cache.keys() == [Samples.key])
    if isRemoved { try await cache.remove() } else { try await cache.store("one") }
    #expect(try await cache.sample() == (isRemoved ? nil : Samples.record()))
  }

  @Test("If two processes add a record at the same time, both writes succeed and the later one is kept")
  func recordRace() async throws {
    // The other process adds the item after this one's update has not found it.
    keychain.afterCalls { [keychain] call in
      if call == .update, keychain.contents.isEmpty { keychain.plant(Data(), account: Samples.key.canonicalText) }
    }
    try await cache.store("two")
    #expect(keychain.takeCalls() == [.update, .add, .update])
    #expect(try await Self.cache(over: keychain.otherProcess()).sample() == Samples.record("two"))
  }

  @Test("Keychain calls hold none of the threads that tasks share")
  func ownQueue() async throws {
    let areInTasks = Recorder<Bool>()
    keychain.afterCalls { _ in areInTasks.record(withUnsafeCurrentTask { $0 != nil }) }
    for call in cache.calls { try await call() }
    #expect(areInTasks.values.count > 5 && !areInTasks.values.contains(true))
  }

  // MARK: Copies in memory

  @Test(
    "A hit costs no keychain call without a named group, and one if other processes may change the item",
    arguments: [false, true])
  func hit(_ isShared: Bool) async throws {
    let keychain = DictionaryKeychain(isShared: isShared)
    let cache = Self.cache(over: keychain)
    try await cache.store("one")
    _ = keychain.takeCalls()
    for _ in 0..<3 { #expect(try await cache.sample() == Samples.record()) }
    #expect(keychain.takeCalls() == Array(repeating: .data, count: isShared ? 3 : 0))
  }

  @Test("A listing drops the copies of items that another process has removed")
  func listing() async throws {
    try await cache.store("one")
    keychain.plant(nil, account: Samples.key.canonicalText)
    #expect(try await cache.keys().isEmpty)
    #expect(try await cache.sample() == nil)
  }

  @Test("A write that is refused leaves no copy of the record that was not written")
  func refusedWrite() async throws {
    try await cache.store("one")
    keychain.fail(with: .interactionNotAllowed)
    await expectFailure("the device is locked", isRetryable: true) { try await cache.store("two") }
    keychain.fail(with: nil)
    #expect(try await cache.sample() == Samples.record())
  }
}

/// A locked keychain says "not found", so the store believes it only after the keychain has taken a probe.
@Suite("Keychain, proof that it is open", .hangLimit)
struct KeychainStoreProofTests {
  private let keychain = DictionaryKeychain()
  /// The keychain of the process under test, to which another one may have stored a record.
  private let mine: DictionaryKeychain
  private let cache: StoredTokenCache

  init() {
    mine = keychain.otherProcess()
    cache = StoredTokenCache(KeychainStore(mine))
  }

  private func storeAndLock() async throws {
    try await StoredTokenCache(KeychainStore(keychain)).store("one")
    keychain.lock()
  }

  private func plantProbe() { keychain.plant(Data([0]), account: "B2CConnector.probe") }

  @Test("A locked keychain is unreadable, whatever is asked, and nothing is removed")
  func locked() async throws {
    try await storeAndLock()
    for call in cache.calls { await expectFailure("the device is locked", isRetryable: true, call) }
    keychain.lock(false)
    #expect(try await cache.keys() == [Samples.key])
    #expect(try await cache.sample() == Samples.record())
  }

  @Test("The record is found on a device that is unlocked between the answer and the proof", arguments: [true, false])
  func unlockedBetween(_ isListing: Bool) async throws {
    try await storeAndLock()
    mine.afterCalls { [keychain] in if $0 == .data || $0 == .accounts { keychain.lock(false) } }
    if isListing { #expect(try await cache.keys() == [Samples.key]) }
    #expect(try await cache.sample() == Samples.record())
  }

  @Test("Once proved, no further proof is needed, and the probe is gone")
  func onceProved() async throws {
    #expect(try await cache.sample() == nil)
    for _ in 0..<3 { #expect(try await cache.sample() == nil) }
    for _ in 0..<3 { #expect(try await cache.keys().isEmpty) }
    #expect(keychain.takeCalls().count { $0 == .add } == 1)
    #expect(keychain.contents.isEmpty)
  }

  @Test(
    "A probe that is left over, or that another process puts there again, is not listed and counts as open",
    arguments: [false, true])
  func foreignProbe(_ isPutThereAgain: Bool) async throws {
    plantProbe()
    if isPutThereAgain { mine.afterCalls { if $0 == .remove { plantProbe() } } }
    #expect(try await cache.keys().isEmpty)
    #expect(try await cache.sample() == nil)
    #expect(keychain.contents.isEmpty == !isPutThereAgain)
  }

  @Test("One caller proves the keychain open at a time, so callers never meet a probe of each other")
  func oneAtATime() async throws {
    let records = try await simultaneously(20) { _ in try await cache.sample() }
    #expect(records.allSatisfy { $0 == nil })
    // The addition is followed by its removal.
    #expect(keychain.takeCalls().filter { $0 == .add || $0 == .remove } == [.add, .remove])
  }
}
