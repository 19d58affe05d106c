import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// The files of a cache: names, permissions, the order of the calls, and what a failing call leaves.
@Suite(.hangLimit) struct RecordDirectoryTests {
  private let temporary: TemporaryDirectory
  private let files = WatchedFileSystem()
  private let cache: StoredTokenCache

  init() throws {
    temporary = try TemporaryDirectory()
    cache = try .process(at: temporary.store, files: files)
  }

  @Test("Only the owner can open anything")
  func permissions() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    try await cache.underRefreshLock(of: Samples.key) {}
    #expect(try temporary.mode(temporary.store.path) == 0o700)
    let paths = try temporary.paths()
    #expect(paths.count == 3)
    for path in paths {
      #expect(try temporary.mode(temporary.store.appendingPathComponent(path).path) == 0o600, "\(path)")
    }
  }

  @Test("Names of files are hashes of the key")
  func names() async throws {
    for key in [Samples.key, Samples.otherKey] { try await cache.store(Samples.record(), for: key) }
    let names = try temporary.recordFiles().map(\.lastPathComponent)
    #expect(Set(names).count == 2)
    for name in names { #expect(name.wholeMatch(of: /[0-9a-f]{64}\.json/) != nil, "\(name)") }
  }

  @Test("A write is flushed before it is renamed, and the directory after it; a removal likewise")
  func order() async throws {
    _ = files.takeCalls()
    let writing = ["create HASH.new", "write HASH.new", "flush HASH.new", "rename to HASH.json", "flush store"]
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(files.takeCalls().map(withoutHash) == writing)
    #expect(try await cache.replace(Samples.key, expecting: Samples.uuid, with: Samples.record("two")))
    #expect(files.takeCalls().map(withoutHash) == writing)
    try await cache.removeRecord(for: Samples.key)
    #expect(files.takeCalls().map(withoutHash) == ["remove HASH.json", "flush store"])
    #expect(files.openCount == 0)
  }

  @Test("A new directory is flushed into the one that holds it")
  func newDirectory() throws {
    let files = WatchedFileSystem()
    _ = try StoredTokenCache.process(at: temporary.url.appendingPathComponent("one/two"), files: files)
    #expect(files.takeCalls() == ["flush \(temporary.url.lastPathComponent)", "flush one"])
  }

  @Test(
    "Temporary files of killed writers are removed at the next listing, writing or removal", arguments: 0..<3)
  func strayFiles(_ number: Int) async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    let stray = try #require(try temporary.recordFiles().first).deletingPathExtension().appendingPathExtension("new")
    try Data("half a rec".utf8).write(to: stray)
    switch number {
    case 0: #expect(try await StoredTokenCache.process(at: temporary.store).keys() == [Samples.key])
    case 1: try await cache.store(Samples.record("two"), for: Samples.key)
    default: try await cache.removeRecord(for: Samples.key)
    }
    #expect(!FileManager.default.fileExists(atPath: stray.path))
    let record = [Samples.record(), Samples.record("two"), nil][number]
    #expect(try await cache.record(for: Samples.key) == record)
  }

  @Test("Files that are no records are left alone")
  func otherFiles() async throws {
    for key in [Samples.key, Samples.otherKey] { try await cache.store(Samples.record(), for: key) }
    let names = ["README", ".DS_Store", "notes/todo.txt", "package.json", "notes.new"]
    for name in names {
      let url = temporary.store.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("mine".utf8).write(to: url)
    }
    let again = try StoredTokenCache.process(at: temporary.store)
    #expect(try await Set(again.keys()) == [Samples.key, Samples.otherKey])
    for name in names {
      #expect(FileManager.default.fileExists(atPath: temporary.store.appendingPathComponent(name).path))
    }
  }

  @Test("A record that a changing directory leaves out of its list is found by a second look")
  func changingDirectory() async throws {
    let looks = Locked(0)
    let files = WatchedFileSystem(changingNames: { path, names in
      let look = looks.withLock { looks in
        looks += 1
        return looks
      }
      guard look == 1 else { return names }
      _ = FileManager.default.createFile(atPath: path + "/notes", contents: nil)
      return []
    })
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await StoredTokenCache.process(at: temporary.store, files: files).keys() == [Samples.key])
    #expect(looks.withLock { $0 } == 2)
  }

  @Test("A write that fails after some bytes leaves the old record and no temporary file")
  func failedWrite() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    files.failWrites(afterBytes: 10)
    for record in [Samples.record("two"), Samples.record("three")] {
      await expectFailure("A token record cannot be written", isRetryable: false) {
        try await cache.store(record, for: Samples.key)
      }
      #expect(files.takeCalls().contains { $0.hasPrefix("write ") })
      #expect(try temporary.paths().filter { $0.hasSuffix(".new") }.isEmpty)
    }
    #expect(files.openCount == 0)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  @Test("A record whose directory cannot be searched is an error that may pass, and not absent")
  func closedDirectory() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    files.denyReading()
    await expectFailure("A token record cannot be read", isRetryable: true) {
      _ = try await cache.record(for: Samples.key)
    }
    await expectFailure("The token cache cannot be listed", isRetryable: true) { _ = try await cache.keys() }
    files.denyReading(false)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  @Test("A directory that cannot be flushed does not make a record that is in place count as refused")
  func unflushedDirectory() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    files.failToFlushDirectories()
    try await cache.store(Samples.record("two"), for: Samples.key)
    #expect(try await cache.replace(Samples.key, expecting: Samples.uuid, with: Samples.record("three")))
    #expect(files.takeCalls().contains("flush store"))
    #expect(try await cache.record(for: Samples.key) == Samples.record("three"))
    #expect(files.openCount == 0)
  }

  @Test("A removal that could not be flushed is flushed by the next one, also in another process, without a file")
  func unflushedRemoval() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    files.failToFlushDirectories()
    for _ in 1...2 {
      await expectFailure("A token record cannot be removed", isRetryable: false) {
        try await cache.removeRecord(for: Samples.key)
      }
    }
    #expect(try await cache.record(for: Samples.key) == nil)
    let other = try StoredTokenCache.process(at: temporary.store, files: files)
    await expectFailure("A token record cannot be removed", isRetryable: false) {
      try await other.removeRecord(for: Samples.key)
    }
    files.failToFlushDirectories(false)
    _ = files.takeCalls()
    try await other.removeRecord(for: Samples.key)
    #expect(files.takeCalls().contains("flush store"))
  }

  @Test("A record is removed from a full disk")
  func fullDisk() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    files.fillDisk()
    _ = files.takeCalls()
    await expectFailure("Free some space", isRetryable: false) {
      try await cache.store(Samples.record("two"), for: Samples.key)
    }
    #expect(try await cache.record(for: Samples.key) == Samples.record())
    try await cache.removeRecord(for: Samples.key)
    #expect(files.takeCalls().contains("flush store"))
    #expect(try await cache.keys().isEmpty)
    #expect(files.openCount == 0)
  }

  private func withoutHash(_ call: String) -> String { call.replacing(#/[0-9a-f]{64}/#, with: "HASH") }
}
