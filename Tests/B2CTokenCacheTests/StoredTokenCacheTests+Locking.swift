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
    for call in Samples.writes(of: writer) {
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

  @Test("A caller waits for another process's refresh lock until it is cancelled, and its work does not run then")
  func cancellation() async throws {
    let clock = TestClock(advancesItself: false)
    let waiter = try StoredTokenCache.process(at: temporary.store, clock: clock)
    try await cache().underRefreshLock(of: Samples.key) {}
    let lock = try openLock(".refresh")
    #expect(lock.isFree)
    let hasRun = Locked(false)
    let task = Task {
      try await waiter.withRefreshLock(for: Samples.key, RefreshWork { hasRun.withLock { $0 = true } })
    }
    // The lock is looked at again and again, however long it is held.
    for _ in 0..<3 {
      await clock.waitForSleepers()
      await clock.advance(by: .seconds(3_600))
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!hasRun.withLock { $0 })
    POSIXFileSystem().close(lock.descriptor)
    #expect(try await waiter.underRefreshLock(of: Samples.key) { "free" } == "free")
  }

  @Test("Each key has locks of its own, whose files are never removed, and no descriptor is left open")
  func lockFiles() async throws {
    let files = WatchedFileSystem()
    let cache = try StoredTokenCache.process(at: temporary.store, files: files)
    try await cache.underRefreshLock(of: Samples.key) {
      try await cache.underRefreshLock(of: Samples.otherKey) { #expect(files.openCount == 2) }
      try await cache.store(Samples.record(), for: Samples.key)
      #expect(files.openCount == 1)
    }
    #expect(files.openCount == 0)
    let locks = try lockPaths()
    #expect(locks.count == 3)
    try await cache.removeRecord(for: Samples.key)
    _ = try StoredTokenCache.process(at: temporary.store)
    #expect(try lockPaths() == locks)
  }

  @Test(
    "A lock whose file was removed or replaced between opening and locking still keeps others out",
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
    let calls = Samples.writes(of: cache) + [{ try await cache.underRefreshLock(of: Samples.key) {} }]
    for call in calls { await expectFailure("Remove the symbolic link.", isRetryable: false, call) }
    #expect(try await cache.record(for: Samples.key) == Samples.record())
    #expect(!FileManager.default.fileExists(atPath: target.path))
  }

  /// A cache of a process of its own.
  private func cache() throws -> StoredTokenCache { try .process(at: temporary.store, clock: clock) }

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
