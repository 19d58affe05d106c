import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import Testing

@Suite struct FileTokenCacheLockingTests {
  private let folder: TemporaryFolder
  private let clock = TestClock()

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test(arguments: [true, false])
  func aKeyThatDoesNotComeFreeIsAnErrorAndTheBodyDoesNotRun(_ isSameInstance: Bool) async throws {
    let holder = try FileTokenCache(directory: folder.store)
    let other =
      isSameInstance ? nil : try FileTokenCache(directory: folder.store, lockTimeout: .seconds(5), clock: clock)
    let same = try FileTokenCache(directory: folder.store, lockTimeout: .seconds(5), clock: clock)
    let (first, second) = isSameInstance ? (same, same) : (holder, try #require(other))
    let hasRun = Locked(false)
    try await first.withExclusiveAccess(to: Samples.key) {
      let waiting = Task {
        await failure { try await second.withExclusiveAccess(to: Samples.key) { hasRun.withLock { $0 = true } } }
      }
      // The other instance comes back again and again, with pauses of its own choice.
      let mover = Task {
        while !Task.isCancelled {
          await clock.waitForSleepers()
          await clock.advance(by: .seconds(1))
        }
      }
      #expect(await waiting.value?.code == .lockTimedOut)
      mover.cancel()
      // Wakes the mover in case it waits for one more sleeper.
      let last = Task { try await clock.sleep(for: .seconds(1)) }
      await mover.value
      last.cancel()
    }
    #expect(!hasRun.withLock { $0 })
    #expect(try await second.withExclusiveAccess(to: Samples.key) { "free" } == "free")
  }

  @Test func aCancelledWaiterLeaves() async throws {
    let holder = try FileTokenCache(directory: folder.store)
    let waiter = try FileTokenCache(directory: folder.store, clock: clock)
    try await holder.withExclusiveAccess(to: Samples.key) {
      let task = Task { try await waiter.withExclusiveAccess(to: Samples.key) {} }
      await clock.waitForSleepers()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  /// Keys share a fixed number of locks, so with thousands of keys any overlap of the two kinds would show.
  @Test func aSpendingKeyMayBeHeldAroundItsKey() async throws {
    let cache = try FileTokenCache(directory: folder.store, lockTimeout: .milliseconds(1))
    for number in 0..<3_000 {
      let key = TokenCacheKey(authority: "a", policy: "p", clientID: "c", accountID: "person-\(number).tenant")
      #expect(!key.isForSpending)
      #expect(key.forSpending.isForSpending)
      try await cache.withExclusiveAccess(to: key.forSpending) {
        try await cache.withExclusiveAccess(to: key) {}
      }
    }
  }

  @Test func lockFilesStay() async throws {
    let cache = try FileTokenCache(directory: folder.store)
    try await cache.withExclusiveAccess(to: Samples.key) {
      try await cache.store(Samples.record(), for: Samples.key)
    }
    let locks = try folder.paths().filter { $0.hasPrefix("locks/") }
    #expect(locks.count == 2)
    try await cache.removeRecord(for: Samples.key)
    _ = try FileTokenCache(directory: folder.store)
    #expect(try folder.paths().filter { $0.hasPrefix("locks/") } == locks)
  }

  @Test func theNumberOfLockFilesDoesNotGrowWithTheAccounts() async throws {
    let cache = try FileTokenCache(directory: folder.store)
    for number in 0..<300 {
      let key = TokenCacheKey(authority: "a", policy: "p", clientID: "c", accountID: "\(number)")
      try await cache.store(Samples.record(), for: key)
    }
    #expect(try folder.paths().filter { $0.hasPrefix("locks/") }.count <= 64)
  }

  @Test func aSymbolicLinkInALocksPlaceIsAnError() async throws {
    let cache = try FileTokenCache(directory: folder.store)
    try await cache.withExclusiveAccess(to: Samples.key) {}
    let name = try #require(try folder.paths().first { $0.hasPrefix("locks/") })
    let lock = folder.store.appendingPathComponent(name)
    let target = folder.url.appendingPathComponent("target")
    try FileManager.default.removeItem(at: lock)
    try FileManager.default.createSymbolicLink(at: lock, withDestinationURL: target)
    #expect(await failure { try await cache.withExclusiveAccess(to: Samples.key) {} }?.code == .unwritable)
    #expect(!FileManager.default.fileExists(atPath: target.path))
  }

  @Test func readingDoesNotWaitForTheHolder() async throws {
    let cache = try FileTokenCache(directory: folder.store, clock: clock)
    try await cache.store(Samples.record(), for: Samples.key)
    let read = try await cache.withExclusiveAccess(to: Samples.key) {
      try await FileTokenCache(directory: folder.store, clock: clock).record(for: Samples.key)
    }
    #expect(read == Samples.record())
  }
}
