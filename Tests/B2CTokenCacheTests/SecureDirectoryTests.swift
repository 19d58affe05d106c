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
    try make("store", mode)
    try expectRefusal("can be written by other users", advice: "chmod 700 \(temporary.store.path)")
    #expect(try temporary.paths().isEmpty)
  }

  @Test("A directory of another user is refused, even if this user is not root and the other one is")
  func owner() throws {
    try make("store", 0o700)
    let path = temporary.store.path
    let files = WatchedFileSystem(changingStatus: { place, status in
      var status = status
      if place == path { status.owner = 65_533 }
      return status
    })
    try expectRefusal("\(path) belongs to user 65533", advice: "chown \(files.userID) \(path)", files: files)
  }

  @Test("A symbolic link in the directory's place is refused")
  func linkInPlace() throws {
    try make("elsewhere", 0o700)
    try link("store", to: "elsewhere")
    try expectRefusal("is a symbolic link", advice: "Use the path of a real directory")
    #expect(try FileManager.default.contentsOfDirectory(atPath: path("elsewhere")).isEmpty)
  }

  @Test("A file where a directory should be is refused in words", arguments: ["store", "store/tokens"])
  func notADirectory(_ place: String) throws {
    try Data().write(to: URL(fileURLWithPath: path("store")))
    let error = try expectRefusal(path("store"), advice: "Use the path of a directory", at: place)
    #expect(error.localizedDescription.lowercased().contains("not a directory"))
  }

  /// Expects a directory to be refused with an error that lasts.
  @discardableResult
  private func expectRefusal(
    _ words: String, advice: String, at place: String = "store", files: any FileSystem = POSIXFileSystem(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ConnectorError {
    let url = URL(fileURLWithPath: path(place), isDirectory: true)
    let error = try #require(throws: ConnectorError.self, sourceLocation: sourceLocation) {
      try StoredTokenCache.process(at: url, files: files)
    }
    #expect(error.code == .tokenCache && !error.isRetryable, sourceLocation: sourceLocation)
    #expect(error.message.contains(words), sourceLocation: sourceLocation)
    #expect(error.recoverySuggestion?.contains(advice) == true, sourceLocation: sourceLocation)
    return error
  }

  // MARK: Accepted

  @Test("A directory that others can only read is accepted")
  func readableByOthers() async throws {
    try make("store", 0o755)
    let cache = try StoredTokenCache.files(at: temporary.store)
    try await cache.store("one")
    #expect(try await cache.sample() == Samples.record())
  }

  @Test("A directory that others can write to may lead to the cache", arguments: [0o777, 0o770, 0o1777])
  func openParent(_ mode: Int) throws {
    try make("shared", mode)
    _ = try StoredTokenCache.files(at: temporary.url.appendingPathComponent("shared/tokens"))
    #expect(try temporary.mode(path("shared/tokens")) == 0o700)
  }

  @Test("A symbolic link may lead to the cache")
  func linkOnTheWay() throws {
    try make("real", 0o700)
    try link("link", to: "real")
    _ = try StoredTokenCache.files(at: temporary.url.appendingPathComponent("link/tokens", isDirectory: true))
    #expect(FileManager.default.fileExists(atPath: path("real/tokens")))
  }

  @Test(
    "Missing directories are created for the owner alone and flushed; none above the first that exists is looked at",
    arguments: ["store", "store/a", "store/a/b/c", "new"])
  func ancestors(_ place: String) throws {
    try make("store", 0o700)
    // The container of an app may refuse every look at what is above it.
    let looks = Recorder<String>()
    let files = WatchedFileSystem(changingStatus: { path, status in
      looks.record(path)
      return status
    })
    var directory = temporary.url.appendingPathComponent(place, isDirectory: true)
    _ = try StoredTokenCache.process(at: directory, files: files)
    let way = [temporary.url.lastPathComponent] + place.split(separator: "/").map(String.init)
    #expect(files.takeCalls() == way.dropLast().dropFirst(way[1] == "store" ? 1 : 0).map { "flush \($0)" })
    let above = temporary.url.deletingLastPathComponent().path
    #expect(!looks.values.contains { above == $0 || above.hasPrefix($0 + "/") || $0 == "/" })
    for _ in way.dropFirst() {
      #expect(try temporary.mode(directory.path) == 0o700)
      directory.deleteLastPathComponent()
    }
  }

  private func path(_ name: String) -> String { temporary.url.path + "/" + name }

  private func make(_ name: String, _ mode: Int) throws {
    try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
  }
}

#if !canImport(Darwin)
  @Suite struct DefaultDirectoryTests {
    // XDG Base Directory Specification: $XDG_STATE_HOME, else $HOME/.local/state; a relative path is invalid.
    @Test(
      "The default is the XDG state directory",
      arguments: [
        (["XDG_STATE_HOME": "/var/state"], "/var/state/b2cconnector/tokens"),
        ([:], "/home/person/.local/state/b2cconnector/tokens"),
        (["XDG_STATE_HOME": ""], "/home/person/.local/state/b2cconnector/tokens"),
        (["XDG_STATE_HOME": "relative"], "/home/person/.local/state/b2cconnector/tokens"),
      ])
    func stateDirectory(_ environment: [String: String], _ expected: String) {
      #expect(DefaultDirectory.location(environment: environment, home: "/home/person").path == expected)
    }
  }
#endif
