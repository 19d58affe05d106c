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

  // MARK: Refused

  @Test("A directory that others can write to is refused, sticky or not", arguments: [0o777, 0o770, 0o720, 0o1777])
  func openToOthers(_ mode: Int) throws {
    try make(temporary.store, mode)
    expectRefusal("can be written by other users", advice: "chmod 700 \(temporary.store.path)")
    #expect(try temporary.paths().isEmpty)
  }

  @Test("A directory of another user is refused, even if this user is not root and the other one is")
  func owner() throws {
    try make(temporary.store, 0o700)
    let path = temporary.store.path
    let files = WatchedFileSystem(changingStatus: { place, status in
      var status = status
      if place == path { status.owner = 65_533 }
      return status
    })
    expectRefusal("\(path) belongs to user 65533", advice: "chown \(files.userID) \(path)", files: files)
  }

  @Test("A symbolic link in the directory's place is refused")
  func linkInPlace() throws {
    let target = temporary.url.appendingPathComponent("elsewhere")
    try make(target, 0o700)
    try FileManager.default.createSymbolicLink(
      atPath: temporary.url.path + "/store", withDestinationPath: target.path)
    expectRefusal("is a symbolic link", advice: "Use the path of a real directory")
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.path).isEmpty)
  }

  @Test("A file where a directory should be is refused in words", arguments: ["", "/tokens"])
  func notADirectory(_ rest: String) throws {
    let file = temporary.url.path + "/store"
    try Data().write(to: URL(fileURLWithPath: file))
    let place = URL(fileURLWithPath: file + rest, isDirectory: true)
    let error = expectRefusal("\(file)", advice: "Use the path of a directory", at: place)
    #expect(error?.localizedDescription.lowercased().contains("not a directory") == true)
  }

  /// Expects a directory, the store's unless it is named, to be refused with an error that lasts.
  @discardableResult
  private func expectRefusal(
    _ words: String, advice: String, at place: URL? = nil, files: any FileSystem = POSIXFileSystem(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> ConnectorError? {
    let error = #expect(throws: ConnectorError.self, sourceLocation: sourceLocation) {
      try StoredTokenCache.process(at: place ?? temporary.store, files: files)
    }
    #expect(error?.code == .tokenCache && error?.isRetryable == false, sourceLocation: sourceLocation)
    #expect(error?.message.contains(words) == true, sourceLocation: sourceLocation)
    #expect(error?.recoverySuggestion?.contains(advice) == true, sourceLocation: sourceLocation)
    return error
  }

  // MARK: Accepted

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

  @Test("A symbolic link may lead to the cache")
  func linkOnTheWay() throws {
    try make(temporary.url.appendingPathComponent("real"), 0o700)
    let link = temporary.url.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real")
    _ = try StoredTokenCache.files(at: URL(fileURLWithPath: link + "/tokens", isDirectory: true))
    #expect(FileManager.default.fileExists(atPath: temporary.url.path + "/real/tokens"))
  }

  @Test(
    "Missing directories are created for the owner alone, and none above the first that exists is looked at",
    arguments: ["store", "store/a", "store/a/b/c", "new"])
  func ancestors(_ place: String) throws {
    try make(temporary.store, 0o700)
    // The container of an app may refuse every look at what is above it.
    let looks = Locked<[String]>([])
    let files = WatchedFileSystem(changingStatus: { path, status in
      looks.withLock { $0.append(path) }
      return status
    })
    var directory = temporary.url.appendingPathComponent(place, isDirectory: true)
    _ = try StoredTokenCache.process(at: directory, files: files)
    let above = temporary.url.deletingLastPathComponent().path
    #expect(looks.withLock { $0.contains { above == $0 || above.hasPrefix($0 + "/") || $0 == "/" } } == false)
    for _ in place.split(separator: "/") {
      #expect(try temporary.mode(directory.path) == 0o700)
      directory.deleteLastPathComponent()
    }
  }

  private func make(_ url: URL, _ mode: Int) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
  }
}
