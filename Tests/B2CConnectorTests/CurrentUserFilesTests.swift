import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Alice has signed in over the built-in file cache, and Bob's file cannot be read.
@Suite("The current user and damaged files", .hangLimit)
struct CurrentUserFilesTests {
  private let directory: TemporaryDirectory
  private let stage: SignedInScene
  private var connector: Connector { stage.connector }
  private var alice: UserInfo { stage.alice.user }

  init() async throws {
    directory = try TemporaryDirectory()
    stage = try await SignedInScene(
      Scene(dialect: .rest, cache: .files(at: directory.url), limits: .standard), after: 0)
  }

  private func otherProcess() throws -> Connector {
    try stage.scene.connector(presenter: stage.presenter, cache: StoredTokenCache.process(at: directory.url))
  }

  private func names() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: directory.url.path))
  }

  /// Signs Bob in and replaces the content of his file; returns its path.
  private func signInBob(
    at other: Connector? = nil, _ change: (String) throws -> String
  ) async throws -> (bob: UserInfo, path: String) {
    let before = try names()
    let bob = try await stage.signIn(.bob, at: other).user
    let name = try #require(try names().subtracting(before).first { $0.hasSuffix(".json") })
    let path = directory.url.appendingPathComponent(name).path
    let content = try change(String(contentsOfFile: path, encoding: .utf8))
    try FileManager.default.removeItem(atPath: path)
    try #require(
      FileManager.default.createFile(
        atPath: path, contents: Data(content.utf8), attributes: [.posixPermissions: 0o600]))
    return (bob, path)
  }

  private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  static let damages = ["", "{", "half of it", #"{"b2cTokenRecord":1,"key":{}}"#, "\u{1B}[2J"]

  @Test(
    "A damaged file stays until a sign-in, and no call goes out as another user", arguments: damages, [false, true])
  func damaged(_ content: String, isRelaunched: Bool) async throws {
    let (bob, path) = try await signInBob { _ in content }
    let connector = isRelaunched ? try otherProcess() : connector
    #expect(try await connector.users().map(\.id) == [alice.id])
    for _ in 0..<3 {
      let error = await #expect(throws: ConnectorError.self) {
        try await connector.addTask(TaskItem(itemName: "Bob's"))
      }
      #expect(error?.code == .tokenCache && error?.needsInteraction == true && error?.isRetryable == false)
      await expectError(ConnectorError.self, .tokenCache) { _ = try await connector.session }
      #expect(FileManager.default.contents(atPath: path) == Data(content.utf8))
    }
    #expect(stage.scene.tasks.tasks.isEmpty)
    try await stage.signIn(.alice, at: connector)
    #expect(!exists(path))
    #expect(try await connector.session.user?.id == alice.id)
    #expect(try await connector.user(id: bob.id) == nil)
  }

  @Test("The session names no earlier user while a damaged file may hold a later sign-in", arguments: damages)
  func damagedElsewhere(_ content: String) async throws {
    _ = try await signInBob(at: otherProcess()) { _ in content }
    let error = await #expect(throws: ConnectorError.self) { _ = try await connector.session }
    #expect(error?.code == .tokenCache && error?.needsInteraction == true)
    try await stage.signIn()
    #expect(try await connector.session.user?.id == alice.id)
  }

  @Test("A sign-out of all users removes damaged files, and one of a user removes only that user's", arguments: damages)
  func damagedSignOut(_ content: String) async throws {
    let path = try await signInBob { _ in content }.path
    let relaunched = try otherProcess()
    try await relaunched.signOut(alice)
    #expect(exists(path))
    try await relaunched.signOut()
    #expect(try !names().contains { $0.contains(".json") || $0.contains("damaged") })
    #expect(try await relaunched.session == .signedOut)
  }

  @Test("A sign-in and a sign-out end although another process holds the lock of a damaged file")
  func damagedAndLocked() async throws {
    let path = try await signInBob { _ in "{" }.path
    await expectError(ConnectorError.self, .tokenCache) { _ = try await connector.session }
    let lock = open(path.replacingOccurrences(of: ".json", with: ".lock"), O_RDWR)
    #expect(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
    try await stage.signIn()
    let error = await #expect(throws: ConnectorError.self) { try await connector.signOut() }
    #expect(error?.code == .tokenCache && error?.isRetryable == true)
    close(lock)
    try await connector.signOut()
    #expect(try !names().contains { $0.hasSuffix(".json") })
  }

  @Test("A record of a newer form is listed and ordered, and only a sign-out removes it", arguments: [true, false])
  func newerForm(isLater: Bool) async throws {
    let path = try await signInBob {
      try #require($0.contains(#""b2cTokenRecord":1"#))
      return $0.replacing(#""b2cTokenRecord":1"#, with: #""b2cTokenRecord":2"#)
    }.path
    if !isLater { try await stage.signIn() }
    let relaunched = try otherProcess()
    if isLater {
      let error = await #expect(throws: ConnectorError.self) { _ = try await relaunched.session }
      #expect(error?.needsInteraction == true)
    } else {
      #expect(try await relaunched.session.user?.id == alice.id)
    }
    try await expectRemovedBySignOut(of: relaunched, path)
  }

  /// Expects that a file outlives a sign-in of Alice, who is current then, and is removed by a sign-out.
  private func expectRemovedBySignOut(of connector: Connector, _ path: String) async throws {
    try await stage.signIn(.alice, at: connector)
    #expect(try await connector.session.user?.id == alice.id)
    #expect(exists(path))
    try await connector.signOut()
    #expect(!exists(path))
  }

  @Test(
    "A newer record whose key has another form fails no other user, and only a sign-out of all removes it",
    arguments: [#"{"b2cTokenRecord":3,"key":"new"}"#, #"{"b2cTokenRecord":2}"#, #"{"b2cTokenRecord":9,"key":{"a":1}}"#])
  func newerKey(_ content: String) async throws {
    let path = try await signInBob { _ in content }.path
    let relaunched = try otherProcess()
    #expect(try await relaunched.users().map(\.id) == [alice.id])
    #expect(try await relaunched.accessToken(user: alice).userID == alice.id)
    try await expectRemovedBySignOut(of: relaunched, path)
  }

  @Test(
    "Two directories whose names Swift calls equal are two caches",
    arguments: [
      ("Kate", "\u{212A}ate"), ("caf\u{E9}", "cafe\u{301}"), ("\u{C5}se", "\u{212B}se"), ("a;b", "a\u{37E}b"),
      ("\u{1E9B}\u{323}", "\u{17F}\u{323}\u{307}"),
    ])
  func directories(_ one: String, _ two: String) async throws {
    #if os(Linux)  // Volumes of Apple's systems take the names for one.
      let caches = try [one, two].map { try StoredTokenCache.files(at: directory.url.appendingPathComponent($0)) }
      #expect(caches[0] !== caches[1])
      let scene = Scene(cache: caches[0])
      _ = try await scene.signedIn()
      #expect(try await scene.connector(cache: caches[1]).session == .signedOut)
      // Other spellings of the same path are the same cache.
      let again: StoredTokenCache = try .files(at: directory.url.appendingPathComponent(one + "/../" + one + "/"))
      #expect(again === caches[0])
    #endif
  }
}
