import B2CTokenCache
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct EncryptionKeyFileTests {
  private let temporary: TemporaryDirectory
  private let file: URL

  init() throws {
    temporary = try TemporaryDirectory()
    file = temporary.url.appendingPathComponent("key.json")
  }

  @Test("The file is created for the owner alone, flushed before it gets its name")
  func creation() async throws {
    let files = WatchedFileSystem()
    let key = try await KeyFile(file, files: files).encryptionKey()
    #expect(try temporary.mode(file.path) == 0o600)
    #expect(try await KeyFile(file).encryptionKey() == key)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.url.path) == ["key.json"])
    #expect(
      files.takeCalls().map { $0.replacing(#/\.new-[-0-9A-F]+/#, with: ".new") } == [
        "create key.json.new", "write key.json.new", "flush key.json.new", "link to key.json", "remove key.json.new",
        "flush \(temporary.url.lastPathComponent)",
      ])
    #expect(files.openCount == 0)
  }

  @Test("The directories that lead to it are created for the owner alone")
  func directories() async throws {
    let deep = temporary.url.appendingPathComponent("one/two/key.json")
    let key = try await KeyFile(deep).encryptionKey()
    #expect(try await KeyFile(deep).encryptionKey() == key)
    for name in ["one", "one/two"] {
      #expect(try temporary.mode(temporary.url.appendingPathComponent(name).path) == 0o700)
    }
    #expect(try temporary.mode(deep.path) == 0o600)
  }

  @Test("Many that create the file at once agree on one key")
  func manyAtOnce() async throws {
    let keys = try await withThrowingTaskGroup(of: EncryptionKey.self) { [file] group in
      for _ in 0..<16 { group.addTask { try await KeyFile(file).encryptionKey() } }
      return try await group.reduce(into: Set<EncryptionKey>()) { $0.insert($1) }
    }
    #expect(keys.count == 1)
  }

  @Test("A missing file is an error where it may not be created")
  func missing() async throws {
    let source = KeyFile(file, createIfMissing: false)
    #expect(await failure { _ = try await source.encryptionKey() }?.code == .encryptionUnavailable)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).isEmpty)
  }

  @Test("A file that others can open is refused", arguments: [0o640, 0o604, 0o620, 0o644])
  func openToOthers(_ mode: Int) async throws {
    _ = try await KeyFile(file).encryptionKey()
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    let error = await failure { _ = try await KeyFile(file).encryptionKey() }
    #expect(error?.code == .insecurePermissions)
    #expect(error?.recoverySuggestion?.contains("chmod 600 \(file.path)") == true)
  }

  @Test("A file of another user is refused")
  func otherOwner() async throws {
    _ = try await KeyFile(file).encryptionKey()
    let files = WatchedFileSystem(changingStatus: { [path = file.path] place, status in
      var status = status
      if place == path { status.owner = 65_534 }
      return status
    })
    let error = await failure { _ = try await KeyFile(file, files: files).encryptionKey() }
    #expect(error?.code == .insecurePermissions)
    #expect(error?.message.contains("belongs to user 65534") == true)
  }

  @Test(
    "A file below a directory that others can write to is refused, whether it exists or not", arguments: [true, false])
  func openDirectory(_ exists: Bool) async throws {
    if exists { _ = try await KeyFile(file).encryptionKey() }
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: temporary.url.path)
    let error = await failure { _ = try await KeyFile(file).encryptionKey() }
    #expect(error?.code == .insecurePermissions)
    #expect(error?.recoverySuggestion?.contains("chmod go-w \(temporary.url.path)") == true)
    #expect(FileManager.default.fileExists(atPath: file.path) == exists)
  }

  @Test("A file below a link of this user is created and read")
  func linkedDirectory() async throws {
    try FileManager.default.createDirectory(
      at: temporary.url.appendingPathComponent("real"), withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    try FileManager.default.createSymbolicLink(atPath: temporary.url.path + "/link", withDestinationPath: "real")
    let key = try await KeyFile(temporary.url.appendingPathComponent("link/key.json")).encryptionKey()
    #expect(try await KeyFile(temporary.url.appendingPathComponent("real/key.json")).encryptionKey() == key)
  }

  @Test("A symbolic link in the file's place is refused")
  func link() async throws {
    _ = try await KeyFile(file).encryptionKey()
    let link = temporary.url.appendingPathComponent("link.json")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    #expect(await failure { _ = try await KeyFile(link).encryptionKey() }?.code == .insecurePermissions)
  }

  @Test(
    "A damaged file is an error, is not quoted and is not replaced",
    arguments: ["", "{}", "canary", #"{"b2cEncryptionKey":1,"key":"canary"}"#, #"{"b2cEncryptionKey":1}"#])
  func damaged(_ content: String) async throws {
    try write(content)
    let error = await failure { _ = try await KeyFile(file).encryptionKey() }
    #expect(error?.code == .encryptionUnavailable)
    #expect(error?.description.contains("canary") == false)
    #expect(try String(contentsOf: file, encoding: .utf8) == content)
  }

  @Test("A newer form is refused")
  func newer() async throws {
    try write(#"{"b2cEncryptionKey":2,"key":"x"}"#)
    #expect(await failure { _ = try await KeyFile(file).encryptionKey() }?.code == .newerVersion)
  }

  private func write(_ content: String) throws {
    #expect(
      FileManager.default.createFile(
        atPath: file.path, contents: Data(content.utf8), attributes: [.posixPermissions: 0o600]))
  }
}
