import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct FileTokenCacheLockingTests {
  private let temporary: TemporaryDirectory
  private let clock = TestClock()

  init() throws {
    temporary = try TemporaryDirectory()
  }

  @Test("A lock that is not free in time is an error, and the body does not run", arguments: [true, false])
  func timeout(_ isInThisProcess: Bool) async throws {
    let waiter = try FileTokenCache(directory: temporary.store, lockTimeout: .seconds(5), clock: clock)
    let hasRun = Locked(false)
    try await holdingLock(isInThisProcess) {
      let waiting = Task {
        await failure { try await waiter.withRefreshLock(for: Samples.key) { hasRun.withLock { $0 = true } } }
      }
      let error = await moving { await waiting.value }
      #expect(error?.code == .lockTimedOut)
      #expect(error?.recoverySuggestion?.contains("lockTimeout") == true)
      // A file that another process holds is named.
      #expect(error?.message.contains(temporary.store.path) == !isInThisProcess)
    }
    #expect(!hasRun.withLock { $0 })
    #expect(try await waiter.withRefreshLock(for: Samples.key) { "free" } == "free")
  }

  @Test("A waiter that is cancelled leaves", arguments: [true, false])
  func cancellation(_ isInThisProcess: Bool) async throws {
    let clock = TestClock(advancesItself: false)
    let waiter = try FileTokenCache(directory: temporary.store, clock: clock)
    try await holdingLock(isInThisProcess) {
      let task = Task { try await waiter.withRefreshLock(for: Samples.key) {} }
      await clock.waitForSleepers()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test("Reading, storing, updating and removing do not wait for the refresh lock")
  func independence() async throws {
    let holder = try FileTokenCache(directory: temporary.store, clock: clock)
    let other = try FileTokenCache(directory: temporary.store, clock: clock)
    try await holder.withRefreshLock(for: Samples.key) {
      for cache in [holder, other] {
        try await cache.store(Samples.record(), for: Samples.key)
        #expect(try await cache.record(for: Samples.key) == Samples.record())
        try await cache.update(Samples.key) { _ in Samples.record("two") }
        try await cache.removeRecord(for: Samples.key)
        #expect(try await cache.keys().isEmpty)
      }
    }
  }

  @Test("Locks of different keys are independent")
  func otherKey() async throws {
    let cache = try FileTokenCache(directory: temporary.store, clock: clock)
    let inner = try await cache.withRefreshLock(for: Samples.key) {
      try await cache.withRefreshLock(for: Samples.otherKey) { "inside" }
    }
    #expect(inner == "inside")
  }

  @Test("Lock files stay, two for each key, and no descriptor stays open")
  func lockFiles() async throws {
    let files = WatchedFileSystem()
    let cache = try FileTokenCache(directory: temporary.store, now: { Date() }, files: files)
    try await cache.withRefreshLock(for: Samples.key) {
      try await cache.store(Samples.record(), for: Samples.key)
      #expect(files.openCount == 1)
    }
    #expect(files.openCount == 0)
    let locks = try lockPaths()
    #expect(locks.count == 2)
    try await cache.removeRecord(for: Samples.key)
    _ = try FileTokenCache(directory: temporary.store)
    #expect(try lockPaths() == locks)
  }

  @Test(
    "A lock whose file was removed or replaced between opening and locking keeps others out all the same",
    arguments: [true, false])
  func removedLockFile(_ isReplaced: Bool) async throws {
    let hasRemoved = Locked(false)
    let files = WatchedFileSystem(beforeLocking: { path in
      let isFirst = hasRemoved.withLock { hasRemoved in
        defer { hasRemoved = hasRemoved || path.hasSuffix(".refresh") }
        return !hasRemoved && path.hasSuffix(".refresh")
      }
      guard isFirst else { return }
      try? FileManager.default.removeItem(atPath: path)
      if isReplaced {
        _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
      }
    })
    let holder = try FileTokenCache(directory: temporary.store, now: { Date() }, files: files)
    try await holder.withRefreshLock(for: Samples.key) {
      #expect(hasRemoved.withLock { $0 })
      let isFree = try openLock().isFree
      #expect(!isFree)
    }
    #expect(files.openCount == 0)
  }

  @Test("A symbolic link in a lock's place is an error, and nothing is done without the lock")
  func link() async throws {
    let cache = try FileTokenCache(directory: temporary.store)
    try await cache.store(Samples.record(), for: Samples.key)
    try await cache.withRefreshLock(for: Samples.key) {}
    let target = temporary.url.appendingPathComponent("target")
    for path in try lockPaths() {
      let lock = temporary.store.appendingPathComponent(path)
      try FileManager.default.removeItem(at: lock)
      try FileManager.default.createSymbolicLink(at: lock, withDestinationURL: target)
    }
    let calls: [@Sendable () async throws -> Void] = [
      { try await cache.withRefreshLock(for: Samples.key) {} },
      { try await cache.store(Samples.record("two"), for: Samples.key) },
      { try await cache.update(Samples.key) { _ in nil } },
      { try await cache.removeRecord(for: Samples.key) },
    ]
    for call in calls { #expect(await failure(call)?.code == .unwritable) }
    #expect(try await cache.record(for: Samples.key) == Samples.record())
    #expect(!FileManager.default.fileExists(atPath: target.path))
  }

  @Test("Where files are not locked, the callers of a process exclude each other, and no lock file is made")
  func withoutFileLocks() async throws {
    let make = { [temporary, clock] in
      try FileTokenCache(
        directory: temporary.store, lockTimeout: .seconds(5), clock: clock, now: { Date() }, locksFiles: false)
    }
    let (one, two) = (try make(), try make())
    try await one.withRefreshLock(for: Samples.key) {
      let waiting = Task { await failure { try await two.withRefreshLock(for: Samples.key) {} } }
      #expect(await moving { await waiting.value }?.code == .lockTimedOut)
    }
    var record = Samples.record()
    record.policyID = ""
    try await one.store(record, for: Samples.key)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for cache in Array(repeating: [one, two], count: 20).joined() {
        group.addTask {
          try await cache.update(Samples.key) { old in
            var new = old
            new?.policyID? += "x"
            return new
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await one.record(for: Samples.key)?.policyID?.count == 40)
    try await two.removeRecord(for: Samples.key)
    #expect(try temporary.paths().isEmpty)
  }

  /// Runs a body while the refresh lock is held: by another cache of this process, or by a descriptor as of another process.
  private func holdingLock(_ isInThisProcess: Bool, _ body: @Sendable () async throws -> Void) async throws {
    let holder = try FileTokenCache(directory: temporary.store)
    guard !isInThisProcess else { return try await holder.withRefreshLock(for: Samples.key, body) }
    try await holder.withRefreshLock(for: Samples.key) {}
    let lock = try openLock()
    defer { POSIXFileSystem().close(lock.descriptor) }
    #expect(lock.isFree)
    try await body()
  }

  /// Opens the file of the refresh lock as another process does, and takes the lock if it is free.
  private func openLock() throws -> (descriptor: Int32, isFree: Bool) {
    let files = POSIXFileSystem()
    let name = try #require(try lockPaths().first { $0.hasSuffix(".refresh") })
    let path = temporary.store.appendingPathComponent(name).path
    let descriptor = try files.open(path, .locking)
    let isFree = try files.lockIfFree(descriptor, at: path)
    if !isFree { files.close(descriptor) }
    return (descriptor, isFree)
  }

  private func lockPaths() throws -> [String] {
    try temporary.paths().filter { $0.hasSuffix(".lock") || $0.hasSuffix(".refresh") }
  }

  /// Advances the clock whenever a task sleeps on it, until the body ends.
  private func moving<Value>(_ body: () async -> Value) async -> Value {
    let mover = Task {
      while !Task.isCancelled {
        await clock.waitForSleepers()
        await clock.advance(by: .seconds(1))
      }
    }
    let value = await body()
    mover.cancel()
    await mover.value
    return value
  }
}
