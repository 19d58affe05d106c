import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Files that are not the record of their key, and those that others can reach.
@Suite(.hangLimit) struct StoredTokenCacheDamageTests {
  private let temporary: TemporaryDirectory
  private let cache: StoredTokenCache
  /// A cache that has not read a record yet.
  private let fresh: StoredTokenCache
  private let file: URL

  init() async throws {
    temporary = try TemporaryDirectory()
    cache = try .files(at: temporary.store)
    fresh = try .process(at: temporary.store)
    try await cache.store("one")
    file = try #require(try temporary.recordFiles().first)
    try await cache.store(Samples.record("other"), for: Samples.otherKey)
  }

  static let damages = [
    "", "{", "null", "canary-content", #"{"b2cTokenRecord":1}"#, #"{"b2cTokenRecord":1,"key":{},"record":{}}"#,
    #"{"b2cTokenRecord":2,"whatever":1}"#, #"{"b2cTokenRecord":2,"key":"another form"}"#,
  ]

  @Test(
    "Each call and each listing reports a damaged record and leaves it; the others are not affected",
    arguments: damages)
  func reporting(_ content: String) async throws {
    try damage(content)
    for _ in 0..<2 {
      let (keys, failures) = try await fresh.listing()
      #expect(keys == [Samples.otherKey])
      #expect(failures.map(\.code) == [.tokenCache] && failures.allSatisfy { $0.needsInteraction && !$0.isRetryable })
    }
    for cache in [cache, fresh] {
      for _ in 0..<2 {
        let error = await expectFailure("is not a usable token record") { try await cache.sample() }
        #expect(error?.message.contains(file.lastPathComponent) == true && error?.needsInteraction == true)
      }
      await expectFailure("is not a usable token record") { try await cache.replace(with: "two") }
      #expect(try await cache.record(for: Samples.otherKey) == Samples.record("other"))
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == content)
  }

  @Test("A good record that has taken the place of a damaged one is not removed with it")
  func replacedMeanwhile() async throws {
    try damage("{")
    // One cache knows the damage by the record's key, the other by a listing.
    await expectFailure("is not a usable token record") { try await cache.sample() }
    _ = try await fresh.keys()
    try await StoredTokenCache.process(at: temporary.store).store("new")
    for cache in [cache, fresh] {
      try await cache.removeDamaged(alsoNewer: true)
      #expect(try await cache.sample() == Samples.record("new"))
    }
  }

  @Test("A file under another key's name is noticed, and not listed")
  func swapping() async throws {
    let other = try #require(try temporary.recordFiles().first { $0 != file })
    try FileManager.default.removeItem(at: file)
    try FileManager.default.copyItem(at: other, to: file)
    let (keys, failures) = try await fresh.listing()
    #expect(keys == [Samples.otherKey])
    #expect(failures.map(\.message).first?.contains("it contains the record of another key") == true)
    for cache in [cache, fresh] {
      await expectFailure("it contains the record of another key") { try await cache.sample() }
      #expect(try await cache.record(for: Samples.otherKey) == Samples.record("other"))
    }
  }

  @Test("A symbolic link is not followed")
  func link() async throws {
    let target = temporary.url.appendingPathComponent("target")
    try FileManager.default.moveItem(at: file, to: target)
    let before = try Data(contentsOf: target)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
    await expectFailure("it is a symbolic link") { try await cache.sample() }
    try await cache.store("new")
    #expect(try Data(contentsOf: target) == before)
    #expect(try await cache.sample() == Samples.record("new"))
  }

  @Test(
    "A newer record is refused and left as it is, until a sign-in replaces it",
    arguments: [
      #"{"b2cTokenRecord":2,"key":KEY,"other":1}"#, #"{"b2cTokenRecord":2,"key":KEY,"position":7}"#,
      #"{"b2cTokenRecord":1,"key":KEY,"position":7,"record":{"v":2,"new":true}}"#,
    ])
  func newer(_ form: String) async throws {
    let key = String(decoding: try JSONEncoder().encode(Samples.key), as: UTF8.self)
    let content = form.replacingOccurrences(of: "KEY", with: key)
    try damage(content)
    #expect(try await Set(fresh.keys()) == [Samples.key, Samples.otherKey])
    for cache in [cache, fresh] {
      let error = await expectFailure("has the stored form 2") { try await cache.sample() }
      #expect(error?.recordPosition == (form.contains("position") ? 7 : nil) && error?.needsInteraction == true)
      await expectFailure("has the stored form 2") { try await cache.replace(with: "old") }
      try await cache.removeDamaged()
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == content)
    try await cache.store("new")
    #expect(try await cache.sample() == Samples.record("new"))
  }

  @Test("A record that others can open is refused until it is fixed", arguments: [0o640, 0o620, 0o604, 0o644, 0o660])
  func openToOthers(_ mode: Int) async throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    for cache in [cache, fresh] {
      await expectFailure("chmod 600 \(file.path)", isRetryable: true) { try await cache.sample() }
      await expectFailure("is open to other users", isRetryable: true) { try await cache.replace(with: "two") }
      #expect(try await Set(cache.keys()) == [Samples.key, Samples.otherKey])
    }
    try await cache.store("new")
    #expect(try temporary.mode(file.path) == 0o600)
    #expect(try await cache.sample() == Samples.record("new"))
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
      try await watched.sample()
    }
    #expect(error?.recoverySuggestion?.contains("chown") == true)
    try await watched.store("new")
    #expect(try await watched.sample() == Samples.record("new"))
  }

  /// Puts other content into the file of the samples' record.
  private func damage(_ content: String) throws {
    try? FileManager.default.removeItem(at: file)
    #expect(
      FileManager.default.createFile(
        atPath: file.path, contents: Data(content.utf8), attributes: [.posixPermissions: 0o600]))
  }
}
