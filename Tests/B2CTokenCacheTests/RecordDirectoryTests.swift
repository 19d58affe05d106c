import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The files of a cache: names, permissions, the order of the calls, and what a failing call leaves.
@Suite(.hangLimit) struct RecordDirectoryTests {
  private let temporary: TemporaryDirectory
  private let files = WatchedFileSystem()
  private let cache: StoredTokenCache

  init() async throws {
    temporary = try TemporaryDirectory()
    cache = try .process(at: temporary.store, files: files)
    try await cache.store("one")
    _ = files.takeCalls()
  }

  @Test("Only the owner can open anything")
  func permissions() async throws {
    try await cache.underRefreshLock(of: Samples.key) {}
    #expect(try temporary.mode(temporary.store.path) == 0o700)
    let paths = try temporary.paths()
    #expect(paths.count == 3)
    for path in paths {
      #expect(try temporary.mode(temporary.store.appendingPathComponent(path).path) == 0o600, "\(path)")
    }
  }

  @Test("Names of files are hashes of the key, and files with other names are left alone")
  func names() async throws {
    try await cache.store(Samples.record(), for: Samples.otherKey)
    let names = try temporary.recordFiles().map(\.lastPathComponent)
    #expect(Set(names).count == 2)
    for name in names { #expect(name.wholeMatch(of: /[0-9a-f]{64}\.json/) != nil, "\(name)") }
    let others = ["README", ".DS_Store", "notes/todo.txt", "package.json", "notes.new"]
    for name in others {
      let url = temporary.store.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("mine".utf8).write(to: url)
    }
    #expect(try await Set(StoredTokenCache.process(at: temporary.store).keys()) == [Samples.key, Samples.otherKey])
    #expect(try Set(others).isSubset(of: temporary.paths()))
  }

  @Test("A write is flushed before it is renamed, and the directory after it; a removal likewise")
  func order() async throws {
    func calls() -> [String] { files.takeCalls().map { $0.replacing(#/[0-9a-f]{64}/#, with: "HASH") } }
    let writing = ["create HASH.new", "write HASH.new", "flush HASH.new", "rename to HASH.json", "flush store"]
    try await cache.store("one")
    #expect(calls() == writing)
    #expect(try await cache.replace(with: "two"))
    #expect(calls() == writing)
    try await cache.remove()
    #expect(calls() == ["remove HASH.json", "flush store"])
    #expect(files.openCount == 0)
  }

  @Test(
    "Temporary files of killed writers are removed at the next listing, writing or removal", arguments: 0..<3)
  func strayFiles(_ number: Int) async throws {
    let stray = try #require(try temporary.recordFiles().first).deletingPathExtension().appendingPathExtension("new")
    try Data("half a rec".utf8).write(to: stray)
    switch number {
    case 0: #expect(try await StoredTokenCache.process(at: temporary.store).keys() == [Samples.key])
    case 1: try await cache.store("two")
    default: try await cache.remove()
    }
    #expect(!FileManager.default.fileExists(atPath: stray.path))
    #expect(try await cache.sample() == [Samples.record(), Samples.record("two"), nil][number])
  }

  @Test("A record that a changing directory leaves out of its list is found by a second look")
  func changingDirectory() async throws {
    let looks = Recorder<String>()
    let files = WatchedFileSystem(changingNames: { path, names in
      looks.record(path)
      guard looks.values.count == 1 else { return names }
      _ = FileManager.default.createFile(atPath: path + "/notes", contents: nil)
      return []
    })
    #expect(try await StoredTokenCache.process(at: temporary.store, files: files).keys() == [Samples.key])
    #expect(looks.values.count == 2)
  }

  // MARK: Calls that fail

  @Test(
    "A write that fails leaves the old record, which can be removed, and no temporary file", arguments: [false, true])
  func failedWrite(_ isFull: Bool) async throws {
    if isFull { files.fillDisk() } else { files.failWrites(afterBytes: 10) }
    for mark in ["two", "three"] {
      await expectFailure(isFull ? "Free some space" : "A token record cannot be written") {
        try await cache.store(mark)
      }
      #expect(files.takeCalls().contains { $0.hasPrefix("write ") } == !isFull)
      #expect(try temporary.paths().filter { $0.hasSuffix(".new") }.isEmpty)
    }
    #expect(try await cache.sample() == Samples.record())
    try await cache.remove()
    #expect(files.takeCalls().contains("flush store"))
    #expect(try await cache.keys().isEmpty)
    #expect(files.openCount == 0)
  }

  @Test("A record whose directory cannot be searched is an error that may pass, and not absent")
  func closedDirectory() async throws {
    files.denyReading()
    await expectFailure("A token record cannot be read", isRetryable: true) { try await cache.sample() }
    await expectFailure("The token cache cannot be listed", isRetryable: true) { try await cache.keys() }
    files.denyReading(false)
    #expect(try await cache.sample() == Samples.record())
  }

  @Test("A directory that cannot be flushed does not make a record that is in place count as refused")
  func unflushedDirectory() async throws {
    files.failToFlushDirectories()
    try await cache.store("two")
    #expect(try await cache.replace(with: "three"))
    #expect(files.takeCalls().contains("flush store"))
    #expect(try await cache.sample() == Samples.record("three"))
    #expect(files.openCount == 0)
  }

  @Test("A removal that could not be flushed is flushed by the next one, also in another process, without a file")
  func unflushedRemoval() async throws {
    files.failToFlushDirectories()
    let other = try StoredTokenCache.process(at: temporary.store, files: files)
    for cache in [cache, cache, other] {
      await expectFailure("A token record cannot be removed") { try await cache.remove() }
      #expect(try await cache.sample() == nil)
    }
    files.failToFlushDirectories(false)
    _ = files.takeCalls()
    try await other.remove()
    #expect(files.takeCalls().contains("flush store"))
  }
}
