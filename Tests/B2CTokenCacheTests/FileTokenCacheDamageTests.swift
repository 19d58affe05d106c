import B2CTokenCache
import Foundation
import Testing

@Suite struct FileTokenCacheDamageTests {
  private let folder: TemporaryFolder
  private let cache: FileTokenCache
  private let file: URL

  init() async throws {
    folder = try TemporaryFolder()
    cache = try FileTokenCache(directory: folder.store)
    try await cache.store(Samples.record(), for: Samples.key)
    file = try #require(try folder.recordFiles().first)
    try await cache.store(Samples.record("other"), for: Samples.otherKey)
  }

  @Test(arguments: [
    "", "{", "null", "canary-content", #"{"b2cTokenRecord":1}"#, #"{"b2cTokenRecord":1,"key":{},"record":{}}"#,
  ])
  func aDamagedRecordIsSetAsideAndTheOthersGoOn(_ content: String) async throws {
    try write(content, to: file)
    let error = await failure { _ = try await cache.record(for: Samples.key) }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains(file.lastPathComponent + ".set-aside-1") == true)
    #expect(error?.description.contains("canary") == false)
    #expect(try await cache.record(for: Samples.key) == nil)
    #expect(try await cache.record(for: Samples.otherKey) == Samples.record("other"))
    #expect(try await cache.keys() == [Samples.otherKey])
    let aside = try await cache.filesSetAside()
    #expect(aside.map(\.lastPathComponent) == [file.lastPathComponent + ".set-aside-1"])
    #expect(try String(contentsOf: #require(aside.first), encoding: .utf8) == content)
  }

  @Test func eachDamagedFileKeepsANameOfItsOwn() async throws {
    for number in 1...3 {
      try write("damage \(number)", to: file)
      _ = await failure { _ = try await cache.record(for: Samples.key) }
    }
    #expect(try await cache.filesSetAside().count == 3)
  }

  @Test func swappedRecordsAreNoticed() async throws {
    let other = try #require(try folder.recordFiles().first { $0 != file })
    try FileManager.default.removeItem(at: file)
    try FileManager.default.copyItem(at: other, to: file)
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .damaged)
    #expect(try await cache.record(for: Samples.otherKey) == Samples.record("other"))
  }

  @Test func aStoreOverADamagedRecordKeepsTheDamage() async throws {
    try write("damage", to: file)
    try await cache.store(Samples.record("new"), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record("new"))
    #expect(try await cache.filesSetAside().count == 1)
  }

  @Test func aSymbolicLinkIsNotFollowed() async throws {
    let target = folder.url.appendingPathComponent("target")
    try FileManager.default.moveItem(at: file, to: target)
    let before = try Data(contentsOf: target)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .damaged)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
    try await cache.store(Samples.record("new"), for: Samples.key)
    #expect(try Data(contentsOf: target) == before)
    #expect(try await cache.record(for: Samples.key) == Samples.record("new"))
  }

  @Test func aFolderInTheRecordsPlaceIsSetAside() async throws {
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .damaged)
    try await cache.store(Samples.record("new"), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record("new"))
  }

  @Test(arguments: [
    #"{"b2cTokenRecord":2,"whatever":1}"#, #"{"b2cTokenRecord":1,"key":KEY,"record":{"v":2,"new":true}}"#,
  ])
  func aNewerRecordIsRefusedAndLeftAsItIs(_ form: String) async throws {
    let key = String(decoding: try JSONEncoder().encode(Samples.key), as: UTF8.self)
    let content = form.replacingOccurrences(of: "KEY", with: key)
    try write(content, to: file)
    #expect(await failure { _ = try await cache.record(for: Samples.key) }?.code == .newerVersion)
    #expect(await failure { try await cache.store(Samples.record("old"), for: Samples.key) }?.code == .newerVersion)
    #expect(try String(contentsOf: file, encoding: .utf8) == content)
    #expect(try await cache.filesSetAside().isEmpty)
    #expect(try folder.paths().filter { $0.hasPrefix("temporary/") }.isEmpty)
    try await cache.removeRecord(for: Samples.key)
    #expect(try await cache.keys() == [Samples.otherKey])
  }

  @Test func aFileThatOthersCanReadIsRefusedUntilItIsMended() async throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    let error = await failure { _ = try await cache.record(for: Samples.key) }
    #expect(error?.code == .insecurePermissions)
    #expect(error?.recoverySuggestion?.contains("chmod 600 \(file.path)") == true)
    try await cache.store(Samples.record("new"), for: Samples.key)
    #expect(try folder.mode(file.path) == 0o600)
    #expect(try await cache.record(for: Samples.key) == Samples.record("new"))
  }

  @Test func foreignFilesBesideTheRecordsAreLeftAlone() async throws {
    let names = ["README", ".DS_Store", "notes/todo.txt"]
    for name in names {
      let url = folder.store.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try write("mine", to: url)
    }
    let again = try FileTokenCache(directory: folder.store)
    #expect(try await Set(again.keys()) == [Samples.key, Samples.otherKey])
    for name in names {
      #expect(FileManager.default.fileExists(atPath: folder.store.appendingPathComponent(name).path))
    }
  }

  @Test func aDamagedRecordDoesNotHideTheKeysOfTheOthers() async throws {
    try write("damage", to: file)
    let fresh = try FileTokenCache(directory: folder.store)
    #expect(try await fresh.keys().contains(Samples.otherKey))
  }

  private func write(_ content: String, to url: URL) throws {
    try? FileManager.default.removeItem(at: url)
    #expect(
      FileManager.default.createFile(
        atPath: url.path, contents: Data(content.utf8), attributes: [.posixPermissions: 0o600]))
  }
}
