import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// Refresh locks and write locks, between callers and between processes.
@Suite(.hangLimit) struct StoredTokenCacheLockingTests {
  private let temporary: TemporaryDirectory
  private let clock = TestClock()

  init() throws {
    temporary = try TemporaryDirectory()
  }

  @Test("A write waits for another process until its task is cancelled, and changes nothing then")
  func cancelledWrite() async throws {
    let writer = try StoredTokenCache.process(at: temporary.store, clock: clock)
    try await writer.store(Samples.record(), for: Samples.key)
    let lock = try openLock(".lock")
    #expect(lock.isFree)
    let calls: [@Sendable () async throws -> Void] = [
      { try await writer.store(Samples.record("two"), for: Samples.key) },
      { _ = try await writer.replace(Samples.key, expecting: Samples.uuid, with: Samples.record("two")) },
      { try await writer.removeRecord(for: Samples.key) },
    ]
    for call in calls {
      let task = Task { try await call() }
      for _ in 0..<3 {
        await clock.waitForSleepers()
        await clock.advance(by: .seconds(3_600))
      }
      await clock.waitForSleepers()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    let removal = Task { try await writer.removeRecord(for: Samples.key) }
    await clock.waitForSleepers()
    #expect(try await writer.record(for: Samples.key) == Samples.record())
    POSIXFileSystem().close(lock.descriptor)
    await clock.advance(by: .seconds(1))
    try await removal.value
    #expect(try await writer.record(for: Samples.key) == nil)
  }

  @Test("A write that need not wait is done in a cancelled task too")
  func writeInCancelledTask() async throws {
    let writer = try cache()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await writer.store(Samples.record(), for: Samples.key)
    }
    try await task.value
    #expect(try await writer.record(for: Samples.key) == Samples.record())
  }

  @Test("The temporary file of a writer that has its lock is left alone when the directory is listed")
  func livingWriter() async throws {
    try await cache().store(Samples.record(), for: Samples.key)
    let name = try #require(try temporary.recordFiles().first).deletingPathExtension()
    let written = name.appendingPathExtension("new")
    let lock = try openLock(".lock")
    try Data("half a rec".utf8).write(to: written)
    _ = try await cache().keys()
    #expect(lock.isFree && FileManager.default.fileExists(atPath: written.path))
    POSIXFileSystem().close(lock.descriptor)
    _ = try await cache().keys()
    #expect(!FileManager.default.fileExists(atPath: written.path))
  }

