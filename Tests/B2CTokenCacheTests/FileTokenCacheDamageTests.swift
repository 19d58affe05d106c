import B2CCore
import B2CTokenCache
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct FileTokenCacheDamageTests {
  private let temporary: TemporaryDirectory
  private let cache: FileTokenCache
  private let file: URL

  init() async throws {
    temporary = try TemporaryDirectory()
    cache = try FileTokenCache(directory: temporary.store)
    try await cache.store(Samples.record(), for: Samples.key)
    file = try #require(try temporary.recordFiles().first)
    try await cache.store(Samples.record("other"), for: Samples.otherKey)
  }

  static let damages = [
    "", "{", "null", "canary-content", #"{"b2cTokenRecord":1}"#, #"{"b2cTokenRecord":1,"key":{},"record":{}}"#,
  ]

  @Test("A damaged record is renamed and reported once; the others are not affected", arguments: damages)
  func renaming(_ content: String) async throws {
    try write(content, to: file)
    let error = await failure { _ = try await cache.record(for: Samples.key) }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains(file.lastPathComponent + ".damaged") == true)
    #expect(error?.description.contains("canary") == false)
    #expect(try await cache.record(for: Samples.key) == nil)
    #expect(try await cache.record(for: Samples.otherKey) == Samples.record("other"))
    #expect(try await cache.keys() == [Samples.otherKey])
    #expect(try temporary.damagedFiles() == [file.lastPathComponent + ".damaged"])
    #expect(try String(contentsOf: file.appendingPathExtension("damaged"), encoding: .utf8) == content)
  }

  @Test("Removing a record removes what was renamed of it, which may hold tokens, and nothing of the others")
  func removal() async throws {
    for content in ["one", "two"] {
      try write(content, to: file)
      _ = await failure { _ = try await cache.record(for: Samples.key) }
      // One is kept, the last.
      #expect(try String(contentsOf: file.appendingPathExtension("damaged"), encoding: .utf8) == content)
      try await cache.store(Samples.record(), for: Samples.key)
    }
    let other = try #require(try temporary.recordFiles().first { $0 != file })
    try write("three", to: other)
    _ = await failure { _ = try await cache.record(for: Samples.otherKey) }
    #expect(try temporary.damagedFiles().count == 2)
    try await cache.removeRecord(for: Samples.key)
    #expect(try temporary.damagedFiles() == [other.lastPathComponent + ".damaged"])
    // Also where the record itself is gone.
    try await cache.removeRecord(for: Samples.otherKey)
    #expect(try temporary.damagedFiles().isEmpty)
  }

  @Test("A change that removes a record removes what was renamed of it; one that finds none leaves it")
  func changeToNothing() async throws {
    try write("one", to: file)
    _ = await failure { _ = try await cache.record(for: Samples.key) }
    try await cache.update(Samples.key) { _ in nil }
    #expect(try temporary.damagedFiles().count == 1)
    try await cache.store(Samples.record(), for: Samples.key)
    try await cache.update(Samples.key) { _ in nil }
    #expect(try temporary.damagedFiles().isEmpty)
  }

  @Test("An update of a damaged record reports it and changes nothing")
  func update() async throws {
    try write("damage", to: file)
    let hasRun = Locked(false)
    let error = await failure {
      try await cache.update(Samples.key) {
        hasRun.withLock { $0 = true }
        return $0
      }
    }
    #expect(error?.code == .damaged)
    #expect(!hasRun.withLock { $0 })
    #expect(try await cache.record(for: Samples.key) == nil)
  }

  @Test("A new instance that lists reports a damaged record once and lists the others then", arguments: damages)
  func listing(_ content: String) async throws {
    try write(content, to: file)
    let fresh = try FileTokenCache(directory: temporary.store)
    let error = await failure { _ = try await fresh.keys() }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains(file.lastPathComponent + ".damaged") == true)
    #expect(try await fresh.keys() == [Samples.otherKey])
    #expect(try await fresh.record(for: Samples.otherKey) == Samples.record("other"))
  }

  @Test("A file under another key's name is not listed")
  func copyUnderAnotherName() async throws {
    let other = try #require(try temporary.recordFiles().first { $0 != file })
    try FileManager.default.removeItem(at: file)
    try FileManager.default.copyItem(at: other, to: file)
    let fresh = try FileTokenCache(directory: temporary.store)
    #expect(await failure { _ = try await fresh.keys() }?.code == .damaged)
    #expect(try await fresh.keys() == [Samples.otherKey])
  }

  @Test("A file that was replaced by another record's is noticed")
  func swapping() async throws {
    let other = try #require(try temporary.recordFiles().first { $0 != file })
    try FileManager.default.removeItem(at: file)
    try FileManager.default.copyItem(at: other, to: file)
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .damaged)
    #expect(try await cache.record(for: Samples.otherKey) == Samples.record("other"))
  }

  @Test("A store over a damaged record keeps the damaged file")
  func storing() async throws {
    try write("damage", to: file)
    try await cache.store(Samples.record("new"), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record("new"))
    #expect(try temporary.damagedFiles().count == 1)
  }

  @Test("A symbolic link is not followed")
  func link() async throws {
    let target = temporary.url.appendingPathComponent("target")
    try FileManager.default.moveItem(at: file, to: target)
    let before = try Data(contentsOf: target)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .damaged)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
    try await cache.store(Samples.record("new"), for: Samples.key)
    #expect(try Data(contentsOf: target) == before)
    #expect(try await cache.record(for: Samples.key) == Samples.record("new"))
  }

  @Test("A directory in a record's place is renamed")
  func directory() async throws {
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .damaged)
    try await cache.store(Samples.record("new"), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record("new"))
  }

  @Test(
    "A newer record is refused and left as it is",
    arguments: [
      #"{"b2cTokenRecord":2,"whatever":1}"#, #"{"b2cTokenRecord":2,"key":KEY,"other":1}"#,
      #"{"b2cTokenRecord":1,"key":KEY,"record":{"v":2,"new":true}}"#,
    ])
  func newer(_ form: String) async throws {
    let key = String(decoding: try JSONEncoder().encode(Samples.key), as: UTF8.self)
    let content = form.replacingOccurrences(of: "KEY", with: key)
    try write(content, to: file)
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .newerVersion)
    #expect(await failure { try await cache.store(Samples.record("old"), for: Samples.key) }?.code == .newerVersion)
    #expect(await failure { try await cache.update(Samples.key) { _ in nil } }?.code == .newerVersion)
    let fresh = try FileTokenCache(directory: temporary.store)
    if form.contains("KEY") {
      #expect(try await Set(fresh.keys()) == [Samples.key, Samples.otherKey])
    } else {
      #expect(await failure { _ = try await fresh.keys() }?.code == .newerVersion)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == content)
    #expect(try temporary.damagedFiles().isEmpty)
    #expect(try temporary.paths().filter { $0.hasSuffix(".new") }.isEmpty)
    try await cache.removeRecord(for: Samples.key)
    #expect(try await cache.keys() == [Samples.otherKey])
  }

  @Test("A record that others can open is refused until it is fixed", arguments: [0o640, 0o620, 0o604, 0o644, 0o660])
  func openToOthers(_ mode: Int) async throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    for cache in [cache, try FileTokenCache(directory: temporary.store)] {
      let error = await failure { _ = try await cache.record(for: Samples.key) }
      #expect(error?.code == .insecurePermissions)
      #expect(error?.recoverySuggestion?.contains("chmod 600 \(file.path)") == true)
      #expect(await failure { try await cache.update(Samples.key) { $0 } }?.code == .insecurePermissions)
      #expect(try await Set(cache.keys()) == [Samples.key, Samples.otherKey])
    }
    try await cache.store(Samples.record("new"), for: Samples.key)
    #expect(try temporary.mode(file.path) == 0o600)
    #expect(try await cache.record(for: Samples.key) == Samples.record("new"))
  }

  @Test("A record of another user is refused, and replaced by the next store")
  func otherOwner() async throws {
    let number = try #require(try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int)
    let files = WatchedFileSystem(changingStatus: { [path = file.path] place, status in
      var status = status
      let current = try? FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
      if place == path, current == number { status.owner = 65_534 }
      return status
    })
    let watched = try FileTokenCache(directory: temporary.store, now: { Date() }, files: files)
    let error = await failure { _ = try await watched.record(for: Samples.key) }
    #expect(error?.code == .insecurePermissions)
    #expect(error?.message.contains("\(file.path) belongs to user 65534") == true)
    #expect(error?.recoverySuggestion?.contains("chown") == true)
    try await watched.store(Samples.record("new"), for: Samples.key)
    #expect(try await watched.record(for: Samples.key) == Samples.record("new"))
  }

  @Test("Other files beside the records are left alone")
  func otherFiles() async throws {
    let names = ["README", ".DS_Store", "notes/todo.txt", "package.json", "abc.new"]
    for name in names {
      let url = temporary.store.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try write("mine", to: url)
    }
    let again = try FileTokenCache(directory: temporary.store)
    #expect(try await Set(again.keys()) == [Samples.key, Samples.otherKey])
    for name in names {
      #expect(FileManager.default.fileExists(atPath: temporary.store.appendingPathComponent(name).path))
    }
  }

  private func write(_ content: String, to url: URL) throws {
    try? FileManager.default.removeItem(at: url)
    #expect(
      FileManager.default.createFile(
        atPath: url.path, contents: Data(content.utf8), attributes: [.posixPermissions: 0o600]))
  }
}
