import B2CTokenCache
import Foundation
import Testing

@Suite struct KeyFileProviderTests {
  private let folder: TemporaryFolder
  private let file: URL

  init() throws {
    folder = try TemporaryFolder()
    file = folder.url.appendingPathComponent("keys.json")
  }

  @Test func theFileIsMadeForTheOwnerAlone() async throws {
    let key = try await KeyFileProvider(file: file).currentKey()
    #expect(try folder.mode(file.path) == 0o600)
    #expect(try await KeyFileProvider(file: file).currentKey() == key)
    #expect(try await KeyFileProvider(file: file).key(withID: key.id) == key)
    #expect(try await KeyFileProvider(file: file).key(withID: "another") == nil)
    #expect(!FileManager.default.fileExists(atPath: file.path + ".new"))
  }

  @Test func theFoldersThatLeadToItAreMadeForTheOwnerAlone() async throws {
    let deep = folder.url.appendingPathComponent("one/two/keys.json")
    let key = try await KeyFileProvider(file: deep).currentKey()
    #expect(try await KeyFileProvider(file: deep).currentKey() == key)
    for name in ["one", "one/two"] { #expect(try folder.mode(folder.url.appendingPathComponent(name).path) == 0o700) }
    #expect(try folder.mode(deep.path) == 0o600)
  }

  @Test func manyAtOnceAgreeOnOneKey() async throws {
    let keys = try await withThrowingTaskGroup(of: EncryptionKey.self) { [file] group in
      for _ in 0..<16 {
        group.addTask { try await KeyFileProvider(file: file, lockTimeout: .seconds(120)).currentKey() }
      }
      return try await group.reduce(into: Set<EncryptionKey>()) { $0.insert($1) }
    }
    #expect(keys.count == 1)
  }

  @Test func aMissingFileIsAnErrorWhereItMayNotBeMade() async throws {
    let provider = KeyFileProvider(file: file, createIfMissing: false)
    #expect(await failure { _ = try await provider.currentKey() }?.code == .encryptionUnavailable)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test func rotationIsSeenByOtherInstances() async throws {
    let provider = KeyFileProvider(file: file)
    let other = KeyFileProvider(file: file)
    let first = try await other.currentKey()
    let second = try await provider.rotate()
    #expect(first != second)
    #expect(try await other.currentKey() == second)
    #expect(try await other.key(withID: first.id) == first)
    try await provider.removeOldKeys()
    #expect(try await other.key(withID: first.id) == nil)
    #expect(try await other.key(withID: second.id) == second)
  }

  @Test func aFileThatOthersCanReadIsRefused() async throws {
    _ = try await KeyFileProvider(file: file).currentKey()
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
    let error = await failure { _ = try await KeyFileProvider(file: file).currentKey() }
    #expect(error?.code == .insecurePermissions)
    #expect(error?.recoverySuggestion?.contains("chmod 600") == true)
  }

  @Test(arguments: ["", "{}", "canary", #"{"b2cKeyRing":1,"keys":[{"id":"a","key":"canary"}]}"#])
  func aDamagedFileIsAnErrorAndIsNotReplaced(_ content: String) async throws {
    #expect(
      FileManager.default.createFile(
        atPath: file.path, contents: Data(content.utf8), attributes: [.posixPermissions: 0o600]))
    let error = await failure { _ = try await KeyFileProvider(file: file).currentKey() }
    #expect(error?.code == .encryptionUnavailable)
    #expect(error?.description.contains("canary") == false)
    #expect(try String(contentsOf: file, encoding: .utf8) == content)
  }

  @Test func aNewerFormIsRefused() async throws {
    #expect(
      FileManager.default.createFile(
        atPath: file.path, contents: Data(#"{"b2cKeyRing":2}"#.utf8), attributes: [.posixPermissions: 0o600]))
    #expect(await failure { _ = try await KeyFileProvider(file: file).currentKey() }?.code == .newerVersion)
  }
}