  @Test(
    "A caller waits for the refresh lock until it is cancelled, and its work does not run then",
    arguments: [true, false])
  func cancellation(_ isInThisProcess: Bool) async throws {
    let clock = TestClock(advancesItself: false)
    let waiter = try StoredTokenCache.process(at: temporary.store, clock: clock)
    let hasRun = Locked(false)
    try await holdingLock(isInThisProcess ? waiter : nil) {
      let task = Task {
        try await waiter.withRefreshLock(for: Samples.key, RefreshWork { hasRun.withLock { $0 = true } })
      }
      // Another process's lock is looked at again and again, however long it is held.
      for _ in 0..<(isInThisProcess ? 0 : 3) {
        await clock.waitForSleepers()
        await clock.advance(by: .seconds(3_600))
      }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(!hasRun.withLock { $0 })
    #expect(try await waiter.underRefreshLock(of: Samples.key) { "free" } == "free")
  }

  @Test("Reading, storing, replacing and removing do not wait for the refresh lock")
  func independence() async throws {
    let holder = try cache()
    let other = try cache()
    try await holder.underRefreshLock(of: Samples.key) {
      for cache in [holder, other] {
        try await cache.store(Samples.record(), for: Samples.key)
        #expect(try await cache.record(for: Samples.key) == Samples.record())
        #expect(try await cache.replace(Samples.key, expecting: Samples.uuid, with: Samples.record("two")))
        try await cache.removeRecord(for: Samples.key)
        #expect(try await cache.keys().isEmpty)
      }
    }
  }

  @Test("Locks of different keys are independent")
  func otherKey() async throws {
    let cache = try cache()
    let inner = try await cache.underRefreshLock(of: Samples.key) {
      try await cache.underRefreshLock(of: Samples.otherKey) { "inside" }
    }
    #expect(inner == "inside")
  }

  @Test("Lock files stay, two for each key, and no descriptor stays open")
  func lockFiles() async throws {
    let files = WatchedFileSystem()
    let cache = try StoredTokenCache.process(at: temporary.store, files: files)
    try await cache.underRefreshLock(of: Samples.key) {
      try await cache.store(Samples.record(), for: Samples.key)
      #expect(files.openCount == 1)
    }
    #expect(files.openCount == 0)
    let locks = try lockPaths()
    #expect(locks.count == 2)
    try await cache.removeRecord(for: Samples.key)
    _ = try StoredTokenCache.process(at: temporary.store)
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
    let holder = try StoredTokenCache.process(at: temporary.store, files: files)
    try await holder.underRefreshLock(of: Samples.key) {
      #expect(hasRemoved.withLock { $0 })
      let isFree = try openLock(".refresh").isFree
      #expect(!isFree)
    }
    #expect(files.openCount == 0)
  }

  @Test("A symbolic link in a lock's place is an error, and nothing is done without the lock")
  func link() async throws {
    let cache = try StoredTokenCache.process(at: temporary.store)
    try await cache.store(Samples.record(), for: Samples.key)
    try await cache.underRefreshLock(of: Samples.key) {}
    let target = temporary.url.appendingPathComponent("target")
    for path in try lockPaths() {
      let lock = temporary.store.appendingPathComponent(path)
      try FileManager.default.removeItem(at: lock)
      try FileManager.default.createSymbolicLink(at: lock, withDestinationURL: target)
    }
    let calls: [@Sendable () async throws -> Void] = [
      { try await cache.underRefreshLock(of: Samples.key) {} },
      { try await cache.store(Samples.record("two"), for: Samples.key) },
      { _ = try await cache.replace(Samples.key, expecting: Samples.uuid, with: Samples.record("two")) },
      { try await cache.removeRecord(for: Samples.key) },
    ]
    for call in calls { await expectFailure("Remove the symbolic link.", isRetryable: false, call) }
    #expect(try await cache.record(for: Samples.key) == Samples.record())
    #expect(!FileManager.default.fileExists(atPath: target.path))
  }

  @Test("Where files are not locked, the replacements of a process are atomic, and no lock file is made")
  func withoutFileLocks() async throws {
    let cache = try StoredTokenCache.process(at: temporary.store, locksFiles: false, clock: clock)
    try await cache.underRefreshLock(of: Samples.key) {}
    var record = Samples.record()
    record.policyID = ""
    try await cache.store(record, for: Samples.key)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<40 {
        group.addTask {
          while true {
            guard var record = try await cache.record(for: Samples.key) else { return }
            let stamp = record.stamp
            record.stamp = UUID()
            record.policyID? += "x"
            if try await cache.replace(Samples.key, expecting: stamp, with: record) { return }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await cache.record(for: Samples.key)?.policyID?.count == 40)
    try await cache.removeRecord(for: Samples.key)
    #expect(try temporary.paths().isEmpty)
  }

  /// A cache of a process of its own.
  private func cache() throws -> StoredTokenCache { try .process(at: temporary.store, clock: clock) }

  /// Runs a body while the refresh lock is held: by a caller of a cache, or by a descriptor as of another process.
  private func holdingLock(_ cache: StoredTokenCache?, _ body: @escaping @Sendable () async throws -> Void) async throws
  {
    if let cache { return try await cache.underRefreshLock(of: Samples.key, body) }
    try await StoredTokenCache.process(at: temporary.store).underRefreshLock(of: Samples.key) {}
    let lock = try openLock(".refresh")
    defer { POSIXFileSystem().close(lock.descriptor) }
    #expect(lock.isFree)
    try await body()
  }

  /// Opens the file of a lock as another process does, and takes the lock if it is free.
  private func openLock(_ suffix: String) throws -> (descriptor: Int32, isFree: Bool) {
    let files = POSIXFileSystem()
    let name = try #require(try lockPaths().first { $0.hasSuffix(suffix) })
    let path = temporary.store.appendingPathComponent(name).path
    let descriptor = try files.open(path, .locking)
    let isFree = try files.lockIfFree(descriptor, at: path)
    if !isFree { files.close(descriptor) }
    return (descriptor, isFree)
  }

  private func lockPaths() throws -> [String] {
    try temporary.paths().filter { $0.hasSuffix(".lock") || $0.hasSuffix(".refresh") }
  }
}
