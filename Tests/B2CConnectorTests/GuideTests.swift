import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The directory of the package, for the tests of its guides.
let packageDirectory = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

@Suite("The code of the guides")
struct GuideTests {
  /// The lines of a file without indentation and comments, from the first that begins with a text to the next one that
  /// begins with another text.
  private func lines(of file: URL, from first: String, to last: String) throws -> [String] {
    let all = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n").map { line in
      (line.components(separatedBy: "  //").first ?? "").trimmingCharacters(in: .whitespaces)
    }
    let start = try require(all.firstIndex { $0.hasPrefix(first) })
    let end = try require(all[(start + 1)...].firstIndex { $0.hasPrefix(last) })
    return Array(all[start...end])
  }

  @Test(
    "The code that is tested in this file is the guide's",
    arguments: [
      ("CommandLine", "func addMilk(with connector: Connector) async throws {", "}"),
      (
        "CommandLine", "if case .signedIn(let user) = try await connector.session {",
        "} catch let error as ConnectorError where"
      ),
      ("CommandLine", "} catch let error as ConnectorError where error.needsInteraction {", "}"),
      ("FromB2CToExternalID", "func move(_ before: UserInfo", "try await old.signOut(before)"),
    ])
  func same(_ guide: String, _ first: String, _ last: String) throws {
    let tested = try lines(of: URL(filePath: #filePath), from: first, to: last)
    #expect(try tested == lines(of: packageDirectory.appending(path: "Docs/\(guide).md"), from: first, to: last))
  }
}

/// The first program of the guide about the command line.
@Suite(.descriptors(), .hangLimit)
struct CommandLineTests {
  private let clock = TestClock()
  private let cache = InMemoryTokenCache()
  private let presenter = ScriptedPresenter(transport: URLSessionTransport(), .signIn(.alice))

  /// Runs the program with a connector of its own; returns what it prints.
  private func run(_ settings: ConnectorSettings) async throws -> [String] {
    var environment = Connector.Environment()
    (environment.presenter, environment.cache) = (presenter, cache)
    environment.setTime(clock: clock) { [clock] in clock.date }
    let connector = try Connector(settings: settings, environment: environment)
    var printed: [String] = []
    func print(_ line: String) { printed.append(line) }

    // As in the guide.
    func addMilk(with connector: Connector) async throws {
      try await connector.addTask(TaskItem(itemName: "Buy milk"))
      for task in try await connector.getTaskList() { print("- \(task.itemName)") }
    }

    if case .signedIn(let user) = try await connector.session {
      print("Still signed in: \(user)")
    } else {
      print("Signed in: \(try await connector.doPolicy(.signIn))")
    }
    do {
      try await addMilk(with: connector)
    } catch let error as ConnectorError where error.needsInteraction {
      print("Signed in again: \(try await connector.doPolicy(.signIn))")
      try await addMilk(with: connector)
    }
    return printed
  }

  /// Starts a tenant and a task server, with a key that no other process has.
  private func start(ports: (UInt16, UInt16) = (0, 0)) async throws -> (LocalTenant, LocalTaskServer) {
    let tenant = LocalTenant(now: { [clock] in clock.date })
    let server = LocalTaskServer(tenant: tenant)
    try tenant.rotateKeys(keepingOld: false)
    try await tenant.start(port: ports.0)
    try await server.start(port: ports.1)
    return (tenant, server)
  }

  @Test("After the tenant was restarted at its port, the program signs in again", arguments: [0, 30, 120, 4_000])
  func restartedTenant(after seconds: Int) async throws {
    var (tenant, server) = try await start()
    let settings = try tenant.settings(taskServer: server)
    #expect(try await run(settings) == ["Signed in: Alice Example", "- Buy milk"])
    let second = ["Still signed in: Alice Example", "- Buy milk", "- Buy milk"]
    #expect(try await run(settings) == second)

    let ports = try (#require(tenant.origin.port), #require(server.url.port))
    await tenant.stop()
    await server.stop()
    (tenant, server) = try await start(ports: (UInt16(ports.0), UInt16(ports.1)))
    await clock.advance(by: .seconds(seconds))
    let third = ["Still signed in: Alice Example", "Signed in again: Alice Example", "- Buy milk"]
    #expect(try await run(settings) == third)
    #expect(try await run(settings) == second)
    await tenant.stop()
    await server.stop()
  }
}

/// The guide "From Azure AD B2C to External ID", over two tenants on this machine and one token cache.
@Suite("From Azure AD B2C to External ID", .hangLimit)
struct ConnectorMigrationTests {
  enum Way: CaseIterable { case standard, highScale }

  /// Both services, both connectors, and the data that an app keeps under its users' account ids.
  private final class Rollout: Sendable {
    let clock = TestClock()
    let oldTenant: LocalTenant
    let newTenant: LocalTenant
    let presenter: ScriptedPresenter
    let old: Connector
    let new: Connector
    let data = Locked<[String: String]>([:])
    let agrees = Locked(false)
    let questions = Recorder<String>()
    let isOffline = Locked(false)

    init(_ way: Way) throws {
      let clock = clock
      oldTenant = LocalTenant(now: { clock.date })
      // A copied user has another object id in another tenant, and the same address.
      let copy = LocalUser(
        id: "cccccccc-0000-4000-8000-000000000003", email: LocalUser.alice.email,
        password: LocalUser.alice.password.value, displayName: LocalUser.alice.displayName)
      newTenant = LocalTenant(
        tenantName: "contosocustomers", shape: .ciam,
        tenantID: way == .highScale ? oldTenant.tenantID : "99999999-0000-4000-8000-000000000009",
        customDomain: "id.contoso.com", clientID: "44444444-4444-4444-8444-444444444444",
        users: way == .highScale ? [.alice, .bob] : [copy, .bob], now: { clock.date })
      let network = LocalNetwork(oldTenant, newTenant, clock: clock)
      presenter = ScriptedPresenter(transport: network, .signIn(.alice))
      let environment = Connector.Environment(
        presenter: presenter, cache: InMemoryTokenCache(), transport: network, clock: clock, now: { clock.date })
      old = try Connector(settings: oldTenant.settings(), environment: environment)
      new = try Connector(settings: newTenant.settings(), environment: environment)
    }

    func isConfirmed(_ old: UserInfo, _ new: UserInfo) async -> Bool {
      questions.record("\(old.id) to \(new.id)")
      return agrees.withLock { $0 }
    }

    func moveData(from oldID: String, to newID: String) async throws {
      if isOffline.withLock({ $0 }) { throw URLError(.notConnectedToInternet) }
      data.withLock { $0[newID] = $0.removeValue(forKey: oldID) }
    }

    // As in the guide.
    func move(_ before: UserInfo, from old: Connector, to new: Connector) async throws -> UserInfo {
      var options = SignInOptions(prompt: .login)
      options.loginHint = before.username
      let user = try await new.doPolicy(.signIn, options: options)
      if before.id != user.id {
        guard await isConfirmed(before, user) else { return user }
        try await moveData(from: before.id, to: user.id)
      }
      try await old.signOut(before)
      return user
    }

    /// Signs Alice in at Azure AD B2C and stores something under her account.
    func begin() async throws -> UserInfo {
      let alice = try await old.doPolicy(.signIn)
      data.withLock { $0[alice.id] = "Buy milk" }
      return alice
    }
  }

  @Test("A move fills the name in, is repeated if it fails, and ends the old session", arguments: Way.allCases)
  func moves(_ way: Way) async throws {
    let rollout = try Rollout(way)
    var before = try await rollout.begin()
    rollout.agrees.withLock { $0 = true }
    switch way {
    case .standard:
      rollout.isOffline.withLock { $0 = true }
      await #expect(throws: URLError.self) { try await rollout.move(before, from: rollout.old, to: rollout.new) }
      #expect(try await rollout.old.users().map(\.id) == [before.id])
      #expect(rollout.data.withLock { $0 } == [before.id: "Buy milk"])
      rollout.isOffline.withLock { $0 = false }
    case .highScale:
      // An old session that has expired is moved as well.
      rollout.oldTenant.revokeGrants()
      await rollout.clock.advance(by: .seconds(4_000))
      await expectError(ConnectorError.self, .interactionRequired) { try await rollout.old.accessToken() }
      before = try #require(try await rollout.old.users().first)
      #expect(!before.hasSession)
    }
    let user = try await rollout.move(before, from: rollout.old, to: rollout.new)
    #expect(rollout.newTenant.requests.contains { $0.query["login_hint"] == LocalUser.alice.email })
    #expect(rollout.data.withLock { $0 } == [user.id: "Buy milk"])
    #expect((before.id == user.id) == (way == .highScale))
    #expect(try await rollout.old.users().isEmpty)
    #expect(try await rollout.new.users().map(\.id) == [user.id])
    #expect(rollout.questions.values.count == (way == .highScale ? 0 : 2))
  }

  @Test("Without the user's consent the old account keeps its data and its session", arguments: [true, false])
  func declined(isSamePerson: Bool) async throws {
    let rollout = try Rollout(.standard)
    let (old, new, before) = (rollout.old, rollout.new, try await rollout.begin())
    if !isSamePerson {
      rollout.presenter.clearCookies()
      rollout.presenter.follow(.signIn(.bob))
    }
    let user = try await rollout.move(before, from: old, to: new)
    #expect(user.id != before.id && (user.username == before.username) == isSamePerson)
    #expect(rollout.questions.values == ["\(before.id) to \(user.id)"])
    #expect(rollout.data.withLock { $0 } == [before.id: "Buy milk"])
    // Both sessions go on, next to each other.
    await rollout.clock.advance(by: .seconds(4_000))
    for (connector, tenant, user) in [(old, rollout.oldTenant, before), (new, rollout.newTenant, user)] {
      _ = try await connector.accessToken()
      #expect(tenant.counters.refreshes == 1)
      #expect(try await connector.users().map(\.id) == [user.id])
    }
  }
}

@Suite("The example of a token cache of one's own", .timeLimit(.minutes(10)))
struct DatabaseTokenCacheTests {
  @Test("The database cache keeps the rules, those of shared caches included")
  func database() async throws {
    let broken = try await TokenCacheConformance.brokenRules(
      makeSecondInstance: { DatabaseTokenCache(database: $0.database) },
      makeCache: { DatabaseTokenCache(database: FakeDatabase()) })
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test("A caller that is cancelled while the database grants the lock does no work and gives it back")
  func cancelledAtTheLock() async throws {
    // `Locked` lets the database wait until the caller is known.
    let caller = Locked<Task<Void, any Error>?>(nil)
    let database = FakeDatabase { caller.withLock { $0?.cancel() } }
    let cache = DatabaseTokenCache(database: database)
    let key = TokenCacheKey(authority: "https://contoso.b2clogin.com/t", clientID: "c", userID: "u")
    let runs = Locked(0)
    let lock = { @Sendable in try await cache.withRefreshLock(for: key, RefreshWork { runs.withLock { $0 += 1 } }) }
    let cancelled = caller.withLock { caller in
      let task = Task { try await lock() }
      caller = task
      return task
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(runs.withLock { $0 } == 0)
    caller.withLock { $0 = nil }
    try await lock()
    #expect(runs.withLock { $0 } == 1)
  }
}

/// As much of a database as the example uses; real drivers run the same statements.
private actor FakeDatabase: Database {
  struct UnknownStatement: Error {}
  struct Cancelled: Error {}

  private var rows: [String: (stamp: String, record: String)] = [:]
  private var locks: [String: String] = [:]
  private let onLock: @Sendable () -> Void

  init(onLock: @escaping @Sendable () -> Void = {}) {
    self.onLock = onLock
  }

  @discardableResult
  func run(_ statement: String, _ values: String...) throws -> [String] {
    // As drivers do, some with an error of their own.
    if Task.isCancelled { throw Cancelled() }
    switch (statement.prefix { $0 != " " } + (statement.contains("locks") ? " lock" : ""), values.count) {
    case ("SELECT", 0): return Array(rows.keys)
    case ("SELECT", 1): return rows[values[0]].map { [$0.record] } ?? []
    case ("REPLACE", 3): rows[values[0]] = (values[1], values[2])
    case ("DELETE", 1): rows[values[0]] = nil
    case ("UPDATE", 4):
      guard rows[values[2]]?.stamp == values[3] else { return [] }
      rows[values[2]] = (values[0], values[1])
      return [values[2]]
    case ("INSERT lock", 2):
      guard locks[values[0]] == nil else { return [] }
      locks[values[0]] = values[1]
      onLock()
      return [values[0]]
    case ("DELETE lock", 2):
      if locks[values[0]] == values[1] { locks[values[0]] = nil }
    default: throw UnknownStatement()
    }
    return []
  }
}
