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
    #"{"b2cTokenRecord":2,"whatever":1}"#, #"{"b2cTokenRecord":2,"key":"another form"}"#,
  ]

  @Test("Each call reports a damaged record and leaves it; the others are not affected", arguments: damages)
  func reporting(_ content: String) async throws {
    try write(content, to: file)
    for cache in [cache, try StoredTokenCache.process(at: temporary.store)] {
      for _ in 0..<2 {
        let error = await expectFailure("is not a usable token record", isRetryable: false) {
          _ = try await cache.record(for: Samples.key)
        }
        #expect(error?.message.contains(file.lastPathComponent) == true && error?.needsInteraction == true)
        #expect(error?.description.contains("canary") == false)
      }
      await expectFailure("is not a usable token record", isRetryable: false) {
        _ = try await cache.replace(Samples.key, expecting: Samples.uuid, with: Samples.record("two"))
      }
      #expect(try await cache.record(for: Samples.otherKey) == Samples.record("other"))
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == content)
  }

  @Test(
    "Damaged records are removed on request: those whose key is known, and those that a listing found",
    arguments: damages)
  func removal(_ content: String) async throws {
    try write(content, to: file)
    await expectFailure("is not a usable token record", isRetryable: false) {
      _ = try await cache.record(for: Samples.key)
    }
    try await cache.removeDamaged(alsoNewer: true)
    #expect(try await cache.keys() == [Samples.otherKey] && temporary.recordFiles().count == 1)
    try write(content, to: file)
    let fresh = try StoredTokenCache.process(at: temporary.store)
    let (keys, failures) = try await fresh.listing()
    #expect(keys == [Samples.otherKey] || content.contains(#""record":{}"#))
    // A good record that has taken its place meanwhile stays.
    try await cache.store(Samples.record("new"), for: Samples.key)
    try await fresh.removeDamaged()
    #expect(try await fresh.record(for: Samples.key) == Samples.record("new"))
    try write(content, to: file)
    try await fresh.removeDamaged()
    #expect(failures.isEmpty || failures.allSatisfy { $0.needsInteraction && !$0.isRetryable })
    #expect(try await fresh.record(for: Samples.otherKey) == Samples.record("other"))
  }

  @Test("A listing names the other records and reports a file without a key", arguments: damages.dropLast())
  func listing(_ content: String) async throws {
    try write(content, to: file)
    let fresh = try StoredTokenCache.process(at: temporary.store)
    for _ in 0..<2 {
      let (keys, failures) = try await fresh.listing()
      #expect(keys == [Samples.otherKey])
      #expect(failures.map(\.code) == [.tokenCache] && failures.allSatisfy { $0.needsInteraction && !$0.isRetryable })
      #expect(try await fresh.keys() == [Samples.otherKey])
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == content)
  }

  @Test("A file under another key's name is noticed, and not listed")
  func swapping() async throws {
    let other = try #require(try temporary.recordFiles().first { $0 != file })
    try FileManager.default.removeItem(at: file)
    try FileManager.default.copyItem(at: other, to: file)
    let fresh = try StoredTokenCache.process(at: temporary.store)
    let (keys, failures) = try await fresh.listing()
    #expect(keys == [Samples.otherKey])
    #expect(failures.map(\.message).first?.contains("it contains the record of another key") == true)
    for cache in [cache, fresh] {
      await expectFailure("it contains the record of another key", isRetryable: false) {
        _ = try await cache.record(for: Samples.key)
      }
      #expect(try await cache.record(for: Samples.otherKey) == Samples.record("other"))
    }
  }

  @Test("A symbolic link is not followed")
  func link() async throws {
    let target = temporary.url.appendingPathComponent("target")
    try FileManager.default.moveItem(at: file, to: target)
    let before = try Data(contentsOf: target)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
    await expectFailure("it is a symbolic link", isRetryable: false) { _ = try await cache.record(for: Samples.key) }
    try await cache.store(Samples.record("new"), for: Samples.key)
    #expect(try Data(contentsOf: target) == before)
    #expect(try await cache.record(for: Samples.key) == Samples.record("new"))
  }

  @Test(
    "A newer record is refused and left as it is, until a sign-in replaces it or a sign-out removes it",
    arguments: [
      #"{"b2cTokenRecord":2,"key":KEY,"other":1}"#, #"{"b2cTokenRecord":2,"key":KEY,"position":7}"#,
      #"{"b2cTokenRecord":1,"key":KEY,"position":7,"record":{"v":2,"new":true}}"#,
    ])
  func newer(_ form: String) async throws {
    let key = String(decoding: try JSONEncoder().encode(Samples.key), as: UTF8.self)
    let content = form.replacingOccurrences(of: "KEY", with: key)
    try write(content, to: file)
    await expectFailure("has the stored form 2", isRetryable: false) { _ = try await cache.record(for: Samples.key) }
    await expectFailure("has the stored form 2", isRetryable: false) {
      _ = try await cache.replace(Samples.key, expecting: Samples.uuid, with: Samples.record("old"))
    }
    let fresh = try StoredTokenCache.process(at: temporary.store)
    #expect(try await Set(fresh.keys()) == [Samples.key, Samples.otherKey])
    let error = await #expect(throws: ConnectorError.self) { _ = try await fresh.record(for: Samples.key) }
    #expect(error?.recordPosition == (form.contains("position") ? 7 : nil) && error?.needsInteraction == true)
    for cache in [cache, fresh] { try await cache.removeDamaged() }
    #expect(try String(contentsOf: file, encoding: .utf8) == content)
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

  private func write(_ content: String, to url: URL) throws {
    try? FileManager.default.removeItem(at: url)
    #expect(
      FileManager.default.createFile(
        atPath: url.path, contents: Data(content.utf8), attributes: [.posixPermissions: 0o600]))
  }
}
