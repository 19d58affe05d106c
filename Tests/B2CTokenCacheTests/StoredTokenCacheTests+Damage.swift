import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// Files that are not the record of their key, and those that others can reach.
@Suite(.hangLimit) struct StoredTokenCacheDamageTests {
  private let temporary: TemporaryDirectory
  private let cache: StoredTokenCache
  private let file: URL

  init() async throws {
    temporary = try TemporaryDirectory()
    cache = try .files(at: temporary.store)
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
    let error = await expectFailure("is not a usable token record", isRetryable: true) {
      _ = try await cache.record(for: Samples.key)
    }
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
      await expectFailure("it was renamed", isRetryable: true) { _ = try await cache.record(for: Samples.key) }
      // One is kept, the last.
      #expect(try String(contentsOf: file.appendingPathExtension("damaged"), encoding: .utf8) == content)
      try await cache.store(Samples.record(), for: Samples.key)
    }
    let other = try #require(try temporary.recordFiles().first { $0 != file })
    try write("three", to: other)
    await expectFailure("it was renamed", isRetryable: true) { _ = try await cache.record(for: Samples.otherKey) }
    #expect(try temporary.damagedFiles().count == 2)
    try await cache.removeRecord(for: Samples.key)
    #expect(try temporary.damagedFiles() == [other.lastPathComponent + ".damaged"])
    // Also where the record itself is gone.
    try await cache.removeRecord(for: Samples.otherKey)
    #expect(try temporary.damagedFiles().isEmpty)
  }

  @Test("A replacement of a damaged record reports it and changes nothing")
  func replacement() async throws {
    try write("damage", to: file)
    await expectFailure("it was renamed", isRetryable: true) {
      _ = try await cache.replace(Samples.key, expecting: Samples.uuid, with: Samples.record("two"))
    }
    #expect(try await cache.record(for: Samples.key) == nil)
    #expect(try await !cache.replace(Samples.key, expecting: Samples.uuid, with: Samples.record("two")))
  }

  @Test("A new instance that lists reports a damaged record once and lists the others then", arguments: damages)
  func listing(_ content: String) async throws {
    try write(content, to: file)
    let fresh = try StoredTokenCache.process(at: temporary.store)
    let error = await expectFailure("is not a usable token record", isRetryable: true) { _ = try await fresh.keys() }
    #expect(error?.message.contains(file.lastPathComponent + ".damaged") == true)
    #expect(try await fresh.keys() == [Samples.otherKey])
    #expect(try await fresh.record(for: Samples.otherKey) == Samples.record("other"))
  }

  @Test("A file under another key's name is not listed")
  func copyUnderAnotherName() async throws {
    try copyOther()
    let fresh = try StoredTokenCache.process(at: temporary.store)
    await expectFailure("it holds the record of another key", isRetryable: true) { _ = try await fresh.keys() }
    #expect(try await fresh.keys() == [Samples.otherKey])
  }

  @Test("A file that was replaced by another record's is noticed")
  func swapping() async throws {
    try copyOther()
    await expectFailure("it holds the record of another key", isRetryable: true) {
      _ = try await cache.record(for: Samples.key)
    }
    #expect(try await cache.record(for: Samples.otherKey) == Samples.record("other"))
  }

  @Test("A store replaces a damaged record")
  func storing() async throws {
    try write("damage", to: file)
    try await cache.store(Samples.record("new"), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record("new"))
    #expect(try temporary.damagedFiles().isEmpty)
  }

  @Test("A symbolic link is not followed")
  func link() async throws {
    let target = temporary.url.appendingPathComponent("target")
    try FileManager.default.moveItem(at: file, to: target)
    let before = try Data(contentsOf: target)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
    await expectFailure("it is a symbolic link", isRetryable: true) { _ = try await cache.record(for: Samples.key) }
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
    try await cache.store(Samples.record("new"), for: Samples.key)
    #expect(try Data(contentsOf: target) == before)
    #expect(try await cache.record(for: Samples.key) == Samples.record("new"))
  }

  @Test(
    "A newer record is refused and left as it is, until a sign-in replaces it or a sign-out removes it",
    arguments: [
      #"{"b2cTokenRecord":2,"whatever":1}"#, #"{"b2cTokenRecord":2,"key":KEY,"other":1}"#,
      #"{"b2cTokenRecord":2,"key":"another form"}"#, #"{"b2cTokenRecord":1,"key":KEY,"record":{"v":2,"new":true}}"#,
    ])
  func newer(_ form: String) async throws {
    let key = String(decoding: try JSONEncoder().encode(Samples.key), as: UTF8.self)
    let content = form.replacingOccurrences(of: "KEY", with: key)
    try write(content, to: file)
    await expectFailure("has version 2", isRetryable: false) { _ = try await cache.record(for: Samples.key) }
    await expectFailure("has version 2", isRetryable: false) {
      _ = try await cache.replace(Samples.key, expecting: Samples.uuid, with: Samples.record("old"))
    }
    let fresh = try StoredTokenCache.process(at: temporary.store)
    if form.contains("KEY") {
      #expect(try await Set(fresh.keys()) == [Samples.key, Samples.otherKey])
    } else {
      await expectFailure("has version 2", isRetryable: false) { _ = try await fresh.keys() }
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == content)
    #expect(try temporary.damagedFiles().isEmpty)
    #expect(try temporary.paths().filter { $0.hasSuffix(".new") }.isEmpty)
    try await cache.store(Samples.record("new"), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record("new"))
    try write(content, to: file)
    try await cache.removeRecord(for: Samples.key)
    #expect(try await cache.keys() == [Samples.otherKey])
  }

  @Test("A record that others can open is refused until it is fixed", arguments: [0o640, 0o620, 0o604, 0o644, 0o660])
  func openToOthers(_ mode: Int) async throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    for cache in [cache, try StoredTokenCache.process(at: temporary.store)] {
      await expectFailure("chmod 600 \(file.path)", isRetryable: true) { _ = try await cache.record(for: Samples.key) }
      await expectFailure("is open to other users", isRetryable: true) {
        _ = try await cache.replace(Samples.key, expecting: Samples.uuid, with: Samples.record("two"))
      }
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
    let watched = try StoredTokenCache.process(at: temporary.store, files: files)
    let error = await expectFailure("\(file.path) belongs to user 65534", isRetryable: true) {
      _ = try await watched.record(for: Samples.key)
    }
    #expect(error?.recoverySuggestion?.contains("chown") == true)
    try await watched.store(Samples.record("new"), for: Samples.key)
    #expect(try await watched.record(for: Samples.key) == Samples.record("new"))
  }

  /// Puts a copy of the other record's file in the place of this one.
  private func copyOther() throws {
    let other = try #require(try temporary.recordFiles().first { $0 != file })
    try FileManager.default.removeItem(at: file)
    try FileManager.default.copyItem(at: other, to: file)
  }

  private func write(_ content: String, to url: URL) throws {
    try? FileManager.default.removeItem(at: url)
    #expect(
      FileManager.default.createFile(
        atPath: url.path, contents: Data(content.utf8), attributes: [.posixPermissions: 0o600]))
  }
}
