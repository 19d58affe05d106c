import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Who is current changes only when somebody signs in or out: not because of a clock, and not because of an error.
@Suite("The current user", .hangLimit)
struct CurrentUserTests {
  /// Alice and then Bob sign in over one cache, each at a time that the device's clock shows.
  private struct Stage {
    let scene = Scene(dialect: .rest)
    let cache: any TokenCache
    /// How far the device's clock is ahead, in seconds.
    let ahead = Locked<TimeInterval>(0)
    let presenter: ScriptedPresenter

    init(_ cache: any TokenCache = .memory()) {
      self.cache = cache
      presenter = scene.script(.signIn(.alice))
    }

    /// A connector of a process of its own, if the cache is in a wrapper of its own.
    func connector(over cache: (any TokenCache)? = nil, userID: String? = nil) throws -> Connector {
      var environment = scene.environment(presenter: presenter, cache: cache ?? self.cache)
      let clock = scene.clock
      environment.setTime(clock: clock) { [ahead] in clock.date.addingTimeInterval(ahead.withLock { $0 }) }
      var settings = try scene.settings()
      settings.userID = userID
      return try Connector(settings: settings, environment: environment) { $0.taskDialect = .rest }
    }

    @discardableResult
    func signIn(_ user: LocalUser, at connector: Connector) async throws -> UserInfo {
      presenter.follow(.signIn(user))
      return try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login))
    }
  }

  @Test(
    "The latest sign-in is current although the clock was ahead at an earlier one, in every process and for hours",
    arguments: [30, 3_600, 28_800] as [TimeInterval])
  func clockAhead(_ seconds: TimeInterval) async throws {
    let stage = Stage()
    let connector = try stage.connector()
    stage.ahead.withLock { $0 = seconds }
    try await stage.signIn(.alice, at: connector)
    stage.ahead.withLock { $0 = 0 }
    // Another process signs Bob in: it looks at the records before its first sign-in.
    let other = try stage.connector(over: OtherProcess(stage.cache))
    let bob = try await stage.signIn(.bob, at: other)
    for hours in [0, 1, 9] {
      await stage.scene.clock.advance(by: .seconds(hours * 3_600))
      for connector in [connector, other, try stage.connector(over: OtherProcess(stage.cache))] {
        #expect(try await connector.session.user?.id == bob.id)
        #expect(try await connector.accessToken().userID == bob.id)
        #expect(try await connector.users().first?.id == bob.id)
      }
    }
  }

  @Test(
    "The latest sign-in is current although the clock was set back before it",
    arguments: [-1, -60, -86_400] as [TimeInterval])
  func clockBack(_ seconds: TimeInterval) async throws {
    let stage = Stage()
    let connector = try stage.connector()
    try await stage.signIn(.alice, at: connector)
    stage.ahead.withLock { $0 = seconds }
    let bob = try await stage.signIn(.bob, at: connector)
    stage.ahead.withLock { $0 = 0 }
    #expect(try await stage.connector(over: OtherProcess(stage.cache)).session.user?.id == bob.id)
    #expect(try await connector.users().map(\.id).first == bob.id)
  }

  @Test(
    "The current user is the first of the users, the others follow by their sign-ins, also at one instant",
    arguments: 0..<6)
  func order(_ number: Int) async throws {
    let stage = Stage()
    let connector = try stage.connector()
    var ids: [String] = []
    for user in [LocalUser.alice, .bob, .alice, .bob, .alice].prefix(2 + number % 4) {
      let id = try await stage.signIn(user, at: connector).id
      ids.removeAll { $0 == id }
      ids.insert(id, at: 0)
    }
    #expect(try await connector.users().map(\.id) == ids)
    #expect(try await stage.connector(over: OtherProcess(stage.cache)).users().map(\.id) == ids)
    #expect(try await connector.session.user?.id == ids.first)
  }

  @Test("The user whom the settings require is the first of the users, also after a later sign-in")
  func requiredIsFirst() async throws {
    let stage = Stage()
    let alice = try await stage.signIn(.alice, at: stage.connector())
    try await stage.signIn(.bob, at: stage.connector())
    let forAlice = try stage.connector(userID: LocalUser.alice.email)
    #expect(try await forAlice.users().first?.id == alice.id)
    #expect(try await forAlice.session.user?.id == alice.id)
    #expect(try await forAlice.users().first?.id == alice.id)
  }

  @Test(
    "Of two sign-ins at the same moment the later one is current for every connector, whichever is stored last",
    arguments: [true, false])
  func sameMoment(isBobHeld: Bool) async throws {
    let cache = RowCache()
    let stage = Stage(cache)
    let (one, two) = (try stage.connector(), try stage.connector())
    let alice = try await stage.signIn(.alice, at: one)
    try await one.signOut()
    // The storing of one sign-in is held back until the other is done.
    let gate = TestGate()
    cache.storeGate.withLock { $0 = (isBobHeld ? 1 : 0, gate) }
    presenting(stage, .bob)
    async let bob = two.doPolicy(.signIn, options: SignInOptions(prompt: .login))
    if isBobHeld { await gate.waitForArrivals(1) } else { _ = try await bob }
    presenting(stage, .alice)
    async let again = one.doPolicy(.signIn, options: SignInOptions(prompt: .login))
    if !isBobHeld { _ = try await again } else { _ = try await again; gate.open() }
    _ = try await bob
    let latest = try #require(try await one.session.user)
    #expect(try await two.session.user?.id == latest.id)
    for connector in [one, two] { #expect(try await connector.accessToken().userID == latest.id) }
    #expect(try await stage.connector(over: OtherProcess(cache)).session.user?.id == latest.id)
    #expect(latest.id == alice.id)
  }

  private func presenting(_ stage: Stage, _ user: LocalUser) { stage.presenter.follow(.signIn(user)) }

  // MARK: Errors

  struct DriverError: Error {}
  static let errors: [(name: String, error: any Error & Sendable, lasts: Bool)] = [
    ("a driver's own", DriverError(), false), ("a lost connection", URLError(.networkConnectionLost), false),
    ("a passing one", ConnectorError(.tokenCache, "Locked.", isRetryable: true), false),
    ("a lasting one", ConnectorError(.tokenCache, "A newer form."), true),
    ("a cancellation", CancellationError(), false),
  ]

  @Test(
    "An error while the current user's record is read makes nobody else current", arguments: 0..<errors.count,
    [false, true])
  func unreadable(_ index: Int, isRelaunched: Bool) async throws {
    let (_, failure, lasts) = Self.errors[index]
    let cache = RowCache()
    let stage = Stage(cache)
    let first = try stage.connector()
    let alice = try await stage.signIn(.alice, at: first)
    let bob = try await stage.signIn(.bob, at: first)
    let connector = isRelaunched ? try stage.connector(over: OtherProcess(cache)) : first
    cache.failure.withLock { $0 = (bob.id, failure) }
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await connector.addTask(TaskItem(itemName: "Bob's")) }, { _ = try await connector.getTaskList() },
      { _ = try await connector.session }, { _ = try await connector.accessToken() },
      { _ = try await connector.addTask(TaskItem(itemName: "Bob's, again")) },
    ]
    #expect(try await connector.users().map(\.id) == [alice.id])
    for call in calls {
      let error = await #expect(throws: ConnectorError.self) { try await call() }
      #expect(error?.code == .tokenCache && error?.isRetryable == !lasts && error?.needsInteraction == lasts)
    }
    #expect(stage.scene.tasks.tasks.isEmpty)
    // Who names a user is served.
    #expect(try await connector.accessToken(user: alice).userID == alice.id)
    cache.failure.withLock { $0 = nil }
    #expect(try await connector.accessToken().userID == bob.id)
    #expect(try await connector.session.user?.id == bob.id)
  }

  @Test("A record that cannot be read does not hide the current user who can be", arguments: 0..<errors.count)
  func otherUnreadable(_ index: Int) async throws {
    let cache = RowCache()
    let stage = Stage(cache)
    let connector = try stage.connector()
    let alice = try await stage.signIn(.alice, at: connector)
    let bob = try await stage.signIn(.bob, at: connector)
    cache.failure.withLock { $0 = (alice.id, Self.errors[index].error) }
    #expect(try await connector.accessToken().userID == bob.id)
    // Another process may have signed her in again meanwhile: a look at all records that may pass says so.
    if Self.errors[index].lasts {
      #expect(try await connector.session.user?.id == bob.id)
    } else {
      await expectError(ConnectorError.self, .tokenCache) { _ = try await connector.session }
    }
    #expect(try await connector.accessToken().userID == bob.id)
  }

  @Test("A sign-in and a sign-out end the trouble of a record that can never be read", arguments: [true, false])
  func wayOut(signsIn: Bool) async throws {
    let cache = RowCache()
    let stage = Stage(cache)
    let connector = try stage.connector()
    let alice = try await stage.signIn(.alice, at: connector)
    let bob = try await stage.signIn(.bob, at: connector)
    cache.failure.withLock { $0 = (bob.id, ConnectorError(.tokenCache, "A newer form.")) }
    await expectError(ConnectorError.self, .tokenCache) { _ = try await connector.session }
    if signsIn {
      try await stage.signIn(.alice, at: connector)
      #expect(try await connector.session.user?.id == alice.id)
      #expect(try await connector.accessToken().userID == alice.id)
    } else {
      try await connector.signOut(bob)
      #expect(try await connector.session.user?.id == alice.id)
    }
  }

  // MARK: The built-in files

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
    let stage = Stage(try .files(at: directory.url))
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
    let connector = isRelaunched ? try stage.connector(over: OtherProcess.files(directory.url)) : first
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
    let stage = Stage(try .files(at: directory.url))
    let connector = try stage.connector()
    let alice = try await stage.signIn(.alice, at: connector)
    let other = try stage.connector(over: OtherProcess.files(directory.url))
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
    let stage = Stage(try .files(at: directory.url))
    let connector = try stage.connector()
    let other = try stage.connector(over: OtherProcess.files(directory.url))
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
    let stage = Stage(try .files(at: directory.url))
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
    let relaunched = try stage.connector(over: OtherProcess.files(directory.url))
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
    let stage = Stage(try .files(at: directory.url))
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
    let stage = Stage(try .files(at: directory.url))
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
    let connector = try stage.connector(over: OtherProcess.files(directory.url))
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
    let stage = Stage(try .files(at: directory.url))
    let first = try stage.connector()
    let alice = try await stage.signIn(.alice, at: first)
    let file = try #require(try await files(directory.url) { try await stage.signIn(.bob, at: first) }.first)
    let path = directory.url.appendingPathComponent(file).path
    try FileManager.default.removeItem(atPath: path)
    let isMade = FileManager.default.createFile(
      atPath: path, contents: Data(content.utf8), attributes: [.posixPermissions: 0o600])
    #expect(isMade)
    let connector = try stage.connector(over: OtherProcess.files(directory.url))
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
      let stage = Stage(caches[0])
      try await stage.signIn(.alice, at: stage.connector())
      let other = try stage.connector(over: caches[1])
      #expect(try await other.session == .signedOut)
      await expectError(ConnectorError.self, .interactionRequired) { _ = try await other.accessToken() }
      // Other spellings of the same path are the same cache.
      let again: StoredTokenCache = try .files(at: directory.url.appendingPathComponent(one + "/../" + one + "/"))
      #expect(again === caches[0])
    #endif
  }

  // MARK: The required user

  @Test(
    "A required user stays current when a refresh brings claims that no longer name the address",
    arguments: ["mail", "name"])
  func requiredStays(_ what: String) async throws {
    let stage = Stage()
    let required = LocalUser.alice.email
    let connector = try stage.connector(userID: required)
    let alice = try await stage.signIn(.alice, at: connector)
    stage.scene.tenant.behavior.changeIDTokenClaims = { claims in
      claims = claims.filter { ["iss", "sub", "aud", "iat", "exp", "oid", "tid", "tfp", "acr"].contains($0.key) }
    }
    await stage.scene.clock.advance(by: .seconds(4_000))
    #expect(try await connector.accessToken().userID == alice.id)
    #expect(try await connector.session.user?.id == alice.id)
    #expect(try await connector.accessToken().userID == alice.id)
    #expect(try await stage.connector(over: OtherProcess(stage.cache), userID: required).session.user?.id == alice.id)
    // It matched exactly this value, and no other.
    #expect(
      try await stage.connector(over: OtherProcess(stage.cache), userID: LocalUser.bob.email).session == .signedOut)
    #expect(try await stage.connector(over: OtherProcess(stage.cache), userID: required + "x").session == .signedOut)
  }
}

