import B2CCore
import B2CTokenCache
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit) struct SecureDirectoryTests {
  private let temporary: TemporaryDirectory

  init() throws {
    temporary = try TemporaryDirectory()
  }

  @Test("A directory that others can write to is refused, sticky or not", arguments: [0o777, 0o770, 0o720, 0o1777])
  func openToOthers(_ mode: Int) throws {
    try make(temporary.store, mode)
    let error = #expect(throws: ConnectorError.self) { try StoredTokenCache.files(at: temporary.store) }
    #expect(error?.code == .tokenCache && error?.isRetryable == false)
    #expect(error?.message.contains("can be written by other users") == true)
    #expect(error?.recoverySuggestion?.contains("chmod 700 \(temporary.store.path)") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.store.path).isEmpty)
  }

  @Test("A directory that others can only read is accepted")
  func readableByOthers() async throws {
    try make(temporary.store, 0o755)
    let cache = try StoredTokenCache.files(at: temporary.store)
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  @Test("A directory that others can write to may lead to the cache", arguments: [0o777, 0o770, 0o1777])
  func openParent(_ mode: Int) throws {
    let parent = temporary.url.appendingPathComponent("shared")
    try make(parent, mode)
    _ = try StoredTokenCache.files(at: parent.appendingPathComponent("tokens"))
    #expect(try temporary.mode(parent.appendingPathComponent("tokens").path) == 0o700)
  }

  @Test("The directory itself belongs to this user, not even to root when this is not root")
  func owner() throws {
    try make(temporary.store, 0o700)
    let path = temporary.url.path + "/store"
    let files = WatchedFileSystem(changingStatus: { place, status in
      var status = status
      if place == path { status.owner = 65_533 }
      return status
    })
    let error = #expect(throws: ConnectorError.self) {
      try StoredTokenCache.process(at: temporary.store, files: files)
    }
    #expect(error?.code == .tokenCache && error?.isRetryable == false)
    #expect(error?.message.contains("\(path) belongs to user 65533") == true)
  }

  @Test("A symbolic link in the directory's place is refused")
  func linkInPlace() throws {
    let target = temporary.url.appendingPathComponent("elsewhere")
    try make(target, 0o700)
    try FileManager.default.createSymbolicLink(
      atPath: temporary.url.path + "/store", withDestinationPath: target.path)
    let error = #expect(throws: ConnectorError.self) { try StoredTokenCache.files(at: temporary.store) }
    #expect(error?.code == .tokenCache && error?.isRetryable == false)
    #expect(error?.message.contains("is a symbolic link") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.path).isEmpty)
  }

  @Test("A symbolic link may lead to the cache")
  func linkOnTheWay() throws {
    try make(temporary.url.appendingPathComponent("real"), 0o700)
    let link = temporary.url.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real")
    _ = try StoredTokenCache.files(at: URL(fileURLWithPath: link + "/tokens", isDirectory: true))
    #expect(FileManager.default.fileExists(atPath: temporary.url.path + "/real/tokens"))
  }

  @Test("A file where a directory should be is an error that says so in words", arguments: ["", "/tokens"])
  func notADirectory(_ rest: String) throws {
    try Data().write(to: temporary.url.appendingPathComponent("store"))
    let place = URL(fileURLWithPath: temporary.url.path + "/store" + rest, isDirectory: true)
    let error = #expect(throws: ConnectorError.self) { try StoredTokenCache.files(at: place) }
    #expect(error?.code == .tokenCache && error?.isRetryable == false)
    #expect(error?.localizedDescription.contains("\(temporary.url.path)/store") == true)
    #expect(error?.localizedDescription.lowercased().contains("not a directory") == true)
    #expect(error?.recoverySuggestion?.contains("Use the path of a directory") == true)
  }

  @Test("Missing directories are created for the owner alone")
  func missingParents() throws {
    let deep = temporary.url.appendingPathComponent("a/b/c", isDirectory: true)
    _ = try StoredTokenCache.files(at: deep)
    for path in ["a", "a/b", "a/b/c"] {
      #expect(try temporary.mode(temporary.url.appendingPathComponent(path).path) == 0o700)
    }
  }

  @Test("No directory above the first that exists is looked at", arguments: ["store", "store/a", "store/a/b/c", "new"])
  func ancestors(_ place: String) throws {
    try make(temporary.store, 0o700)
    // The container of an app may refuse every look at what is above it.
    let looks = Locked<[String]>([])
    let files = WatchedFileSystem(changingStatus: { path, status in
      looks.withLock { $0.append(path) }
      return status
    })
    _ = try StoredTokenCache.process(at: temporary.url.appendingPathComponent(place, isDirectory: true), files: files)
    let above = temporary.url.deletingLastPathComponent().path
    #expect(looks.withLock { $0.contains { above == $0 || above.hasPrefix($0 + "/") || $0 == "/" } } == false)
    #expect(try temporary.mode(temporary.url.appendingPathComponent(place).path) == 0o700)
  }

  private func make(_ url: URL, _ mode: Int) throws {
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try setMode(mode, url)
  }

  private func setMode(_ mode: Int, _ url: URL) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
  }
}
