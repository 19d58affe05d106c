import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct FileTokenCacheTests {
  private let temporary: TemporaryDirectory
  private let cache: FileTokenCache

  init() throws {
    temporary = try TemporaryDirectory()
    cache = try FileTokenCache(directory: temporary.store)
  }

  @Test("The conformance suite finds nothing")
  func conformance() async throws {
    let temporaries = Locked<[TemporaryDirectory]>([])
    var suite = TokenCacheConformance {
      let temporary = try TemporaryDirectory()
      temporaries.withLock { $0.append(temporary) }
      return try FileTokenCache(directory: temporary.store, lockTimeout: .patience)
    }
    suite.makeSecondInstance = { first in
      try FileTokenCache(directory: (first as? FileTokenCache)?.directory, lockTimeout: .patience)
    }
    suite.makeUnreachableCache = {
      let temporary = try TemporaryDirectory()
      temporaries.withLock { $0.append(temporary) }
      let cache = try FileTokenCache(directory: temporary.store, lockTimeout: .patience)
      // A file in the directory's place: nothing below it can be reached, and nothing can be created there.
      try FileManager.default.removeItem(at: temporary.store)
      try Data("in the way".utf8).write(to: temporary.store)
      return cache
    }
    let broken = try await suite.brokenRules()
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test("Only the owner can open anything")
  func permissions() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    try await cache.withRefreshLock(for: Samples.key) {}
    #expect(try temporary.mode(temporary.store.path) == 0o700)
    let paths = try temporary.paths()
    #expect(paths.count == 3)
    for path in paths {
      #expect(try temporary.mode(temporary.store.appendingPathComponent(path).path) == 0o600, "\(path)")
    }
  }

  @Test("Names of files are hashes of the key")
  func names() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    try await cache.store(Samples.record(), for: Samples.otherKey)
    let names = try temporary.recordFiles().map(\.lastPathComponent)
    #expect(Set(names).count == 2)
    for name in names { #expect(name.wholeMatch(of: /[0-9a-f]{64}\.json/) != nil, "\(name)") }
  }

  @Test("A new instance reads what was stored")
  func reopening() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    let again = try FileTokenCache(directory: temporary.store)
    #expect(try await again.record(for: Samples.key) == Samples.record())
    #expect(try await again.keys() == [Samples.key])
  }

  @Test("A store changes one file")
  func oneFile() async throws {
    let keys = (0..<20).map { TokenCacheKey(authority: "a", policy: "p", clientID: "c", userID: "\($0)") }
    for key in keys { try await cache.store(Samples.record(), for: key) }
    func numbers() throws -> [URL: Int] {
      try Dictionary(
        uniqueKeysWithValues: temporary.recordFiles().map {
          ($0, try FileManager.default.attributesOfItem(atPath: $0.path)[.systemFileNumber] as? Int ?? 0)
        })
    }
    let before = try numbers()
    try await cache.store(Samples.record("two"), for: keys[7])
    #expect(try numbers().filter { before[$0.key] != $0.value }.count == 1)
  }

  @Test("An update that changes nothing writes nothing")
  func unchanged() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    let file = try #require(try temporary.recordFiles().first)
    let before = try #require(try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int)
    #expect(try await cache.update(Samples.key) { $0 } == Samples.record())
    #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int == before)
  }

  @Test("A write is flushed before it is renamed, and the directory after it; a removal likewise")
  func order() async throws {
    let files = WatchedFileSystem()
    let cache = try FileTokenCache(directory: temporary.store, now: { Date() }, files: files)
    _ = files.takeCalls()
    let writing = ["create HASH.new", "write HASH.new", "flush HASH.new", "rename to HASH.json", "flush store"]
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(files.takeCalls().map(withoutHash) == writing)
    try await cache.update(Samples.key) { _ in Samples.record("two") }
    #expect(files.takeCalls().map(withoutHash) == writing)
    try await cache.removeRecord(for: Samples.key)
    #expect(files.takeCalls().map(withoutHash) == ["remove HASH.json", "flush store"])
    #expect(files.openCount == 0)
  }

  @Test("A new directory is flushed into the one that holds it")
  func newDirectory() throws {
    let files = WatchedFileSystem()
    _ = try FileTokenCache(
      directory: temporary.url.appendingPathComponent("one/two"), now: { Date() }, files: files)
    #expect(files.takeCalls() == ["flush \(temporary.url.lastPathComponent)", "flush one"])
  }

  @Test("Unchanged files are served from memory")
  func memory() async throws {
    let asked = Locked(0)
    let cache = try FileTokenCache(
      directory: temporary.store,
      now: {
        asked.withLock { $0 += 1 }
        return Date(timeIntervalSinceNow: 3600)
      })
    try await cache.store(Samples.record(), for: Samples.key)
    _ = try await cache.record(for: Samples.key)
    // The wall clock is asked at each reading of a file and at no other time.
    let readings = asked.withLock { $0 }
    for _ in 0..<10 { #expect(try await cache.record(for: Samples.key) == Samples.record()) }
    #expect(asked.withLock { $0 } == readings)
    try await self.cache.store(Samples.record("two"), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record("two"))
    #expect(asked.withLock { $0 } == readings + 1)
  }

  @Test("Two states within one step of the file system's clock are told apart")
  func sameStamp() async throws {
    let now = Date()
    try await cache.store(Samples.record(), for: Samples.key)
    // The number of a removed file is used again, and size and times are the same: nothing tells the new file from it.
    let first = Locked<FileStatus?>(nil)
    let files = WatchedFileSystem(changingStatus: { path, status in
      guard path.hasSuffix(".json") else { return status }
      return first.withLock { first in
        first = first ?? status
        return first ?? status
      }
    })
    let reader = try FileTokenCache(directory: temporary.store, now: { now }, files: files)
    #expect(try await reader.record(for: Samples.key) == Samples.record())
    try await cache.store(Samples.record("two"), for: Samples.key)
    #expect(try await reader.record(for: Samples.key) == Samples.record("two"))
  }

  @Test("A wrong clock hides no change", arguments: [0.0, -31_536_000, 31_536_000])
  func wrongClock(_ offset: Double) async throws {
    let cache = try FileTokenCache(directory: temporary.store, now: { Date(timeIntervalSinceNow: offset) })
    for number in 0..<50 {
      try await self.cache.store(Samples.record("\(number)"), for: Samples.key)
      // A clock that is ahead makes fresh files look old; the file's number and size still tell most states apart, so
      // each value here has another length.
      var longer = Samples.record("\(number)")
      longer.policyID = String(repeating: "x", count: number)
      try await self.cache.store(longer, for: Samples.key)
      #expect(try await cache.record(for: Samples.key) == longer)
    }
  }

  @Test("A directory that was removed is created again")
  func removedDirectory() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    try FileManager.default.removeItem(at: temporary.store)
    #expect(try await cache.record(for: Samples.key) == nil)
    #expect(try await cache.keys().isEmpty)
    try await cache.store(Samples.record("two"), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record("two"))
    try FileManager.default.removeItem(at: temporary.store)
    #expect(try await cache.withRefreshLock(for: Samples.key) { true })
    #expect(try temporary.mode(temporary.store.path) == 0o700)
  }

  @Test("Temporary files of killed writers are removed at the next opening, writing or removal, others' are left alone")
  func strayFiles() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    let stray = try #require(try temporary.recordFiles().first).deletingPathExtension().appendingPathExtension("new")
    let foreign = temporary.store.appendingPathComponent("notes.new")
    for file in [stray, foreign] { try Data("half a rec".utf8).write(to: file) }
    _ = try FileTokenCache(directory: temporary.store)
    #expect(!FileManager.default.fileExists(atPath: stray.path))
    #expect(FileManager.default.fileExists(atPath: foreign.path))
    try Data("half a rec".utf8).write(to: stray)
    try await cache.store(Samples.record("two"), for: Samples.key)
    #expect(!FileManager.default.fileExists(atPath: stray.path))
    #expect(try await cache.record(for: Samples.key) == Samples.record("two"))
    try Data("half a rec".utf8).write(to: stray)
    try await cache.removeRecord(for: Samples.key)
    #expect(!FileManager.default.fileExists(atPath: stray.path))
  }

  @Test("A write that fails after some bytes leaves the old record and no temporary file")
  func failedWrite() async throws {
    let files = WatchedFileSystem()
    let cache = try FileTokenCache(directory: temporary.store, now: { Date() }, files: files)
    try await cache.store(Samples.record(), for: Samples.key)
    files.failWrites(afterBytes: 10)
    for record in [Samples.record("two"), Samples.record("three")] {
      #expect(await failure { try await cache.store(record, for: Samples.key) }?.code == .unwritable)
      #expect(files.takeCalls().contains { $0.hasPrefix("write ") })
      #expect(try temporary.paths().filter { $0.hasSuffix(".new") }.isEmpty)
    }
    #expect(files.openCount == 0)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  @Test(
    "The change stamp differs after each change by another cache, and while a change is younger than the clock's step")
  func changeStamp() async throws {
    // An hour ahead, so that every stamp counts as old.
    let cache = try FileTokenCache(directory: temporary.store, now: { Date().addingTimeInterval(3_600) })
    let other = try FileTokenCache(directory: temporary.store)
    var stamps = [try await cache.changeStamp()]
    #expect(try await cache.changeStamp() == stamps[0])
    try await other.store(Samples.record(), for: Samples.key)
    stamps.append(try await cache.changeStamp())
    #expect(try await cache.changeStamp() == stamps[1])
    try await other.removeRecord(for: Samples.key)
    stamps.append(try await cache.changeStamp())
    #expect(Set(stamps).count == 3 && !stamps.contains(nil))
    let young = try FileTokenCache(directory: temporary.store, now: { Date().addingTimeInterval(-3_600) })
    #expect(try await young.changeStamp() != young.changeStamp())
  }

  @Test("A directory that cannot be flushed does not make a record that is in place count as refused")
  func unflushedDirectory() async throws {
    let files = WatchedFileSystem()
    let cache = try FileTokenCache(directory: temporary.store, now: { Date() }, files: files)
    try await cache.store(Samples.record(), for: Samples.key)
    files.failToFlushDirectories()
    try await cache.store(Samples.record("two"), for: Samples.key)
    try await cache.update(Samples.key) { _ in Samples.record("three") }
    #expect(files.takeCalls().contains("flush store"))
    #expect(try await cache.record(for: Samples.key) == Samples.record("three"))
    #expect(files.openCount == 0)
  }

  @Test("A record that is in place is stored, though its file cannot be looked at right after")
  func unseenRecord() async throws {
    let files = WatchedFileSystem()
    let cache = try FileTokenCache(directory: temporary.store, now: { Date() }, files: files)
    files.failToLookAfterMoves()
    try await cache.store(Samples.record("one"), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record("one"))
    try await cache.update(Samples.key) { _ in Samples.record("two") }
    #expect(try await cache.record(for: Samples.key) == Samples.record("two"))
    #expect(files.openCount == 0)
  }

  @Test("A removal that could not be flushed is flushed by the next one, also in another process, without a file")
  func unflushedRemoval() async throws {
    let files = WatchedFileSystem()
    let cache = try FileTokenCache(directory: temporary.store, now: { Date() }, files: files)
    try await cache.store(Samples.record(), for: Samples.key)
    files.failToFlushDirectories()
    for _ in 1...2 {
      await #expect(throws: TokenCacheError.self) { try await cache.removeRecord(for: Samples.key) }
    }
    #expect(try await cache.record(for: Samples.key) == nil)
    let other = try FileTokenCache(directory: temporary.store, now: { Date() }, files: files)
    await #expect(throws: TokenCacheError.self) { try await other.removeRecord(for: Samples.key) }
    files.failToFlushDirectories(false)
    _ = files.takeCalls()
    try await other.removeRecord(for: Samples.key)
    #expect(files.takeCalls().contains("flush store"))
    // As a sign-out that waits does it.
    try await other.update(Samples.key) { _ in nil }
    #expect(files.takeCalls().contains("flush store"))
  }

  @Test("A removal of nothing makes earlier ones last, also on a full disk, and creates no file and no directory")
  func removalOfNothing() async throws {
    let files = WatchedFileSystem()
    let cache = try FileTokenCache(directory: temporary.store, now: { Date() }, files: files)
    files.fillDisk()
    _ = files.takeCalls()
    try await cache.removeRecord(for: Samples.key)
    #expect(files.takeCalls() == ["flush store"])
    #expect(try temporary.paths().isEmpty && files.openCount == 0)
    try FileManager.default.removeItem(at: temporary.store)
    try await cache.removeRecord(for: Samples.key)
    #expect(!FileManager.default.fileExists(atPath: temporary.store.path))
  }

  @Test("Stores and updates go on when their caller is cancelled")
  func cancellation() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await cache.store(Samples.record(), for: Samples.key)
      try await cache.update(Samples.otherKey) { _ in Samples.record("two") }
    }
    try await task.value
    let again = try FileTokenCache(directory: temporary.store)
    #expect(try await again.record(for: Samples.key) == Samples.record())
    #expect(try await again.record(for: Samples.otherKey) == Samples.record("two"))
  }

  @Test("A value without a stored form is refused without showing it")
  func unstorable() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    var record = Samples.record("canary-two")
    record.signedInAt = Date(timeIntervalSince1970: .infinity)
    let error = await failure { [record] in try await cache.store(record, for: Samples.key) }
    #expect(error?.code == .unwritable)
    #expect(error?.description.contains("canary") == false)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  @Test("A place that is not a file is refused")
  func notAFile() throws {
    let place = try #require(URL(string: "https://contoso.example/tokens"))
    let error = #expect(throws: TokenCacheError.self) { try FileTokenCache(directory: place) }
    #expect(error?.code == .unwritable)
  }

  private func withoutHash(_ call: String) -> String { call.replacing(#/[0-9a-f]{64}/#, with: "HASH") }
}
