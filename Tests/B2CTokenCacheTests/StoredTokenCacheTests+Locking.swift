import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Refresh locks and write locks, between callers and between processes.
@Suite(.hangLimit) struct StoredTokenCacheLockingTests {
  private let temporary: TemporaryDirectory
  private let files = WatchedFileSystem()
  private let clock = TestClock(advancesItself: false)
  private let cache: StoredTokenCache

  init() async throws {
    temporary = try TemporaryDirectory()
    cache = try .process(at: temporary.store, files: files, clock: clock)
    // The files of both locks are there.
    try await cache.store("one")
    try await cache.underRefreshLock(of: Samples.key) {}
  }

  @Test("A write waits for another process until its task is cancelled, and changes nothing then")
  func cancelledWrite() async throws {
    let lock = try openLock(".lock")
    #expect(lock.isFree)
    for call in cache.writes {
      let task = Task { try await call() }
      for _ in 0..<3 {
        await clock.waitForSleepers()
        await clock.advance(by: .seconds(3_600))
      }
      await clock.waitForSleepers()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    let removal = Task { try await cache.remove() }
    await clock.waitForSleepers()
    #expect(try await cache.sample() == Samples.record())
    lock.close()
    await clock.advance(by: .seconds(1))
    try await removal.value
    #expect(try await cache.sample() == nil)
  }

  @Test("The temporary file of a writer that has its lock is left alone when the directory is listed")
  func livingWriter() async throws {
    let name = try #require(try temporary.recordFiles().first).deletingPathExtension()
    let written = name.appendingPathExtension("new")
    let lock = try openLock(".lock")
    try Data("half a rec".utf8).write(to: written)
    _ = try await cache.keys()
    #expect(lock.isFree && FileManager.default.fileExists(atPath: written.path))
    lock.close()
    _ = try await cache.keys()
    #expect(!FileManager.default.fileExists(atPath: written.path))
  }

  @Test("Each key has locks of its own, whose files are never removed, and no descriptor is left open")
  func lockFiles() async throws {
    try await cache.underRefreshLock(of: Samples.key) {
      try await cache.underRefreshLock(of: Samples.otherKey) { #expect(files.openCount == 2) }
      try await cache.store("two")
      #expect(files.openCount == 1)
    }
    #expect(files.openCount == 0)
    let locks = try lockPaths()
    #expect(locks.count == 3)
    try await cache.remove()
    _ = try StoredTokenCache.process(at: temporary.store)
    #expect(try lockPaths() == locks)
  }

  @Test(
    "A lock whose file was removed or replaced between opening and locking still keeps others out",
    arguments: [true, false])
  func removedLockFile(_ isReplaced: Bool) async throws {
    let hasRemoved = Locked(false)
    let files = WatchedFileSystem(beforeLocking: { path in
      guard path.hasSuffix(".refresh"), hasRemoved.setOnce() else { return }
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
    let target = temporary.url.appendingPathComponent("target")
    for path in try lockPaths() {
      let lock = temporary.store.appendingPathComponent(path)
      try FileManager.default.removeItem(at: lock)
      try FileManager.default.createSymbolicLink(at: lock, withDestinationURL: target)
    }
    let calls = cache.writes + [{ try await cache.underRefreshLock(of: Samples.key) {} }]
    for call in calls { await expectFailure("Remove the symbolic link.", call) }
    #expect(try await cache.sample() == Samples.record())
    #expect(!FileManager.default.fileExists(atPath: target.path))
  }

  /// Opens the file of a lock as another process does, and takes the lock if it is free.
  private func openLock(_ suffix: String) throws -> (isFree: Bool, close: () -> Void) {
    let files = POSIXFileSystem()
    let name = try #require(try lockPaths().first { $0.hasSuffix(suffix) })
    let path = temporary.store.appendingPathComponent(name).path
    let descriptor = try files.open(path, .locking)
    let isFree = try files.lockIfFree(descriptor, at: path)
    if !isFree { files.close(descriptor) }
    return (isFree, { files.close(descriptor) })
  }

  private func lockPaths() throws -> [String] {
    try temporary.paths().filter { $0.hasSuffix(".lock") || $0.hasSuffix(".refresh") }
  }
}
