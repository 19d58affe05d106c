import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Who is current while a file of the built-in cache cannot be read.
@Suite("The current user and damaged files", .hangLimit)
struct CurrentUserFilesTests {
  /// The files of the two users, Alice's first.
  private func files(_ directory: URL, _ body: () async throws -> Void) async throws -> Set<String> {
    let before = Set(try FileManager.default.contentsOfDirectory(atPath: directory.path))
    try await body()
    return Set(try FileManager.default.contentsOfDirectory(atPath: directory.path)).subtracting(before)
      .filter { $0.hasSuffix(".json") }
  }

  static let damages = ["", "{", "half of it", #"{"b2cTokenRecord":1,"key":{}}"#, "\u{1B}[2J"]

  @Test("A damaged file stays where it is, and no call goes out as another user", arguments: damages, [false, true])
  func damaged(_ content: String, isRelaunched: Bool) async throws {
    let directory = try TemporaryPlace()
    let stage = TwoUsers(try .files(at: directory.url))
    let first = try stage.connector()
    let alice = try await stage.signIn(.alice, at: first)
    var bob: UserInfo?
    let file = try #require(
      try await files(directory.url) { bob = try await stage.signIn(.bob, at: first) }.first)
    let path = directory.url.appendingPathComponent(file)
    try FileManager.default.removeItem(at: path)
    #expect(
      FileManager.default.createFile(
        atPath: path.path, contents: Data(content.utf8), attributes: [.posixPermissions: 0o600]))
    let connector = isRelaunched ? try stage.connector(over: StoredTokenCache.process(at: directory.url)) : first
    #expect(try await connector.users().map(\.id) == [alice.id])
    for _ in 0..<3 {
      let error = await #expect(throws: ConnectorError.self) {
        try await connector.addTask(TaskItem(itemName: "Bob's"))
      }
      #expect(error?.code == .tokenCache && error?.needsInteraction == true && error?.isRetryable == false)
      await expectError(ConnectorError.self, .tokenCache) { _ = try await connector.session }
      #expect(FileManager.default.contents(atPath: path.path) == Data(content.utf8))
    }
    #expect(stage.scene.tasks.tasks.isEmpty)
    // Any user's sign-in removes it.
    try await stage.signIn(.alice, at: connector)
    #expect(!FileManager.default.fileExists(atPath: path.path))
    #expect(try await connector.session.user?.id == alice.id)
    #expect(try await connector.user(id: #require(bob).id) == nil)
  }

  @Test(
    "`session` names no earlier user while a damaged file may hold a sign-in of another process",
    arguments: damages)
  func damagedElsewhere(_ content: String) async throws {
    let directory = try TemporaryPlace()
    let stage = TwoUsers(try .files(at: directory.url))
    let connector = try stage.connector()
    let alice = try await stage.signIn(.alice, at: connector)
    let other = try stage.connector(over: StoredTokenCache.process(at: directory.url))
    let file = try #require(try await files(directory.url) { try await stage.signIn(.bob, at: other) }.first)
    let path = directory.url.appendingPathComponent(file).path
    try FileManager.default.removeItem(atPath: path)
    #expect(
      FileManager.default.createFile(
        atPath: path, contents: Data(content.utf8), attributes: [.posixPermissions: 0o600]))
    let error = await #expect(throws: ConnectorError.self) { _ = try await connector.session }
    #expect(error?.code == .tokenCache && error?.needsInteraction == true)
    try await stage.signIn(.alice, at: connector)
    #expect(try await connector.session.user?.id == alice.id)
  }

  @Test(
    "`users()` lists the user of the latest sign-in first, also of another process, and the next call is for that user")
  func usersOfTwoProcesses() async throws {
    let directory = try TemporaryPlace()
    let stage = TwoUsers(try .files(at: directory.url))
    let connector = try stage.connector()
    let other = try stage.connector(over: StoredTokenCache.process(at: directory.url))
    let alice = try await stage.signIn(.alice, at: connector)
    let bob = try await stage.signIn(.bob, at: other)
    #expect(try await connector.users().map(\.id) == [bob.id, alice.id])
    #expect(try await connector.accessToken().userID == bob.id)
    try await stage.signIn(.alice, at: connector)
    #expect(try await other.users().map(\.id) == [alice.id, bob.id])
    #expect(try await other.accessToken().userID == alice.id)
  }

  @Test("A sign-out of all users leaves no damaged file, and one of a user only that user's", arguments: damages)
  func damagedSignOut(_ content: String) async throws {
    let directory = try TemporaryPlace()
    let stage = TwoUsers(try .files(at: directory.url))
    let connector = try stage.connector()
    let alice = try await stage.signIn(.alice, at: connector)
    let bobs = try await files(directory.url) { try await stage.signIn(.bob, at: connector) }
    for file in bobs {
      let path = directory.url.appendingPathComponent(file).path
      try FileManager.default.removeItem(atPath: path)
      #expect(
        FileManager.default.createFile(
          atPath: path, contents: Data(content.utf8), attributes: [.posixPermissions: 0o600]))
    }
    let relaunched = try stage.connector(over: StoredTokenCache.process(at: directory.url))
    try await relaunched.signOut(alice)
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: directory.url.path)).isSuperset(of: bobs))
    try await relaunched.signOut()
    let left = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
    #expect(!left.contains { $0.contains(".json") || $0.contains("damaged") })
    #expect(try await relaunched.session == .signedOut)
  }

  @Test("A sign-in and a sign-out end although another process holds the lock of a damaged file")
  func damagedAndLocked() async throws {
    let directory = try TemporaryPlace()
    let stage = TwoUsers(try .files(at: directory.url))
    let connector = try stage.connector()
    let file = try #require(try await files(directory.url) { try await stage.signIn(.bob, at: connector) }.first)
    let path = directory.url.appendingPathComponent(file).path
    try Data("{".utf8).write(to: URL(fileURLWithPath: path))
    // The damage is found.
    await #expect(throws: ConnectorError.self) { _ = try await connector.session }
    let lock = open(path.replacingOccurrences(of: ".json", with: ".lock"), O_RDWR)
    #expect(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
    try await stage.signIn(.alice, at: connector)
    let error = await #expect(throws: ConnectorError.self) { try await connector.signOut() }
    #expect(error?.code == .tokenCache && error?.isRetryable == true)
    close(lock)
    try await connector.signOut()
    #expect(try !FileManager.default.contentsOfDirectory(atPath: directory.url.path).contains { $0.hasSuffix(".json") })
  }

  @Test("A record of a newer form is listed and ordered, and only a sign-out removes it", arguments: [true, false])
  func newerForm(isLater: Bool) async throws {
    let directory = try TemporaryPlace()
    let stage = TwoUsers(try .files(at: directory.url))
    let first = try stage.connector()
    let alice = try await stage.signIn(.alice, at: first)
    let file = try #require(try await files(directory.url) { try await stage.signIn(.bob, at: first) }.first)
    if !isLater { try await stage.signIn(.alice, at: first) }
    let path = directory.url.appendingPathComponent(file).path
    let text = try #require(FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) })
    let newer = text.replacingOccurrences(of: #""b2cTokenRecord":1"#, with: #""b2cTokenRecord":2"#)
    #expect(newer != text)
    try Data(newer.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let connector = try stage.connector(over: StoredTokenCache.process(at: directory.url))
    if isLater {
      let error = await #expect(throws: ConnectorError.self) { _ = try await connector.session }
      #expect(error?.needsInteraction == true)
    } else {
      #expect(try await connector.session.user?.id == alice.id)
    }
    try await stage.signIn(.alice, at: connector)
    #expect(try await connector.session.user?.id == alice.id)
    #expect(FileManager.default.fileExists(atPath: path))
    try await connector.signOut()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test(
    "A record of a newer form whose key has another form fails no other user, and only a sign-out of all removes it",
    arguments: [#"{"b2cTokenRecord":3,"key":"new"}"#, #"{"b2cTokenRecord":2}"#, #"{"b2cTokenRecord":9,"key":{"a":1}}"#])
  func newerKey(_ content: String) async throws {
    let directory = try TemporaryPlace()
    let stage = TwoUsers(try .files(at: directory.url))
    let first = try stage.connector()
    let alice = try await stage.signIn(.alice, at: first)
    let file = try #require(try await files(directory.url) { try await stage.signIn(.bob, at: first) }.first)
    let path = directory.url.appendingPathComponent(file).path
    try FileManager.default.removeItem(atPath: path)
    let isMade = FileManager.default.createFile(
      atPath: path, contents: Data(content.utf8), attributes: [.posixPermissions: 0o600])
    #expect(isMade)
    let connector = try stage.connector(over: StoredTokenCache.process(at: directory.url))
    #expect(try await connector.users().map(\.id) == [alice.id])
    #expect(try await connector.accessToken(user: alice).userID == alice.id)
    try await stage.signIn(.alice, at: connector)
    #expect(try await connector.session.user?.id == alice.id)
    #expect(FileManager.default.fileExists(atPath: path))
    try await connector.signOut()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test(
    "Two directories whose names Swift calls equal are two caches",
    arguments: [
      ("Kate", "\u{212A}ate"), ("caf\u{E9}", "cafe\u{301}"), ("\u{C5}se", "\u{212B}se"), ("a;b", "a\u{37E}b"),
      ("\u{1E9B}\u{323}", "\u{17F}\u{323}\u{307}"),
    ])
  func directories(_ one: String, _ two: String) async throws {
    #if os(Linux)  // Volumes of Apple's systems take the names for one.
      let directory = try TemporaryPlace()
      let caches = try [one, two].map { try StoredTokenCache.files(at: directory.url.appendingPathComponent($0)) }
      #expect(caches[0] !== caches[1])
      let stage = TwoUsers(caches[0])
      try await stage.signIn(.alice, at: stage.connector())
      let other = try stage.connector(over: caches[1])
      #expect(try await other.session == .signedOut)
      await expectError(ConnectorError.self, .interactionRequired) { _ = try await other.accessToken() }
      // Other spellings of the same path are the same cache.
      let again: StoredTokenCache = try .files(at: directory.url.appendingPathComponent(one + "/../" + one + "/"))
      #expect(again === caches[0])
    #endif
  }
}

/// A directory that is removed with its owner.
private final class TemporaryPlace: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("b2c-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