/// The cache of another process over the same store: another object.
private final class OtherProcess: TokenCache {
  private let inner: any TokenCache

  init(_ inner: any TokenCache) { self.inner = inner }

  /// A second object over a directory, as a second process has one.
  static func files(_ directory: URL) throws -> StoredTokenCache {
    try StoredTokenCache(RecordDirectory(at: directory))
  }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? { try await inner.record(for: key) }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { try await inner.store(record, for: key) }
  func removeRecord(for key: TokenCacheKey) async throws { try await inner.removeRecord(for: key) }
  func keys() async throws -> [TokenCacheKey] { try await inner.keys() }
}

/// A cache one row of which can fail, and whose storing can be held back.
private final class RowCache: TokenCache {
  let failure = Locked<(userID: String, error: any Error & Sendable)?>(nil)
  /// The gate that a store waits at, after so many others.
  let storeGate = Locked<(after: Int, gate: TestGate)?>(nil)
  private let inner = InMemoryTokenCache.memory()

  func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    if let failure = failure.withLock({ $0 }), failure.userID == key.userID { throw failure.error }
    return await inner.record(for: key)
  }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    let gate = storeGate.withLock { storeGate -> TestGate? in
      guard let (after, gate) = storeGate else { return nil }
      storeGate = after > 1 ? (after - 1, gate) : nil
      return after == 1 ? gate : nil
    }
    try await gate?.wait()
    await inner.store(record, for: key)
  }

  func removeRecord(for key: TokenCacheKey) async throws { await inner.removeRecord(for: key) }
  func keys() async throws -> [TokenCacheKey] { await inner.keys() }
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
