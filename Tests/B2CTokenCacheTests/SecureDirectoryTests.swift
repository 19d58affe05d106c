import B2CTokenCache
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct SecureDirectoryTests {
  private let temporary: TemporaryDirectory

  init() throws {
    temporary = try TemporaryDirectory()
  }

  @Test("A directory that others can write to is refused, sticky or not", arguments: [0o777, 0o770, 0o720, 0o1777])
  func openToOthers(_ mode: Int) throws {
    try make(temporary.store, mode)
    let error = #expect(throws: TokenCacheError.self) { try FileTokenCache(directory: temporary.store) }
    #expect(error?.code == .insecurePermissions)
    #expect(error?.recoverySuggestion?.contains("chmod 700 \(temporary.store.path)") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.store.path).isEmpty)
  }

  @Test("A directory that others can only read is accepted")
  func readableByOthers() async throws {
    try make(temporary.store, 0o755)
    let cache = try FileTokenCache(directory: temporary.store)
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  @Test(
    "Every directory that leads to the cache is refused when others can write to it",
    arguments: [0o777, 0o702, 0o757], ["a", "a/b", "a/b/c"])
  func ancestors(_ mode: Int, _ part: String) throws {
    let ancestor = temporary.url.appendingPathComponent(part)
    try make(temporary.url.appendingPathComponent("a/b/c"), 0o700)
    try setMode(mode, ancestor)
    let error = #expect(throws: TokenCacheError.self) {
      try FileTokenCache(directory: temporary.url.appendingPathComponent("a/b/c/tokens"))
    }
    #expect(error?.code == .insecurePermissions)
    #expect(error?.message.contains("\(ancestor.path) can be written by other users") == true)
    #expect(error?.recoverySuggestion?.contains("chmod go-w \(ancestor.path)") == true)
    #expect(!FileManager.default.fileExists(atPath: temporary.url.appendingPathComponent("a/b/c/tokens").path))
  }

  @Test(
    "A group that can write to a directory on the way is refused, unless it is this user's private group",
    arguments: [
      (1000 as UInt32, 1000 as UInt32, 0o770 as UInt32, true), (1000, 1000, 0o775, true), (1000, 1000, 0o777, false),
      (1000, 1001, 0o770, false), (1000, 0, 0o775, false), (0, 0, 0o775, false), (0, 1000, 0o775, false),
      (1000, 1001, 0o750, true), (1002, 1002, 0o770, false), (1002, 1002, 0o750, true),
    ])
  func groups(_ owner: UInt32, _ group: UInt32, _ mode: UInt32, _ isAccepted: Bool) throws {
    try make(temporary.url.appendingPathComponent("a/b"), 0o700)
    let ancestor = temporary.url.path + "/a"
    let real = POSIXFileSystem().userID
    // The group of user 1002 has another member.
    let user = owner == 0 ? 1000 : owner
    let files = WatchedFileSystem(userID: user, groupsWithMembers: [1002]) { path, status in
      var status = status
      if status.owner == real, path.hasPrefix(ancestor) { status.owner = user }
      // What leads to the test's directory is not what is tested.
      if !path.hasPrefix(ancestor) { status.owner = 0 }
      guard path == ancestor else { return status }
      status.owner = owner
      status.group = group
      status.mode = mode
      return status
    }
    let open = {
      _ = try FileTokenCache(
        directory: temporary.url.appendingPathComponent("a/b/tokens"), now: { Date() }, files: files)
    }
    guard !isAccepted else {
      #expect(throws: Never.self) { try open() }
      return
    }
    let error = #expect(throws: TokenCacheError.self) { try open() }
    #expect(error?.code == .insecurePermissions)
    #expect(error?.recoverySuggestion?.contains("chmod go-w \(ancestor)") == true)
  }

  @Test("A group of which the system's database lists a member is not private; an unknown group has none")
  func membersOfGroups() throws {
    let system = POSIXFileSystem()
    #expect(!system.hasOtherMembers(group: 4_000_000_001))
    for line in try String(contentsOfFile: "/etc/group", encoding: .utf8).split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count == 4, let id = UInt32(fields[2]) else { continue }
      let others = fields[3].split(separator: ",").filter { $0 != NSUserName() }
      if !others.isEmpty { #expect(system.hasOtherMembers(group: id), "\(line)") }
    }
  }

  @Test("A sticky directory that all can write to may lead to the cache, as /tmp does")
  func stickyAncestor() throws {
    let ancestor = temporary.url.appendingPathComponent("shared")
    try make(ancestor, 0o1777)
    _ = try FileTokenCache(directory: ancestor.appendingPathComponent("tokens"))
  }

  @Test("Every directory that leads to the cache belongs to root or to this user")
  func ownersOfAncestors() throws {
    try make(temporary.url.appendingPathComponent("a/b"), 0o700)
    let ancestor = temporary.url.appendingPathComponent("a").path
    for (owner, isAccepted) in [(65_534 as UInt32, false), (POSIXFileSystem().userID, true), (0, true)] {
      let files = WatchedFileSystem(changingStatus: { path, status in
        var status = status
        if path == ancestor { status.owner = owner }
        return status
      })
      let place = temporary.url.appendingPathComponent("a/b/tokens-\(owner)")
      let open = { _ = try FileTokenCache(directory: place, now: { Date() }, files: files) }
      guard !isAccepted else {
        #expect(throws: Never.self) { try open() }
        continue
      }
      let error = #expect(throws: TokenCacheError.self) { try open() }
      #expect(error?.code == .insecurePermissions)
      #expect(error?.message.contains("\(ancestor) belongs to user 65534") == true)
      #expect(error?.recoverySuggestion?.contains("chown") == true)
    }
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
    let error = #expect(throws: TokenCacheError.self) {
      try FileTokenCache(directory: temporary.store, now: { Date() }, files: files)
    }
    #expect(error?.code == .insecurePermissions)
    #expect(error?.message.contains("\(path) belongs to user 65533") == true)
  }

  @Test("A symbolic link in the directory's place is refused")
  func linkInPlace() throws {
    let target = temporary.url.appendingPathComponent("elsewhere")
    try make(target, 0o700)
    try FileManager.default.createSymbolicLink(
      atPath: temporary.url.path + "/store", withDestinationPath: target.path)
    let error = #expect(throws: TokenCacheError.self) { try FileTokenCache(directory: temporary.store) }
    #expect(error?.code == .insecurePermissions)
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.path).isEmpty)
  }

  @Test("A link of this user may lead to the cache; one of another user may not")
  func linksOfAncestors() throws {
    try make(temporary.url.appendingPathComponent("real/inner"), 0o700)
    let link = temporary.url.path + "/link"
    // Relative, and with a step up, as the system follows it.
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real/../real/inner")
    let place = URL(fileURLWithPath: link + "/tokens", isDirectory: true)
    _ = try FileTokenCache(directory: place)
    let files = WatchedFileSystem(changingStatus: { path, status in
      var status = status
      if path == link { status.owner = 65_534 }
      return status
    })
    let error = #expect(throws: TokenCacheError.self) {
      try FileTokenCache(directory: place, now: { Date() }, files: files)
    }
    #expect(error?.code == .insecurePermissions)
    #expect(error?.message.contains(link) == true)
  }

  @Test("The directories behind a link are checked like the others", arguments: [true, false])
  func targetsOfLinks(_ isAbsolute: Bool) throws {
    try make(temporary.url.appendingPathComponent("open/inner"), 0o700)
    try setMode(0o777, temporary.url.appendingPathComponent("open"))
    let link = temporary.url.path + "/link"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: isAbsolute ? temporary.url.path + "/open/inner" : "open/inner")
    let error = #expect(throws: TokenCacheError.self) {
      try FileTokenCache(directory: URL(fileURLWithPath: link + "/tokens", isDirectory: true))
    }
    #expect(error?.code == .insecurePermissions)
    #expect(error?.message.contains("/open can be written by other users") == true)
  }

  @Test("Links that lead in a circle end in an error")
  func circle() throws {
    try FileManager.default.createSymbolicLink(atPath: temporary.url.path + "/one", withDestinationPath: "two")
    try FileManager.default.createSymbolicLink(atPath: temporary.url.path + "/two", withDestinationPath: "one")
    let error = #expect(throws: TokenCacheError.self) {
      try FileTokenCache(directory: temporary.url.appendingPathComponent("one/tokens"))
    }
    #expect(error?.code == .unwritable)
  }

  @Test("A file where a directory should be is unwritable, and the error says so in words", arguments: ["", "/tokens"])
  func notADirectory(_ rest: String) throws {
    try Data().write(to: temporary.url.appendingPathComponent("store"))
    let place = URL(fileURLWithPath: temporary.url.path + "/store" + rest, isDirectory: true)
    let error = #expect(throws: TokenCacheError.self) { try FileTokenCache(directory: place) }
    #expect(error?.code == .unwritable)
    #expect(error?.localizedDescription == "\(temporary.url.path)/store is not a directory.")
    #expect(error?.recoverySuggestion?.contains("Use the path of a directory") == true)
  }

  @Test("Missing directories are created for the owner alone")
  func missingParents() throws {
    let deep = temporary.url.appendingPathComponent("a/b/c", isDirectory: true)
    _ = try FileTokenCache(directory: deep)
    for path in ["a", "a/b", "a/b/c"] {
      #expect(try temporary.mode(temporary.url.appendingPathComponent(path).path) == 0o700)
    }
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
